"""Newcombe's intervals: the tables he printed, scipy for Wilson's, and how often they hold. The
same for several things on two cores.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest

from tests.engine.evaluation.builders import rows_of, shares, tables
from understudy.core.refusal import Refusal
from understudy.core.threads import Meanwhile, map_at_once
from understudy.evaluation import intervals
from understudy.evaluation.cells import Sides, renumber_cells
from understudy.evaluation.intervals import (
    BLOCKS,
    advantage,
    block_jackknife,
    clopper_pearson,
    cut_to_range,
    deal,
    half_samples,
    hull,
    one_group,
    two_groups,
    wilson,
)
from understudy.evaluation.measure import LEVEL, Interval
from understudy.table.records import Records

COUNTS = st.integers(0, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS)
def test_clopper_pearson_is_the_exact_interval(counts: tuple[int, int]) -> None:
    successes, trials = counts
    found = clopper_pearson(successes, trials)
    if not trials:
        assert found == Interval(0, 1)
        return
    theirs = stats.binomtest(successes, trials).proportion_ci(LEVEL, "exact")
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_another_level_is_another_interval() -> None:
    theirs = stats.binomtest(7, 50).proportion_ci(0.8, "exact")
    found = clopper_pearson(7, 50, level=0.8)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("chance", [0.01, 0.3, 0.5, 0.98])
def test_clopper_pearson_covers_as_often_as_it_says(chance: float) -> None:
    found = [clopper_pearson(each, 40) for each in range(41)]
    held = [each.low <= chance <= each.high for each in found]
    assert stats.binom.pmf(np.arange(41), 40, chance) @ held >= LEVEL


@given(COUNTS)
def test_an_advantage_is_within_what_its_accuracy_allows(counts: tuple[int, int]) -> None:
    right = clopper_pearson(*counts)
    grid = 2 * np.abs(np.append(np.linspace(right.low, right.high, 20_001), [right.low]) - 0.5)
    found = advantage(*counts)
    assert found.low == pytest.approx(grid.min(), abs=1e-4)
    assert found.high == pytest.approx(grid.max(), abs=1e-9)


def test_guessing_has_no_advantage() -> None:
    assert advantage(52, 100).low == 0
    assert advantage(90, 100).low > 0.5
    assert advantage(10, 100) == advantage(90, 100)


def test_leaving_one_out_of_a_mean_gives_its_standard_error() -> None:
    values = np.random.default_rng(1).normal(3, 2, 40)
    without = (values.sum() - values) / 39
    error = values.std(ddof=1) / np.sqrt(40)
    found = block_jackknife(float(values.mean()), without)
    reach = stats.norm.ppf((1 + LEVEL) / 2) * error
    assert found.low == pytest.approx(values.mean() - reach)
    assert found.high == pytest.approx(values.mean() + reach)


def test_the_block_jackknife_of_a_ratio_covers_it() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(300):
        x, y = rng.gamma(3, size=400), rng.gamma(2, size=400)
        block = deal(400, rng)
        sums = np.array([[each[block != b].sum() for b in range(BLOCKS)] for each in (x, y)])
        found = block_jackknife(float(x.sum() / y.sum()), sums[0] / sums[1])
        held += found.low <= 1.5 <= found.high
    # 20 blocks and the normal quantile: a little below 0.95.
    assert 0.90 <= held / 300 <= 0.97


def test_halves_of_a_mean_vary_as_the_mean_does() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=1_000)
    halves = np.array([values[deal(1_000, rng, 2) == 0].mean() for _ in range(2_000)])
    found = half_samples(float(values.mean()), halves)
    reach = stats.norm.ppf((1 + LEVEL) / 2) * values.std(ddof=1) / np.sqrt(1_000)
    assert found.high - values.mean() == pytest.approx(reach, rel=0.05)
    assert values.mean() - found.low == pytest.approx(reach, rel=0.05)


def test_a_mean_has_students_interval() -> None:
    values = np.array([0.1, 0.4, 0.2, 0.9])
    found = intervals.mean(values)
    theirs = stats.t.interval(LEVEL, 3, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx(theirs)


def test_an_interval_is_cut_to_the_range() -> None:
    assert cut_to_range(Interval(-0.2, 1.3), 0, 1) == Interval(0, 1)
    assert cut_to_range(Interval(0.2, 0.3), 0, 1) == Interval(0.2, 0.3)
    assert cut_to_range(Interval(-2, -1), 0, 1) == Interval(0, 0)


def test_a_hull_holds_both() -> None:
    assert hull(Interval(1, 3), Interval(2, 4)) == Interval(1, 4)
    assert hull(Interval(2, 3), Interval(1, 4)) == Interval(1, 4)


@given(st.integers(2, 300), st.integers(2, 25))
def test_blocks_are_dealt_evenly(count: int, blocks: int) -> None:
    dealt = deal(count, np.random.default_rng(count), blocks)
    sizes = np.bincount(dealt, minlength=blocks)
    assert len(dealt) == count
    assert len(sizes) == blocks
    assert sizes.max() - sizes.min() <= 1


def test_blocks_are_dealt_at_random() -> None:
    dealt = deal(1_000, np.random.default_rng(1), 4)
    assert not np.array_equal(dealt, np.sort(dealt))
    assert not np.array_equal(dealt, np.arange(1_000) % 4)


PAIRED = [
    # Both, the first only, the second only, neither; Newcombe (1998), Table III, method 10.
    ((36, 12, 2, 0), (0.0569, 0.3404)),
    ((20, 12, 2, 16), (0.0562, 0.3292)),
    ((18, 12, 2, 18), (0.0562, 0.3290)),
    ((36, 14, 0, 0), (0.1528, 0.4167)),
    ((35, 14, 0, 1), (0.1461, 0.4175)),
    ((18, 14, 0, 18), (0.1441, 0.3963)),
    ((2, 97, 1, 0), (0.8721, 0.9854)),
    ((1, 97, 1, 1), (0.8736, 0.9850)),
    ((0, 29, 1, 0), (0.6666, 0.9882)),
    ((2, 98, 0, 0), (0.9178, 0.9945)),
    ((1, 98, 0, 1), (0.9171, 0.9916)),
    ((0, 30, 0, 0), (0.8395, 1.0)),
    ((54, 0, 0, 0), (-0.0664, 0.0664)),
]

GROUPS = [
    # Newcombe (1998), the other paper, Table II, method 10.
    ((56, 70, 48, 80), (0.0524, 0.3339)),
    ((9, 10, 3, 10), (0.1705, 0.8090)),
    ((5, 56, 0, 29), (-0.0381, 0.1926)),
    ((10, 10, 0, 10), (0.6075, 1.0)),
]


@pytest.mark.parametrize(("counts", "ends"), PAIRED)
def test_one_group_as_printed(counts: tuple[int, ...], ends: tuple[float, float]) -> None:
    found = one_group(*counts)
    # In one row the last place that is printed is one too small.
    assert (found.low, found.high) == pytest.approx(ends, abs=1.1e-4)


@pytest.mark.parametrize(("counts", "ends"), GROUPS)
def test_two_groups_as_printed(counts: tuple[int, ...], ends: tuple[float, float]) -> None:
    found = two_groups(*counts)
    assert (found.low, found.high) == pytest.approx(ends, abs=6e-5)


@pytest.mark.parametrize(("successes", "trials"), [(0, 7), (7, 7), (3, 10), (999, 10_000)])
def test_wilson_is_scipys(successes: int, trials: int) -> None:
    ours, theirs = (
        wilson(successes, trials),
        binomtest(successes, trials).proportion_ci(method="wilson"),
    )
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_of_nothing_nothing_is_known() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0, 1)
    for found in (two_groups(0, 0, 1, 2), two_groups(1, 2, 0, 0), one_group(0, 0, 0, 0)):
        assert (found.low, found.high) == (-1, 1)


def test_they_turn_round_with_the_groups() -> None:
    one, other = two_groups(7, 20, 3, 30), two_groups(3, 30, 7, 20)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_they_hold_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    chances = np.array([0.05, 0.1, 0.03, 0.82])
    held = [
        found.low <= 0.07 <= found.high
        for counts in rng.multinomial(200, chances, 600)
        for found in [one_group(*counts.tolist())]
    ]
    assert 0.92 < np.mean(held) < 0.98


@given(tables(fewest=6), st.data())
def test_shares_are_those_of_counting(pair: tuple[Records, Records], data: st.DataObject) -> None:
    table, held_out = pair
    columns = data.draw(st.permutations(range(len(table.schema))))
    columns = columns[: data.draw(st.integers(1, len(columns)))]
    blocks = data.draw(st.sampled_from([0, 2, 5]))
    rng = np.random.default_rng(1)
    dealt = deal(len(table), rng, blocks or 2), deal(len(held_out), rng, blocks or 2)
    found = Sides.of(table, held_out, dealt if blocks else None).shares(columns)
    assert found.domain == np.prod(table.schema.cardinalities[columns])
    assert found.table.shape == found.held_out.shape
    assert len(found.table) == 1 + blocks
    for row in range(1 + blocks):
        kept = [block != row - 1 if row else np.full(len(block), True) for block in dealt]
        slow = [
            shares(rows_of(each.take(rows)), columns) for each, rows in zip(pair, kept, strict=True)
        ]
        wanted = [(slow[0].get(cell, 0.0), slow[1].get(cell, 0.0)) for cell in slow[0] | slow[1]]
        quick = zip(found.table[row], found.held_out[row], strict=True)
        # A cell whose records were all in the block that is left out has shares of 0.
        np.testing.assert_allclose(
            sorted(each for each in quick if any(each)), sorted(wanted), rtol=1e-12
        )


def test_cells_beyond_64_bits_are_told_apart() -> None:
    size = 2**20
    codes = np.zeros((5, 4), dtype=np.int64)
    codes[:, 2], codes[:, 3] = size - 1, size - 1
    # The first two differ in the leading column only, which 64 bits would lose.
    codes[0, 0] = 1
    sides = Sides((size,) * 5, codes, 2, np.zeros(4, dtype=np.int64), 0)
    found = sides.shares(range(5))
    assert found.domain == size**5
    assert sorted(zip(found.table[0], found.held_out[0], strict=True)) == [
        (0, 1),
        (0.5, 0),
        (0.5, 0),
    ]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=30), st.booleans())
def test_gaps_are_closed(numbers: list[int], small: bool) -> None:
    cell = np.array(numbers, dtype=np.int64) // (10**5 if small else 1)
    number, occurring = renumber_cells(cell, int(cell.max()) + 1)
    values = sorted(set(cell.tolist()))
    assert occurring == len(values)
    assert [values[each] for each in number] == cell.tolist()


@given(st.lists(st.integers()))
def test_answers_come_in_the_order_of_the_things(things: list[int]) -> None:
    assert map_at_once(lambda each: each * each, things) == [each * each for each in things]


def test_two_are_looked_at_at_once() -> None:
    """Neither is done before the other has begun."""
    both = threading.Barrier(2, timeout=30)

    def met(thing: int) -> int:
        both.wait()
        return thing

    assert map_at_once(met, [1, 2]) == [1, 2]


def test_an_error_is_passed_on() -> None:
    with pytest.raises(ZeroDivisionError):
        map_at_once(lambda each: 1 // each, [1, 0, 2])


def test_other_work_goes_on_until_what_is_made_meanwhile_is_looked_at() -> None:
    other_work_done = threading.Event()

    def make() -> dict[str, int]:
        assert other_work_done.wait(30)
        return {"one": 1, "two": 2}

    made = Meanwhile(make)
    other_work_done.set()
    assert dict(made) == {"one": 1, "two": 2}
    assert len(made) == 2
    assert "three" not in made


def test_an_error_of_what_is_made_meanwhile_is_raised_where_that_is_looked_at() -> None:
    def fail() -> dict[str, int]:
        raise Refusal("It cannot be made.", "Make something else.")

    made = Meanwhile(fail)
    for look in (len, list, lambda each: each["one"]):
        with pytest.raises(Refusal, match="cannot be made"):
            look(made)
