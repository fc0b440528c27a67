from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from understudy.evaluation import intervals
from understudy.evaluation.intervals import (
    BLOCKS,
    advantage,
    block_jackknife,
    clopper_pearson,
    deal,
    half_samples,
    hull,
    within,
)
from understudy.evaluation.measure import LEVEL, Interval

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
    assert within(Interval(-0.2, 1.3), 0, 1) == Interval(0, 1)
    assert within(Interval(0.2, 0.3), 0, 1) == Interval(0.2, 0.3)
    assert within(Interval(-2, -1), 0, 1) == Interval(0, 0)


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
