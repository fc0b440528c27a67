"""The claims of made traces, held against exact laws, and mutants of them."""

from engine.audit.brought import Audit
from engine.mechanisms.traces.audit import people

AUDIT = Audit(claims=people.checks, mutants=people.mutants)
