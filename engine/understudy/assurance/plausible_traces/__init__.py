"""The claims of days like given people's, held against exact laws, and mutants of them."""

from understudy.assurance.method_audits import Audit
from understudy.assurance.plausible_traces import claims, runs

AUDIT = Audit(
    claims=lambda: (
        *claims.list_attempt_checks(),
        *claims.list_model_checks(),
        *runs.list_coin_checks(),
    ),
    mutants=lambda: (
        *claims.list_attempt_mutants(),
        *claims.list_model_mutants(),
        *runs.list_coin_mutants(),
    ),
    runs=runs.RUNS,
)
