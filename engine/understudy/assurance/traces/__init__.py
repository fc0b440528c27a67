"""The claims of made traces, held against exact laws, and mutants of them."""

from understudy.assurance.brought import Audit
from understudy.assurance.traces import people, runs

AUDIT = Audit(claims=people.checks, mutants=people.mutants, runs=runs.RUNS)
