"""The claims of seedbased synthesis, held against exact laws, and mutants of it."""

from understudy.assurance.brought import Audit
from understudy.assurance.seedbased import (
    acceptance,
    coins,
    mutants,
    one_attempt,
    paid_chances,
    parts,
    runs,
    statistical,
    whole_runs,
)

AUDIT = Audit(
    claims=lambda: tuple(
        check
        for each in (one_attempt, whole_runs, paid_chances, parts, acceptance, coins)
        for check in each.checks()
    ),
    mutants=lambda: (*mutants.checks(), *acceptance.mutants(), *coins.mutants()),
    sampled=statistical.checks,
    runs=runs.RUNS,
)
