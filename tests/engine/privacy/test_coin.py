"""The pass coin's table against the Laplace tail, and the inequalities the proof needs."""

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.privacy.coin import FINEST_DELTA, SMALLEST_EPSILON0, PassCoin
from engine.privacy.guarantee import plausible_deniability
from engine.privacy.randomness import RandomSource

ONE = 1 << 128
EXACT = Context(prec=160)

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


def assert_well_behaved(coin: PassCoin, score: int, factor: Decimal) -> None:
    """Definition 3.2 between score and score + 1, on the table's own integers."""
    low, high = coin.threshold(score), coin.threshold(score + 1)
    assert 0 < low <= high < ONE
    assert high <= EXACT.multiply(Decimal(low), factor)
    assert ONE - low <= EXACT.multiply(Decimal(ONE - high), factor)


@given(epsilon0=epsilons, k=st.integers(1, 1000), data=st.data())
@settings(max_examples=100, deadline=None)
def test_well_behaved_exactly(epsilon0: float, k: int, data: st.DataObject) -> None:
    coin, factor, reach = PassCoin(k, epsilon0), growth(epsilon0), window(epsilon0)
    scores = data.draw(st.lists(st.integers(k - reach, k + reach), max_size=40))
    for score in {*scores, k - 2, k - 1, k, k + 1, k - reach, k + reach}:
        assert_well_behaved(coin, score, factor)


@given(epsilon0=epsilons, k=st.integers(1, 1000), data=st.data())
@settings(max_examples=100, deadline=None)
def test_table_is_the_laplace_tail_to_the_last_units(
    epsilon0: float, k: int, data: st.DataObject
) -> None:
    coin, reach = PassCoin(k, epsilon0), window(epsilon0)
    distances = {0, 1, reach, *data.draw(st.lists(st.integers(0, reach), max_size=40))}
    with localcontext(EXACT):
        rounding = 1 / (1 - Decimal(-epsilon0).exp()) + 1
        for distance in distances:
            tail = (Decimal(-epsilon0) * distance).exp() * (ONE >> 1)
            below, above = coin.threshold(k - distance), coin.threshold(k + distance)
            assert tail <= below < tail + rounding
            assert above == ONE - below


@pytest.mark.parametrize("epsilon0", [1.0, 0.25, 7.0])
def test_every_entry_of_whole_tables(epsilon0: float) -> None:
    coin, factor = PassCoin(60, epsilon0), growth(epsilon0)
    for score in range(60 - window(epsilon0), 60 + window(epsilon0)):
        assert_well_behaved(coin, score, factor)


@pytest.mark.parametrize("epsilon0", [0.001, 0.004])
def test_a_wide_table(epsilon0: float) -> None:
    k = 50_000
    coin, factor, reach = PassCoin(k, epsilon0), growth(epsilon0), window(epsilon0)
    for score in [*range(k - 3, k + 3), *range(k - reach, k + reach, 997)]:
        assert_well_behaved(coin, score, factor)


@pytest.mark.parametrize("epsilon0", [0.002, 0.05, 1.0, 30.0])
def test_the_stated_delta_covers_the_table(epsilon0: float) -> None:
    k = window(epsilon0) + 5
    for t in {*range(1, k, max(1, k // 300)), k - 1}:
        stated = plausible_deniability(k=k, gamma=4.0, epsilon0=epsilon0, t=t).delta
        assert Fraction(PassCoin(k, epsilon0).threshold(t), ONE) <= Fraction(stated)


def test_rounding_of_the_widest_table_stays_under_the_finest_delta() -> None:
    units = 1 / (1 - math.exp(-SMALLEST_EPSILON0))
    assert units / ONE < FINEST_DELTA / 1000


def test_half_of_the_candidates_pass_at_k() -> None:
    assert PassCoin(50, 1.0).threshold(50) == ONE // 2
    scores = np.full(20_000, 50, dtype=np.int64)
    passed = PassCoin(50, 1.0).decide(scores, RandomSource.fixed(3))
    assert abs(passed.mean() - 0.5) < 0.02


def test_decisions_follow_the_closed_form() -> None:
    coin = PassCoin(20, 0.4)
    scores = np.repeat(np.arange(1, 40), 5_000)
    passed = coin.decide(scores, RandomSource.fixed(8)).reshape(39, -1).mean(axis=1)
    expected = coin.probability(np.arange(1, 40))
    np.testing.assert_allclose(passed, expected, atol=5 * math.sqrt(0.25 / 5_000))


@given(epsilon0=st.floats(0.01, 30), k=st.integers(1, 10**6), score=st.integers(0, 2 * 10**6))
@settings(max_examples=100, deadline=None)
def test_closed_form_is_the_table(epsilon0: float, k: int, score: int) -> None:
    coin = PassCoin(k, epsilon0)
    (probability,) = coin.probability(np.array([score]))
    assert probability == pytest.approx(coin.threshold(score) / ONE, rel=1e-9, abs=1e-35)


class Scripted:
    """A source that hands out the words it was given."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count: int) -> np.ndarray:
        drawn, self.left = self.left[:count], self.left[count:]
        assert len(drawn) == count
        return np.array(drawn, dtype=np.uint64)


@pytest.mark.parametrize("score", [40, 49, 50, 51, 60])
def test_the_coin_is_exact_to_the_last_unit(score: int) -> None:
    coin = PassCoin(50, 0.7)
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


def test_scores_far_outside_the_table() -> None:
    coin = PassCoin(50, 1.0)
    scores = np.array([-(2**62), 0, 10**6, 2**62])
    assert coin.decide(scores, RandomSource.fixed(1)).tolist() == [False, False, True, True]
    assert coin.probability(scores).tolist() == pytest.approx([0, 0.5 * math.exp(-50), 1, 1])


def test_no_candidates() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert PassCoin(50, 1.0).decide(nothing, RandomSource.fixed(1)).size == 0


def test_without_noise_the_threshold_is_k_itself() -> None:
    coin, scores = PassCoin(3, None), np.array([0, 2, 3, 4])
    assert coin.decide(scores, RandomSource.fixed(1)).tolist() == [False, False, True, True]
    assert coin.probability(scores).tolist() == [0, 0, 1, 1]
    assert [coin.threshold(score) for score in (2, 3)] == [0, ONE]


@pytest.mark.parametrize("epsilon0", [0.0, 1e-9, -1.0, math.nan])
def test_no_table_for_an_epsilon0_too_small(epsilon0: float) -> None:
    with pytest.raises(ValueError, match="ε0"):
        PassCoin(50, epsilon0)
