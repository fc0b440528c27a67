"""The claims of Bayesian imputation, held against exact laws, what the source claims wrongly, and
mutants."""

from understudy.assurance.brought import Audit
from understudy.assurance.imputation import claims, drawn, mutants, runs

AUDIT = Audit(
    claims=lambda: (*claims.checks(), *drawn.checks()),
    mutants=lambda: (*mutants.checks(), *drawn.mutants()),
    runs=runs.RUNS,
)
