"""The claims of Bayesian imputation, held against exact laws, what the source claims wrongly, and
mutants."""

from understudy.audit.brought import Audit
from understudy.mechanisms.imputation.audit import claims, drawn, mutants, runs

AUDIT = Audit(
    claims=lambda: (*claims.checks(), *drawn.checks()),
    mutants=lambda: (*mutants.checks(), *drawn.mutants()),
    runs=runs.RUNS,
)
