"""The pass coin's table against the tails of both laws, and the inequalities the proofs need."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.plausibility.threshold import (
    FINEST_DELTA,
    NEVER,
    SMALLEST_EPSILON0,
    TABLE_ROUNDING,
    PassCoin,
    ThresholdNoise,
    capped_away,
)
from understudy.privacy.randomness import RandomSource

ONE = 1 << 128
EXACT = Context(prec=160)

NOISES: tuple[ThresholdNoise, ...] = ("laplace", "geometric")
noises = st.sampled_from(NOISES)
both = pytest.mark.parametrize("noise", NOISES)

epsilons = st.one_of(
    st.sampled_from([0.5, 1.0, math.log(2), 3.0, 50.0, 400.0, 1e6]),
    st.floats(0.02, 20.0, allow_subnormal=False),
)


def growth(epsilon0: float) -> Decimal:
    """e^{ε0}, to far more digits than the table has."""
    return EXACT.exp(Decimal(epsilon0))


def window(epsilon0: float) -> int:
    """How far from k the table can reach: beyond, the tail is under 2^−128."""
    return math.ceil(130 * math.log(2) / epsilon0) + 2


def below(noise: ThresholdNoise, epsilon0: float, distance: int) -> Decimal:
    """Pr{Z ≤ −distance}, distance 1 or more, summed from the law's own definition."""
    with localcontext(EXACT):
        alpha = Decimal(-epsilon0).exp()
        if noise == "laplace":
            return alpha**distance / 2
        # Σ over i ≥ distance of (1 − α)/(1 + α)·α^i.
        return (1 - alpha) / (1 + alpha) * alpha**distance / (1 - alpha)


def assert_well_behaved(coin: PassCoin, score: int, factor: Decimal) -> None:
    """Definition 3.2 between score and score + 1, on the table's own integers."""
    low, high = coin.threshold(score), coin.threshold(score + 1)
    assert 0 < low <= high < ONE
    assert high <= EXACT.multiply(Decimal(low), factor)
    assert ONE - low <= EXACT.multiply(Decimal(ONE - high), factor)


@given(noise=noises, epsilon0=epsilons, k=st.integers(1, 1000), data=st.data())
def test_well_behaved_exactly(
    noise: ThresholdNoise, epsilon0: float, k: int, data: st.DataObject
) -> None:
    coin, factor, reach = PassCoin(k, epsilon0, noise), growth(epsilon0), window(epsilon0)
    scores = data.draw(st.lists(st.integers(k - reach, k + reach), max_size=40))
    for score in {*scores, k - 2, k - 1, k, k + 1, k - reach, k + reach}:
        assert_well_behaved(coin, score, factor)


@given(noise=noises, epsilon0=epsilons, k=st.integers(1, 1000), data=st.data())
def test_table_is_the_tail_of_the_law_to_the_last_units(
    noise: ThresholdNoise, epsilon0: float, k: int, data: st.DataObject
) -> None:
    coin, reach = PassCoin(k, epsilon0, noise), window(epsilon0)
    distances = {1, 2, reach, *data.draw(st.lists(st.integers(1, reach), max_size=40))}
    mirror = 2 * k if noise == "laplace" else 2 * k - 1
    with localcontext(EXACT):
        rounding = 1 / (1 - Decimal(-epsilon0).exp()) + 1
        for distance in distances:
            tail = below(noise, epsilon0, distance) * ONE
            found = coin.threshold(k - distance)
            assert tail <= found < tail + rounding
            assert coin.threshold(mirror - (k - distance)) == ONE - found


@both
@pytest.mark.parametrize("epsilon0", [1.0, 0.25, 7.0])
def test_every_entry_of_whole_tables(noise: ThresholdNoise, epsilon0: float) -> None:
    coin, factor = PassCoin(60, epsilon0, noise), growth(epsilon0)
    for score in range(60 - window(epsilon0), 60 + window(epsilon0)):
        assert_well_behaved(coin, score, factor)


@both
@pytest.mark.parametrize("epsilon0", [0.001, 0.004])
def test_a_wide_table(noise: ThresholdNoise, epsilon0: float) -> None:
    k = 50_000
    coin, factor, reach = PassCoin(k, epsilon0, noise), growth(epsilon0), window(epsilon0)
    for score in [*range(k - 3, k + 3), *range(k - reach, k + reach, 997)]:
        assert_well_behaved(coin, score, factor)


@both
@pytest.mark.parametrize("epsilon0", [0.002, 0.05, 1.0, 30.0])
def test_no_pass_probability_is_above_its_law_by_more_than_is_said(
    noise: ThresholdNoise, epsilon0: float
) -> None:
    k = window(epsilon0) + 5
    coin = PassCoin(k, epsilon0, noise)
    with localcontext(EXACT):
        for t in {*range(1, k, max(1, k // 300)), k - 1}:
            law = below(noise, epsilon0, k - t)
            assert Decimal(coin.threshold(t)) / ONE <= law + Decimal(TABLE_ROUNDING)


def test_the_rounding_of_the_widest_table() -> None:
    with localcontext(EXACT):
        units = 1 / (1 - Decimal(-SMALLEST_EPSILON0).exp())
        assert units / ONE < Decimal(TABLE_ROUNDING)
    assert TABLE_ROUNDING < FINEST_DELTA / 10_000


def test_half_of_the_candidates_pass_at_k() -> None:
    assert PassCoin(50, 1.0).threshold(50) == ONE // 2
    scores = np.full(20_000, 50, dtype=np.int64)
    passed = PassCoin(50, 1.0).decide(scores, RandomSource.fixed(3))
    assert abs(passed.mean() - 0.5) < 0.02


def test_whole_noise_favours_k_itself() -> None:
    """Pr{Z ≤ 0} and Pr{Z ≤ −1} of the two-sided geometric law, α = ½."""
    coin = PassCoin(50, math.log(2), "geometric")
    assert coin.probability(np.array([50, 49])).tolist() == pytest.approx([2 / 3, 1 / 3])
    assert abs(Fraction(coin.threshold(50), ONE) - Fraction(2, 3)) < Fraction(1, 10**15)


@both
def test_decisions_follow_the_closed_form(noise: ThresholdNoise) -> None:
    coin = PassCoin(20, 0.4, noise)
    scores = np.repeat(np.arange(1, 40), 5_000)
    passed = coin.decide(scores, RandomSource.fixed(8)).reshape(39, -1).mean(axis=1)
    expected = coin.probability(np.arange(1, 40))
    np.testing.assert_allclose(passed, expected, atol=5 * math.sqrt(0.25 / 5_000))


@given(
    noise=noises,
    epsilon0=st.floats(0.01, 30),
    k=st.integers(1, 10**6),
    score=st.integers(0, 2 * 10**6),
)
def test_closed_form_is_the_table(
    noise: ThresholdNoise, epsilon0: float, k: int, score: int
) -> None:
    coin = PassCoin(k, epsilon0, noise)
    for near in (score, k - 1, k, k + 1):
        (probability,) = coin.probability(np.array([near]))
        assert probability == pytest.approx(coin.threshold(near) / ONE, rel=1e-9, abs=1e-35)


class Scripted:
    """A source that hands out the words it was given."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count: int) -> np.ndarray:
        drawn, self.left = self.left[:count], self.left[count:]
        assert len(drawn) == count
        return np.array(drawn, dtype=np.uint64)


@both
@pytest.mark.parametrize("score", [40, 49, 50, 51, 60])
def test_the_coin_is_exact_to_the_last_unit(noise: ThresholdNoise, score: int) -> None:
    coin = PassCoin(50, 0.7, noise)
    threshold = coin.threshold(score)
    for drawn, passes in ((threshold - 1, True), (threshold, False), (0, True), (ONE - 1, False)):
        first, second = divmod(drawn, 1 << 64)
        is_open = first == threshold >> 64
        source = Scripted(first, second) if is_open else Scripted(first)
        assert coin.decide(np.array([score]), source).tolist() == [passes]
        assert not source.left


def test_only_the_open_candidates_take_a_second_word() -> None:
    coin = PassCoin(50, 0.7)
    low, high = coin.threshold(45), coin.threshold(47)
    source = Scripted(low >> 64, 0, high >> 64, (1 << 64) - 1, (low - 1) % (1 << 64), high % 2**64)
    passed = coin.decide(np.array([45, 45, 47, 47]), source)
    assert passed.tolist() == [True, True, False, False]
    assert not source.left


@both
def test_scores_far_outside_the_table(noise: ThresholdNoise) -> None:
    coin = PassCoin(50, 1.0, noise)
    scores = np.array([-(2**62), 0, 10**6, 2**62])
    assert coin.decide(scores, RandomSource.fixed(1)).tolist() == [False, False, True, True]
    tail = float(below(noise, 1.0, 50))
    assert coin.probability(scores).tolist() == pytest.approx([0, tail, 1, 1])


def test_no_candidates() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert PassCoin(50, 1.0).decide(nothing, RandomSource.fixed(1)).size == 0


@both
def test_without_noise_the_threshold_is_k_itself(noise: ThresholdNoise) -> None:
    coin, scores = PassCoin(3, None, noise), np.array([0, 2, 3, 4])
    assert coin.decide(scores, RandomSource.fixed(1)).tolist() == [False, False, True, True]
    assert coin.probability(scores).tolist() == [0, 0, 1, 1]
    assert [coin.threshold(score) for score in (2, 3)] == [0, ONE]


@pytest.mark.parametrize("epsilon0", [0.0, 1e-9, -1.0, math.nan])
def test_no_table_for_an_epsilon0_too_small(epsilon0: float) -> None:
    with pytest.raises(ValueError, match="ε0"):
        PassCoin(50, epsilon0)


class Unending(Scripted):
    """A source that hands out its words in turn, and the last one for ever."""

    def words(self, count: int) -> np.ndarray:
        drawn = [self.left.pop(0) if len(self.left) > 1 else self.left[0] for _ in range(count)]
        return np.array(drawn, dtype=np.uint64)


@given(
    noise=noises,
    epsilon0=st.sampled_from([0.3, 1.0, 7.0, 50.0]),
    k=st.integers(1, 200),
    near=st.integers(0, 400),
    step=st.integers(-2, 2),
    second=st.integers(0, 2**64 - 1),
)
def test_the_least_score_is_where_the_coin_turns(
    noise: ThresholdNoise, epsilon0: float, k: int, near: int, step: int, second: int
) -> None:
    """Of words at and beside the table's own entries, the same ones decide every score alike."""
    coin = PassCoin(k, epsilon0, noise)
    first = min(2**64 - 1, max(0, (coin.threshold(near) >> 64) + step))
    for other in (second, (coin.threshold(near) - 1) % 2**64, coin.threshold(near) % 2**64):
        (least,) = coin.least(1, Unending(first, other))
        for score in (*range(max(0, near - 3), near + 4), 0, 1, k, 10**9):
            (passes,) = coin.decide(np.array([score]), Unending(first, other))
            assert passes == (score >= least)


@both
@pytest.mark.parametrize("epsilon0", [0.9, 40.0])
def test_a_least_score_is_drawn_with_exactly_the_probability_of_the_table(
    noise: ThresholdNoise, epsilon0: float
) -> None:
    """It is at most s for the T(s) smallest of the 2^128 pairs of words, and for no other."""
    coin = PassCoin(30, epsilon0, noise)
    for score in range(150):
        for drawn, reached in ((coin.threshold(score) - 1, True), (coin.threshold(score), False)):
            (least,) = coin.least(1, Unending(*divmod(drawn, 1 << 64)))
            assert (score >= least) is np.bool_(reached)


@both
def test_the_least_scores_of_many_are_each_ones_own(noise: ThresholdNoise) -> None:
    coin = PassCoin(50, 0.7, noise)
    words = [coin.threshold(score) >> 64 for score in (44, 50, 61)] + [0, 2**64 - 1]
    drawn = coin.least(5, Scripted(*words, *[2**64 - 1] * 5))
    assert drawn.tolist() == [45, 51 - (noise == "laplace" and 0), 62, 0, NEVER]


def test_without_noise_the_least_score_is_k_and_nothing_is_drawn() -> None:
    assert PassCoin(7, None).least(3, Scripted()).tolist() == [7, 7, 7]


def test_least_scores_follow_the_closed_form() -> None:
    coin = PassCoin(20, 0.4)
    least = coin.least(20_000, RandomSource.fixed(8))
    for score in range(1, 40):
        expected = coin.probability(np.array([score]))[0]
        assert abs((least <= score).mean() - expected) < 5 * math.sqrt(0.25 / 20_000)


@pytest.mark.parametrize(
    ("cap", "word", "away"),
    [
        (0.0, 0, False),
        (0.5, 2**63 + 4095, True),
        (0.5, 2**63 + 4096, False),
        (1.0, 2**64 - 2, True),
        (1e-30, 4095, True),
    ],
)
def test_the_pass_cap_is_a_word_below_its_share(cap: float, word: int, away: bool) -> None:
    assert capped_away(cap, 1, Scripted(word)).tolist() == [away]
