"""The two whole numbers of every statistic, against slow definitions of what they are. What an
acceptance test can be asked. Intervals hold what they are about as often as they say.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.acceptance import statistics
from understudy.acceptance.intervals import beyond, explain_noise, explains
from understudy.acceptance.measurement import (
    FINENESS,
    ReleasedTally,
    of_records,
    pair_of,
    price_test,
    scales,
)
from understudy.acceptance.outcome import answers, as_figures, noisy_numbers
from understudy.acceptance.statistics import (
    MOST_STATISTICS,
    AcceptanceTest,
    DistanceOf,
    MeanOf,
    ShareOf,
    Statistic,
)
from understudy.core.refusal import Refusal
from understudy.models.views import Rows
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
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
    assert lost <= Fraction(price_test(ASKED).epsilon)


def test_what_a_test_costs_is_its_epsilon() -> None:
    assert price_test(ASKED) == Budget(0.6)
    assert ASKED.of_each == pytest.approx(0.2)


def test_limits_are_kept_for_sure_broken_for_sure_or_cannot_be_told() -> None:
    rows = [(place % 3, place % 6) for place in range(3000)]
    tally = ReleasedTally.start(ASKED, SCHEMA)
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
    tally = ReleasedTally.start(ASKED, SCHEMA)
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


def test_one_statistic_is_enough_and_no_more_than_are_told_apart() -> None:
    one = ShareOf(column="c0", values=("v0",), limit=1.0)
    for many in (1, MOST_STATISTICS):
        AcceptanceTest(epsilon=1.0, statistics=(one,) * many).check(category_schema(2, 3))
    for many in (0, MOST_STATISTICS + 1):
        with pytest.raises(Refusal):
            AcceptanceTest(epsilon=1.0, statistics=(one,) * many)


@pytest.mark.parametrize("limit", [0.0, -0.1, 1.01])
def test_a_limit_that_nothing_or_everything_passes_is_refused(limit: float) -> None:
    with pytest.raises(Refusal):
        ShareOf(column="c0", values=("v0",), limit=limit)


@pytest.mark.parametrize("numbers", [1, 2])
def test_a_mean_is_of_two_numbers_or_more(numbers: int) -> None:
    domain = Grid(minimum=Decimal(1), maximum=Decimal(numbers))
    beside = Column(name="kind", domain=Categories(values=("a", "b")))
    schema = Schema(columns=(Column(name="age", domain=domain), beside))
    if numbers == 2:
        MeanOf(column="age").check(schema)
        return
    with pytest.raises(Refusal, match="no numbers"):
        MeanOf(column="age").check(schema)


def test_a_distance_is_of_no_more_pairs_than_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = category_schema(3, 4)
    distance: Statistic = DistanceOf(columns=("c0", "c1"))
    monkeypatch.setattr(statistics, "MOST_CELLS", 12)
    distance.check(schema)
    monkeypatch.setattr(statistics, "MOST_CELLS", 11)
    with pytest.raises(Refusal, match="11 pairs"):
        distance.check(schema)


CASES = {
    "share": ((300, 1700), (10.0, 10.0), 0.15, False),
    "rare": ((4, 1996), (10.0, 10.0), 0.002, False),
    "mean": ((5_300, 10_500), (63.0, 63.0), 53 / 158, False),
    "distance": ((1613, 1000), (2 * FINENESS / 0.2, 10.0), 0.1008, True),
}
"""The true numbers, the scales of their noise, the true value, and whether it is a distance."""


@given(
    st.floats(0.1, 9.0),
    st.tuples(st.floats(0.0, 1.0), st.floats(0.01, 3.0)),
    st.tuples(st.floats(0.2, 3.0), st.floats(0.2, 3.0)),
)
def test_the_law_of_two_noises_is_that_of_their_outcomes(
    away: float, weights: tuple[float, float], scales: tuple[float, float]
) -> None:
    reach = np.arange(-150, 151)
    laws = []
    for scale in scales:
        law = np.exp(-np.abs(reach) / scale)
        laws.append(law / law.sum())
    apart = np.abs(weights[0] * reach[:, None] - weights[1] * reach)
    oracle = [float(np.outer(*laws)[apart >= at].sum()) for at in (away - 1e-6, away + 1e-6)]
    found = beyond(away, weights, scales)
    assert oracle[1] - 1e-9 <= found <= oracle[0] + 1e-9


def test_a_wide_law_is_computed_on_a_coarser_lattice_and_stays_what_it_is() -> None:
    for away in (100.0, 700.0, 2000.0):
        exact = 2 * math.exp(-math.ceil(away) / 500) / (1 + math.exp(-1 / 500))
        assert beyond(away, (1.0, 0.0), (500.0, 1.0)) == pytest.approx(exact, rel=0.01)


def _noisy(name: str, times: int) -> list[tuple[int, int]]:
    numbers, scales, *_ = CASES[name]
    noise = Noise(RandomSource.fixed(2026))
    drawn = [
        noise.integers(np.full(times, number, dtype=np.int64), scale)
        for number, scale in zip(numbers, scales, strict=True)
    ]
    return list(zip(*(each.tolist() for each in drawn), strict=True))


@pytest.mark.parametrize("name", ["share", "mean", "distance"])
def test_the_true_value_is_explained_as_often_as_is_said(name: str) -> None:
    _, scales, true, distance = CASES[name]
    held = [explains(true, each, scales, 0.95, distance=distance) for each in _noisy(name, 1000)]
    # Two standard deviations of a share of 1,000 are 1.4 of 100; the noise here is a fixed one.
    assert np.mean(held) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("name", CASES)
def test_an_interval_is_made_of_all_values_that_are_explained(name: str) -> None:
    _, scales, true, distance = CASES[name]
    for numbers in _noisy(name, 6):
        found = explain_noise(numbers, scales, 0.95, distance=distance)
        assert 0 <= found.low <= found.estimate <= found.high <= 1
        for value, inside in product(np.linspace(0, 1, 41).tolist(), [True]):
            if explains(value, numbers, scales, 0.95, distance=distance) is inside:
                assert found.low <= value <= found.high
        if explains(true, numbers, scales, 0.95, distance=distance):
            assert found.low <= true <= found.high
        for edge in (found.low, found.high):
            if 0 < edge < 1:
                beyond_it = edge + (1e-6 if edge == found.high else -1e-6)
                assert not explains(beyond_it, numbers, scales, 0.95, distance=distance)


@pytest.mark.thorough("test_the_true_value_is_explained_as_often_as_is_said")
@pytest.mark.parametrize("name", CASES)
def test_a_thousand_intervals_hold_the_true_value_as_often_as_they_say(name: str) -> None:
    _, scales, true, distance = CASES[name]
    held = 0
    for numbers in _noisy(name, 1000):
        found = explain_noise(numbers, scales, 0.95, distance=distance)
        held += found.low <= true <= found.high
    assert held / 1000 >= 0.94
    if name != "rare":
        # Near 0 a count below 0 counts as 0, which is on the safe side.
        assert held / 1000 <= 0.96


def test_nothing_is_known_where_there_is_nothing_but_noise() -> None:
    found = explain_noise((-5, -3), (10.0, 10.0), 0.95)
    assert (found.low, found.high) == (0.0, 1.0)
