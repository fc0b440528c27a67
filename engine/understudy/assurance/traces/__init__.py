"""The claims of made traces, held against exact laws, and mutants of them."""

from understudy.assurance.method_audits import Audit
from understudy.assurance.traces import people, runs

AUDIT = Audit(claims=people.list_checks, mutants=people.list_mutants, runs=runs.RUNS)
