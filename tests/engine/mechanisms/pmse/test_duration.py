"""How long choosing takes, foreseen: every table that is counted is counted here, and no other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engine.mechanisms.pmse.tables import ROWS, plan, schema
from tests.support import category_schema
from understudy.mechanisms.expected_utility import foresee_seconds
from understudy.mechanisms.pmse import choosing
from understudy.mechanisms.pmse.expected_utility import _tables, seconds_a_candidate
from understudy.mechanisms.pmse.guarantee import Costs
from understudy.mechanisms.pmse.simulating import Made, common
from understudy.mechanisms.pmse.units import lines_of
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.table.schema import Schema


def foreseen(declared: Schema | None = None, **changed: Any) -> float:
    found = foresee_seconds(plan_run(plan(**changed), declared or schema()))
    assert found is not None
    return found


@pytest.mark.parametrize("partitions", ["crossed", "stump", "depth-two", "forest", "guillotine"])
@pytest.mark.parametrize("search", ["columns", "whole"])
def test_the_tables_are_those_that_records_are_counted_in(
    partitions: Any, search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared, made = schema(), 50
    paying = Costs.of(plan(partitions=partitions, search=search, bins=4), declared)
    lines, chance = lines_of(declared, ()), common(paying.units, made, 1)
    setting = choosing.Setting(declared, paying.units, lines, chance, partitions, 4, 1, 1)
    for stage in paying.stages:
        if stage.round:
            continue
        ours = choosing._partitions(
            setting, stage, tuple(choosing._binnings(setting, stage, _before(setting, stage), None))
        )
        bins = [np.zeros((2, made), dtype=np.int64) for _ in ours.axes]
        counted: list[int] = []
        bincount = np.bincount

        def count(*given: Any, counted: list[int] = counted, of: Any = bincount, **how: Any) -> Any:
            counted.append(1)
            return of(*given, **how)

        with monkeypatch.context() as watched:
            watched.setattr(np, "bincount", count)
            ours.counts(bins)
        assert len(counted) == _tables(partitions, paying.units, stage)


def _before(setting: choosing.Setting, stage: Any) -> Made:
    """Any records of the units before those of a stage."""
    places = range(stage.units[0])
    if not places:
        return Made()
    return choosing._so_far(
        setting,
        {place: np.full(setting.units[place].size, 0.5) for place in places},
        len(places),
    )


def test_it_follows_public_numbers_alone() -> None:
    once = foreseen()
    assert once > 0
    assert foreseen(candidates=1600) == pytest.approx(2 * once)
    assert foreseen(public_records=2 * ROWS) == pytest.approx(2 * once)
    assert foreseen(ratio=2) == pytest.approx(2 * once)
    assert foreseen(partitions="forest") > once
    numbers = schema().with_columns(schema().columns[:2]).declare_public()
    assert foreseen(numbers, domain=numbers.fingerprint) < once
    paying = Costs.of(plan(), schema())
    made = paying.deciding
    each = [
        s.candidates * seconds_a_candidate("crossed", paying.units, s, made) for s in paying.stages
    ]
    assert once == pytest.approx(sum(each))
    assert foreseen(draws=3, epsilon=90.0) == pytest.approx(each[0] + 3 * sum(each[1:]))


def test_nothing_is_said_where_nobody_said_how_many_records_there_are() -> None:
    assert foresee_seconds(plan_run(plan(public_records=None), schema())) is None


def test_other_methods_say_it_too_or_nothing() -> None:
    columns = category_schema(3, 4, 2).declare_public()
    found = foresee_seconds(plan_run(opening_plan("seedbased", columns), columns))
    assert found is not None
    assert found > 0
    assert foresee_seconds(plan_run(opening_plan("imputation", columns), columns)) is None
