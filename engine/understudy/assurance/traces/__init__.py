"""The claims of made traces, held against exact laws, and mutants of them."""

from understudy.assurance.method_audits import Audit
from understudy.assurance.traces import claims

AUDIT = Audit(claims=claims.list_checks, mutants=claims.list_mutants, runs=claims.RUNS)
