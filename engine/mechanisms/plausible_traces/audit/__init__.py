"""The claims of days like given people's, held against exact laws, and mutants of them."""

from engine.audit.brought import Audit
from engine.mechanisms.plausible_traces.audit import claims, parts, runs

AUDIT = Audit(
    claims=lambda: (*claims.checks(), *parts.checks()),
    mutants=lambda: (*claims.mutants(), *parts.mutants()),
    runs=runs.RUNS,
)
