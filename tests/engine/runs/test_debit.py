"""What a run is debited is what its plan promises."""

from __future__ import annotations

from tests.support import category_schema
from understudy.ledger.totals import alone
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.runs.debit import debit_of

SCHEMA = category_schema(2, 3, 4)
KEEPING = Plan.of(
    SCHEMA,
    omega=Omega(low=2, high=2),
    attempts=3,
    records_per_person=2,
    sampling=0.5,
    seeds_at_least=100,
)


def test_it_stands_for_the_total_that_was_promised() -> None:
    made = promise(KEEPING, SCHEMA)
    found = debit_of(plan_run(KEEPING, SCHEMA))
    assert found.spend is not None
    assert alone(found.spend) == made.total
    assert (found.count, found.protocol, found.records_per_person) == (3, "attempts", 2)
    assert not found.seedless


def test_how_stray_values_are_settled_is_left_out() -> None:
    plan = KEEPING.change(SCHEMA, policies={"c0": "refuse"})
    assert "policies" not in debit_of(plan_run(plan, SCHEMA)).plan


def test_a_run_that_copies_nothing_says_so() -> None:
    plan = KEEPING.change(SCHEMA, omega=Omega(low=3, high=3))
    assert debit_of(plan_run(plan, SCHEMA)).seedless


def test_a_fixed_seed_promises_nothing() -> None:
    found = debit_of(plan_run(KEEPING, SCHEMA), stained=True)
    assert found.stained
    assert found.spend is None
