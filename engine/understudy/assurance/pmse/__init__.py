"""The claims of the pMSE mechanism, held against exact laws, and mutants of it."""

from understudy.assurance.method_audits import Audit
from understudy.assurance.pmse import runs, scores, searches

AUDIT = Audit(
    claims=lambda: (
        *scores.list_checks(),
        *searches.list_search_checks(),
        *searches.list_chain_checks(),
    ),
    mutants=lambda: (
        *scores.list_mutants(),
        *searches.list_search_mutants(),
        *searches.list_chain_mutants(),
    ),
    runs=runs.RUNS,
)
