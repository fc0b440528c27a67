"""Cells of the table taken together as places of the made days."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import TOWN, commuters, records, schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.traces.mechanism import MECHANISM
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.geography import Geography, block_numbers
from understudy.models.mobility.tables import layout
from understudy.privacy.randomness import Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.positions.area import Area
from understudy.table.schema import Schema

DAYS = commuters(30)
RECORDS = records(DAYS)


def test_days_are_told_on_the_coarser_map() -> None:
    asked = plan(gathered=2)
    assert (asked.where.rows, asked.where.columns) == (2, 2)
    told = asked.days_told(RECORDS)
    assert told.cells.tolist() == block_numbers(TOWN, 2)[DAYS.cells].tolist()
    assert plan().days_told(RECORDS).cells.tolist() == DAYS.cells.tolist()


def test_a_run_counts_and_releases_the_coarser_places() -> None:
    asked = plan(gathered=2, held_out=0.0)
    decided = plan_run(asked, schema())
    state = MECHANISM.begin(decided, RECORDS, Secret.fixed(1), None)
    assert {name: len(each) for name, each in state.arrays().items() if name != "held_out"} == {
        table.name: table.cells for table in layout(asked.where)
    }
    (output,) = decided.outputs
    assert output.schema is not None
    domain = output.schema.column("place").domain
    assert isinstance(domain, Categories)
    assert domain.values == ("r1-2c1-2", "r1-2c3-4", "r3-3c1-2", "r3-3c3-4", "outside")


def test_what_one_person_costs_is_the_same_on_any_map() -> None:
    fine, coarse = (
        plan_run(plan(gathered=by), schema()).guarantee for by in (1, 2)
    )  # fmt: skip
    assert fine.total == coarse.total


@pytest.mark.parametrize(("people", "by"), [(12, None), (20, 3), (40, 2), (60, 2), (120, 1)])
def test_the_least_that_is_coarse_enough_is_offered(people: int, by: int | None) -> None:
    asked = _asked(people)
    assert asked.coarse_enough == (4 if by is None else by)
    if by == 1:
        asked.check_detail(asked.epsilon)
        return
    with pytest.raises(Refusal, match="finer than") as refused:
        asked.check_detail(asked.epsilon)
    assert refused.value.field == "gathered"
    assert f"Take {asked.coarse_enough} cells each way" in refused.value.remedy
    _asked(people, gathered=asked.coarse_enough).check_detail(asked.epsilon)


def test_where_no_map_will_do_none_is_offered() -> None:
    asked = _asked(9)
    assert asked.coarse_enough is None
    with pytest.raises(Refusal, match="finer than") as refused:
        asked.check_detail(asked.epsilon)
    assert "cells each way" not in refused.value.remedy


def test_the_map_follows_from_the_names_of_places() -> None:
    found = MECHANISM.default_plan(
        _places(*Area(south=0, north=1, west=0, east=1, rows=2, columns=8).names)
    )
    assert (found.rows, found.columns, found.zones) == (2, 8, 2)
    found = MECHANISM.default_plan(_places(*(f"tract {number}" for number in range(15)), "outside"))
    assert (found.rows, found.columns) == (3, 5)


def test_zones_are_about_four_cells_wide() -> None:
    zones = [
        MECHANISM.default_plan(
            _places(*Area(south=0, north=1, west=0, east=1, rows=size, columns=size).names)
        )
        for size in (2, 12, 20, 30)
    ]
    assert [each.zones for each in zones] == [2, 3, 5, 8]
    assert all(isinstance(each.where, Geography) for each in zones)


def test_rooms_of_the_plan_stay_whole_numbers() -> None:
    assert np.array_equal(block_numbers(TOWN, 2)[:-1], [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3])


def _asked(people: int, **settings: Any) -> TracesPlan:
    return TracesPlan(
        domain="", rows=3, columns=4, zones=2, epsilon=1.0, public_people=people, **settings
    )


def _places(*names: str) -> Schema:
    usual = schema()
    return usual.with_columns(
        [*usual.columns[:2], Column(name="place", domain=Categories(values=names))]
    )
