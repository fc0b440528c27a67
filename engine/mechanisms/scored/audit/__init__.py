"""The claims of tested candidates in a small space, and of seeds of a sub-population, held against
exact laws, and mutants."""

from engine.audit.brought import Audit
from engine.mechanisms.scored.audit import among, small_space

AUDIT = Audit(
    claims=lambda: (*small_space.checks(), *among.checks()),
    mutants=lambda: (*small_space.mutants(), *among.mutants()),
)
"""The claims of tested candidates in a small space, held against exact laws, and mutants."""
