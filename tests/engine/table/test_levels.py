"""Levels of ranges above the buckets of numbers and dates."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest

from tests.engine.table.refusals import refused
from understudy.report.dictionary import describe_column
from understudy.table.authoring.codebook_file import read_codebook
from understudy.table.authoring.edits import with_range, without_level
from understudy.table.buckets import ByCuts, ByGroups, ByWidth, EachValue, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.grid import Grid
from understudy.table.levels import calendar_levels
from understudy.table.schema import Schema
from understudy.table.times import DatesTimes, Times


def cuts(*numbers: int) -> ByCuts:
    return ByCuts(cuts=tuple(map(Decimal, numbers)))


AGE = Column(
    name="AGE",
    domain=Grid(minimum=Decimal(0), maximum=Decimal(99)),
    missing=True,
    buckets=ByWidth(width=Decimal(10)),
    levels=(cuts(20, 50, 70), cuts(50)),
)


def test_every_value_is_in_one_range_of_every_level() -> None:
    assert [AGE.level_size(level) for level in range(4)] == [101, 11, 5, 3]
    assert AGE.level_labels(2)[:4] == ("0 to 19", "20 to 49", "50 to 69", "70 to 99")
    assert AGE.level_map(3)[[0, 49, 50, 99, 100]].tolist() == [0, 0, 1, 1, 2]
    assert AGE.fold(1, 3).tolist() == [0] * 5 + [1] * 5 + [2]
    for fine, coarse in ((0, 1), (1, 2), (2, 3)):
        folded = AGE.fold(fine, coarse)[AGE.level_map(fine)]
        assert np.array_equal(folded, AGE.level_map(coarse))


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ((cuts(25, 50),), "cuts where the level below does not"),
        ((cuts(20, 50), cuts(70)), "cuts where the level below does not"),
        ((cuts(*range(10, 100, 10)),), "makes 10 of 10"),
        ((cuts(200),), "on one side"),
        ((ByGroups(groups=(Group(label="a", values=("0",)),), rest="b"),), "grouped one by one"),
    ],
)
def test_a_level_that_is_no_coarsening_is_refused(levels: tuple[ByCuts, ...], said: str) -> None:
    refusal = refused(AGE.changed, levels=levels)
    assert said in refusal.problem
    assert "Level " in refusal.problem
    assert refusal.field == "levels"


def test_categories_have_no_levels_of_cuts() -> None:
    letters = Column(name="c", domain=Categories(values=tuple("abcd")))
    groups = ByGroups(groups=tuple(Group(label=a, values=tuple(a)) for a in "abcd"))
    assert refused(letters.changed, levels=(cuts(1),)).field == "levels"
    assert refused(letters.changed, buckets=groups, levels=(cuts(1),)).field == "levels"


def test_levels_follow_other_buckets_and_bounds_as_far_as_they_fit() -> None:
    assert AGE.with_buckets(cuts(20, 50)).levels == (cuts(50),)
    assert AGE.with_buckets(cuts(20, 40, 50, 70)).levels == (cuts(20, 50, 70), cuts(50))
    assert AGE.with_buckets(EachValue()).levels == AGE.levels
    assert with_range(AGE, maximum="59").levels == (cuts(20, 50), cuts(50))
    assert without_level(AGE, 0).levels == (cuts(50),)
    assert without_level(AGE, 1).levels == (cuts(20, 50, 70),)


def test_files_hold_them_as_the_kind_writes_numbers() -> None:
    domain = Dates.read({"minimum": "2019-06-01", "maximum": "2024-02-29", "step": "month"})
    column = Column(name="day", domain=domain, buckets=ByCuts(cuts=domain.cut_presets()["Years"]))
    column = column.changed(levels=(ByCuts(cuts=domain.cut_presets()["Decades"]),))
    schema = Schema(columns=(column, AGE))
    held = json.loads(schema.to_json())["fields"]
    assert held[0]["understudy"]["levels"] == [{"kind": "cuts", "cuts": ["2020-01-01"]}]
    assert held[1]["understudy"]["levels"][0] == {"kind": "cuts", "cuts": [20, 50, 70]}
    assert Schema.from_json(schema.to_json()) == schema
    entries = read_codebook(schema.to_json().encode(), "codebook.json")
    assert [each.levels for each in entries] == [column.levels, AGE.levels]
    fewer = schema.replace(column.changed(levels=()))
    assert fewer.fingerprint != schema.fingerprint


def test_the_calendar_gives_levels_to_dates_and_times_alone() -> None:
    days = Dates.read({"minimum": "2019-06-01", "maximum": "2024-02-29", "step": "day"})
    months = ByCuts(cuts=days.cut_presets()["Months"])
    assert [len(each.cuts) for each in calendar_levels(days, months)] == [5, 1]
    hours = DatesTimes.read(
        {"minimum": "2024-01-01 00:00", "maximum": "2024-12-31 23:59", "step": "hour"}
    )
    by_day = ByCuts(cuts=hours.cut_presets()["Days"])
    assert [len(each.cuts) for each in calendar_levels(hours, by_day)] == [11, 3]
    clock = Times.read({"step": "minute"})
    by_hour = ByCuts(cuts=clock.cuts_of("hour"))
    assert all(len(each.cuts) < 23 for each in calendar_levels(clock, by_hour))
    assert calendar_levels(AGE.domain, AGE.buckets) == ()
    assert calendar_levels(Categories(values=("a", "b")), EachValue()) == ()


def test_a_level_is_named_by_what_its_parts_are() -> None:
    assert [AGE.name_level(level) for level in range(4)] == [
        "single values", "10 ranges", "4 ranges", "2 ranges",
    ]  # fmt: skip
    days = Dates.read({"minimum": "2019-06-01", "maximum": "2024-02-29", "step": "month"})
    column = Column(name="day", domain=days, buckets=ByCuts(cuts=days.cut_presets()["Quarters"]))
    column = column.changed(levels=calendar_levels(days, column.buckets))
    assert [column.name_level(level) for level in range(column.coarsest + 1)] == [
        "cells of 1 month", "quarters", "years", "decades",
    ]  # fmt: skip
    about = describe_column(column, "values.csv").domain
    assert "; levels: cells of 1 month, quarters, years, decades (" in about
    assert "levels" not in describe_column(column.changed(levels=()), "values.csv").domain
