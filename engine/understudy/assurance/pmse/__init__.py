"""The claims of the pMSE mechanism, held against exact laws, and mutants of it."""

from understudy.assurance.brought import Audit
from understudy.assurance.pmse import chains, runs, scores, searches

AUDIT = Audit(
    claims=lambda: (*scores.checks(), *searches.checks(), *chains.checks()),
    mutants=lambda: (*scores.mutants(), *searches.mutants(), *chains.mutants()),
    runs=runs.RUNS,
)
