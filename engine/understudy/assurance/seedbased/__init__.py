"""The claims of seedbased synthesis, held against exact laws, and mutants of it."""

from understudy.assurance.method_audits import Audit
from understudy.assurance.seedbased import (
    acceptance,
    mutants,
    one_attempt,
    rules,
    runs,
    statistics,
    whole_runs,
)

AUDIT = Audit(
    claims=lambda: (
        *one_attempt.list_checks(),
        *rules.list_checks(),
        *whole_runs.list_checks(),
        *whole_runs.list_chance_checks(),
        *whole_runs.list_part_checks(),
        *acceptance.list_checks(),
        *runs.list_coin_checks(),
    ),
    mutants=lambda: (
        *mutants.list_mutants(),
        *rules.list_mutants(),
        *acceptance.list_mutants(),
        *runs.list_coin_mutants(),
    ),
    sampled=statistics.list_checks,
    runs=runs.RUNS,
)
