"""The claims of tested candidates in a small space, held against exact laws, and mutants."""

from engine.audit.brought import Audit
from engine.mechanisms.scored.audit import small_space

AUDIT = Audit(claims=small_space.checks, mutants=small_space.mutants)
