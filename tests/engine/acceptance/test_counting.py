"""The two whole numbers of every statistic, against slow definitions of what they are."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.acceptance.measurement import FINENESS, Tally, cost, of_records, pair_of, scales
from understudy.acceptance.outcome import answers, as_figures, noisy_numbers
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.core.refusal import Refusal
from understudy.models.views import Rows
from understudy.privacy.budget import Budget
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=(
        Column(name="sex", domain=Categories(values=("f", "m", "x"))),
        Column(
            name="age",
            domain=Grid(minimum=Decimal(10), maximum=Decimal(20), step=Decimal(2)),
            buckets=ByWidth(width=Decimal(4)),
            missing=True,
        ),
    )
)
ASKED = AcceptanceTest(
    epsilon=0.6,
    statistics=(
        ShareOf(column="sex", values=("f", "x"), limit=0.1),
        MeanOf(column="age", limit=1.0),
        DistanceOf(columns=("sex", "age"), limit=0.2),
    ),
)
TABLES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), max_size=12)


def records(rows: list[tuple[int, int]]) -> Records:
    return Records(SCHEMA, np.array(rows, dtype=np.uint16).reshape(-1, 2))


def exact(held: list[tuple[int, int]], released: list[tuple[int, int]]) -> list[tuple[int, int]]:
    tables = (of_records(ASKED, Rows.of(records(each))) for each in (held, released))
    return [
        pair_of(each, SCHEMA, ours, theirs)
        for each, ours, theirs in zip(ASKED.statistics, *tables, strict=True)
    ]


@given(TABLES, TABLES)
def test_numbers_are_what_they_are_said_to_be(
    held: list[tuple[int, int]], released: list[tuple[int, int]]
) -> None:
    share, mean, distance = exact(held, released)
    chosen = sum(sex in (0, 2) for sex, _ in held)
    assert share == (chosen, len(held) - chosen)
    there = [age for _, age in held if age < 6]
    assert mean == (sum(there), sum(5 - age for age in there))
    assert distance == (int(FINENESS * apart(held, released)), len(held))


def apart(held: list[tuple[int, int]], released: list[tuple[int, int]]) -> Fraction:
    """n times the distance, from its definition."""
    if not released:
        return Fraction(len(held))
    found = Fraction(0)
    bucket = [*SCHEMA.columns[1].bucket_map.tolist()]
    for cell in {(sex, bucket[age]) for sex, age in (*held, *released)}:
        one = sum((sex, bucket[age]) == cell for sex, age in held)
        other = Fraction(sum((sex, bucket[age]) == cell for sex, age in released), len(released))
        found += abs(one - len(held) * other)
    return found / 2


@given(TABLES, TABLES, st.tuples(st.integers(0, 2), st.integers(0, 6)))
def test_one_record_more_moves_all_numbers_by_no_more_than_is_paid_for(
    held: list[tuple[int, int]], released: list[tuple[int, int]], more: tuple[int, int]
) -> None:
    before, after = exact(held, released), exact([*held, more], released)
    lost = sum(
        Fraction(abs(one - other)) / Fraction(scale)
        for pairs in zip(before, after, scales(ASKED, SCHEMA), strict=True)
        for one, other, scale in zip(*pairs, strict=True)
    )
    assert lost <= Fraction(cost(ASKED).epsilon)


def test_what_a_test_costs_is_its_epsilon() -> None:
    assert cost(ASKED) == Budget(0.6)
    assert ASKED.of_each == pytest.approx(0.2)


def test_limits_are_kept_for_sure_broken_for_sure_or_cannot_be_told() -> None:
    rows = [(place % 3, place % 6) for place in range(3000)]
    tally = Tally.begun(ASKED, SCHEMA)
    for part in (rows[:1000], rows[1000:]):
        tally.add(records(part).codes)
    assert tally.rows == 3000
    numbers = [list(each) for each in exact(rows, rows)]
    found = answers(ASKED, SCHEMA, numbers, tally)
    assert [each.verdict for each in found] == ["passed"] * 3
    share, mean, distance = found
    assert share.released == pytest.approx(2 / 3)
    assert mean.released == pytest.approx(15.0)
    assert mean.found.low < 15.0 < mean.found.high
    assert distance.released is None
    assert distance.chance is not None
    off = [[numbers[0][0] - 900, numbers[0][1] + 900], numbers[1], [FINENESS * 1200, 3000]]
    found = answers(ASKED, SCHEMA, off, tally)
    assert [each.verdict for each in found] == ["failed", "passed", "failed"]
    vague = ASKED.model_copy(update={"epsilon": 0.001})
    assert {each.verdict for each in answers(vague, SCHEMA, numbers, tally)} == {"open"}
    assert noisy_numbers(as_figures(ASKED, SCHEMA, numbers, tally)) == numbers


def test_with_nothing_released_all_records_are_off() -> None:
    tally = Tally.begun(ASKED, SCHEMA)
    rows = [(0, 0)] * 400
    tables = of_records(ASKED, Rows.of(records(rows)))
    numbers = [
        list(pair_of(each, SCHEMA, ours, theirs))
        for each, ours, theirs in zip(ASKED.statistics, tables, tally.tables, strict=True)
    ]
    found = answers(ASKED, SCHEMA, numbers, tally)
    assert [each.verdict for each in found] == ["failed"] * 3
    assert found[2].found.estimate == 1.0


@pytest.mark.parametrize(
    ("statistic", "said"),
    [
        (ShareOf(column="sexe", values=("f",)), "no column"),
        (ShareOf(column="sex", values=("q",)), "is none of"),
        (ShareOf(column="sex", values=("f", "m", "x")), "all records"),
        (MeanOf(column="sex"), "no numbers"),
        (DistanceOf(columns=("sex", "sex")), "to itself"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    statistic: ShareOf | MeanOf | DistanceOf, said: str
) -> None:
    with pytest.raises(Refusal) as refused:
        AcceptanceTest(epsilon=1.0, statistics=(statistic,)).check(SCHEMA)
    assert said in refused.value.problem
    assert "q" not in refused.value.problem.split()
