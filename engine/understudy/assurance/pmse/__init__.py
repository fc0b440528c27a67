"""The claims of the pMSE mechanism, held against exact laws, and mutants of it."""

from understudy.assurance.method_audits import Audit
from understudy.assurance.pmse import claims, runs

AUDIT = Audit(
    claims=lambda: (
        *claims.list_checks(),
        *claims.list_search_checks(),
        *claims.list_chain_checks(),
    ),
    mutants=lambda: (
        *claims.list_mutants(),
        *claims.list_search_mutants(),
        *claims.list_chain_mutants(),
    ),
    runs=runs.RUNS,
)
