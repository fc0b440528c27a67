"""The claims of made traces, held against exact laws, and mutants of them."""

from understudy.audit.brought import Audit
from understudy.mechanisms.traces.audit import people, runs

AUDIT = Audit(claims=people.checks, mutants=people.mutants, runs=runs.RUNS)
