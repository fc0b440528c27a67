"""The claims of Bayesian imputation, held against exact laws, what the source claims wrongly, and
mutants."""

from understudy.assurance.imputation import claims, runs
from understudy.assurance.method_audits import Audit

AUDIT = Audit(
    claims=lambda: (*claims.list_checks(), *runs.list_checks()),
    mutants=lambda: (*claims.list_mutants(), *runs.list_mutants()),
    runs=runs.RUNS,
)
