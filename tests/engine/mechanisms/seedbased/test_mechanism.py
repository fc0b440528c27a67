"""Which tables a plan is run on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.mechanism import MECHANISM
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise

SCHEMA = category_schema(3, 4, 2, 5)


def refused(records: int, **settings: Any) -> str | None:
    """The setting that a table of so many records does not fit."""
    try:
        MECHANISM.check_records(plan_run(Plan.of(SCHEMA, **settings), SCHEMA), records)
    except Refusal as refusal:
        return refusal.field
    return None


def test_a_table_has_the_records_that_are_counted_on_and_those_that_are_said() -> None:
    needed = promise(Plan.of(SCHEMA), SCHEMA).records_at_least
    assert needed is not None
    assert refused(needed) is None
    assert refused(needed - 1) == "seeds_at_least"
    assert refused(needed, public_records=needed) is None
    assert refused(needed, public_records=needed + 1) == "public_records"
    assert refused(needed - 1, public_records=needed + 1) == "seeds_at_least"
    assert refused(needed + 1, public_records=needed + 1) is None


@pytest.mark.parametrize("t", [None, 29])
def test_the_part_of_the_attempts_says_how_many_they_are_and_at_which_t(t: int | None) -> None:
    made = plan_run(Plan.of(SCHEMA, attempts=7, t=t), SCHEMA).guarantee
    part = next(each for each in made.parts if each.of == "attempts")
    assert part.native["N"] == 7
    seeds = promise(Plan.of(SCHEMA, attempts=7, t=t), SCHEMA).seeds
    assert seeds is not None
    assert part.native["t"] == (t or seeds.t)
