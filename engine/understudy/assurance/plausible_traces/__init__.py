"""The claims of days like given people's, held against exact laws, and mutants of them."""

from understudy.assurance.brought import Audit
from understudy.assurance.plausible_traces import claims, coins, parts, runs

AUDIT = Audit(
    claims=lambda: (*claims.checks(), *parts.checks(), *coins.checks()),
    mutants=lambda: (*claims.mutants(), *parts.mutants(), *coins.mutants()),
    runs=runs.RUNS,
)
