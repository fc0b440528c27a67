"""The noise on counts has the law it is said to have, whoever draws it. The noise of training has
the law it is said to have, and no choice is made by rounding.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from decimal import ROUND_CEILING, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import stats

from understudy.assurance.scores import exponential, permute_and_flip_law
from understudy.assurance.transcript import RealDraws
from understudy.core.arrays import WordArray
from understudy.core.refusal import Refusal
from understudy.privacy import gaussian
from understudy.privacy import noise as noise_module
from understudy.privacy.gaussian import add_noise, discrete_gaussians
from understudy.privacy.noise import Noise, laplace_tail, measurement, selection
from understudy.privacy.randomness import RandomSource


def _p_value(drawn: np.ndarray, scale: float) -> float:
    """Chi-square of integers against the two-sided geometric law, tails pooled."""
    reach = 1
    while drawn.size * laplace_tail(reach + 1, scale) > 10:
        reach += 1
    values = np.arange(-reach, reach + 1)
    a = math.exp(-1 / scale)
    expected = (1 - a) / (1 + a) * a ** np.abs(values)
    expected[[0, -1]] = laplace_tail(reach, scale)
    observed = np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=values.size)
    return float(stats.chisquare(observed, expected * drawn.size).pvalue)


@pytest.mark.parametrize("scale", [0.2, 1.0, 3.7, 20.0])
def test_law_of_the_seeded_sampler(scale: float) -> None:
    drawn = Noise(RandomSource.fixed(11)).integers(np.zeros(100_000, dtype=np.int64), scale)
    assert _p_value(drawn, scale) > 1e-3
    assert _p_value(drawn, scale * 1.1) < 1e-3


@pytest.mark.parametrize("scale", [0.8, 4.0])
def test_law_of_the_noise_in_a_release(scale: float) -> None:
    drawn = Noise(RandomSource.secure()).integers(np.zeros(30_000, dtype=np.int64), scale)
    assert _p_value(drawn, scale) > 1e-9
    assert _p_value(drawn, scale * 1.3) < 1e-9


@pytest.mark.parametrize("scale", [0.5, 2.0, 333.0])
def test_opendp_agrees_on_what_the_noise_is_worth(scale: float) -> None:
    assert measurement(scale).map(1) == pytest.approx(1 / scale, rel=1e-12)


@pytest.mark.parametrize("begin", [partial(RandomSource.fixed, 1), RandomSource.secure])
def test_values_keep_their_shape_and_place(
    begin: Callable[[], RandomSource], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noise_module, "_BLOCK", 1000)
    values = np.arange(-2_500, 2_500, dtype=np.int64).reshape(50, 100) * 10**6
    noisy = Noise(begin()).integers(values, 2.0)
    assert noisy.shape == values.shape
    assert noisy.dtype == np.int64
    assert 0 < np.abs(noisy - values).max() < 200


def test_nothing_to_noise() -> None:
    for source in (RandomSource.fixed(1), RandomSource.secure()):
        assert Noise(source).integers(np.empty(0, dtype=np.int64), 1.0).size == 0


def test_only_the_seeded_noise_repeats() -> None:
    zeros = np.zeros(200, dtype=np.int64)
    first, again = (Noise(RandomSource.fixed(9)).integers(zeros, 5.0) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    first, again = (Noise(RandomSource.secure()).integers(zeros, 5.0) for _ in range(2))
    assert not np.array_equal(first, again)


@pytest.mark.parametrize("scale", [0.1, 1.0, 12.5])
def test_tail_is_the_sum_of_the_law(scale: float) -> None:
    a = math.exp(-1 / scale)
    for j in (-7, -1, 0, 1, 2, 15):
        law = ((1 - a) / (1 + a) * a ** abs(i) for i in range(j, j + 2_000))
        assert laplace_tail(j, scale) == pytest.approx(math.fsum(law), rel=1e-9)
        assert laplace_tail(j, scale) + laplace_tail(1 - j, scale) == pytest.approx(1)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    for call in (
        lambda: laplace_tail(1, scale),
        lambda: Noise(RandomSource.secure()).integers(np.zeros(1, dtype=np.int64), scale),
    ):
        with pytest.raises(Refusal) as refusal:
            call()
        assert refusal.value.field == "scale"


def test_a_run_that_draws_noise_loads_no_classifiers() -> None:
    code = (
        "import sys, understudy.runs.worker; from understudy.privacy import noise; "
        "noise.measurement(1.0)([0]); noise.gaussian_measurement(1.0)([0]); "
        "print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


SCORES = np.array([0, 3, 4, 1])


@pytest.mark.parametrize("concentrated", [True, False])
def test_law_of_a_choice_in_a_release(concentrated: bool) -> None:
    law = (exponential if concentrated else permute_and_flip_law)(SCORES, 1.7)
    noise = Noise(RandomSource.secure())
    chosen = [noise.choose_best(SCORES, 1.7, concentrated=concentrated) for _ in range(1_000)]
    counts = np.bincount(chosen, minlength=4)
    assert stats.chisquare(counts, 1_000 * law).pvalue > 1e-9
    other = exponential(SCORES, 1.7 / 2)
    assert stats.chisquare(counts, 1_000 * other).pvalue < 1e-9


def test_law_of_a_seeded_choice() -> None:
    noise = Noise(RandomSource.fixed(12))
    chosen = [noise.choose_best(SCORES, 1.7, concentrated=True) for _ in range(20_000)]
    law = exponential(SCORES, 1.7)
    assert stats.chisquare(np.bincount(chosen, minlength=4), 20_000 * law).pvalue > 1e-3


@pytest.mark.parametrize("begin", [partial(RandomSource.fixed, 1), RandomSource.secure])
def test_a_choice_that_chance_cannot_miss(begin: Callable[[], RandomSource]) -> None:
    for concentrated in (True, False):
        noise = Noise(begin())
        assert noise.choose_best(np.array([7]), 3.0, concentrated=concentrated) == 0
        large = np.array([0, 2**50, -(2**50)])
        assert noise.choose_best(large, 2.0**20, concentrated=concentrated) == 1
        with pytest.raises(Refusal, match="positive"):
            noise.choose_best(SCORES, 0.0, concentrated=concentrated)


@pytest.mark.parametrize("scale", [0.5, 2.0, 333.0])
def test_opendp_agrees_on_what_a_choice_is_worth(scale: float) -> None:
    assert selection(scale, concentrated=True).map(3) == pytest.approx(9 / (2 * scale**2))
    assert selection(scale, concentrated=False).map(3) == pytest.approx(6 / scale)


@pytest.mark.parametrize("scale", [0.8, 3.7, 250.0])
def test_opendp_is_asked_for_what_the_tape_is_told_and_for_nothing_else(scale: float) -> None:
    values = np.array([3, -70_000, 0], dtype=np.int64)
    draws = RealDraws.from_answers()
    with draws.listen():
        noise = Noise(RandomSource.secure(), draws)
        noise.integers(values, scale)
        noise.gaussians(values, scale)
        noise.choose_best(values, scale, concentrated=True)
        noise.choose_best(values, scale, concentrated=False)
    assert draws.amiss == []
    laws = ["geometric", "Gaussian", "exponential", "permute and flip"]
    assert [each.law for each in draws.asked] == laws
    for each in draws.asked:
        assert each.scale == pytest.approx(scale, rel=1e-12)
        assert each.values.tolist() == values.tolist()


def law(bits: int, reach: int) -> np.ndarray:
    """The chances of −reach … reach, what is beyond added to both ends."""
    far = np.arange(-40 << bits, (40 << bits) + 1)
    weights = np.exp(-(far.astype(float) ** 2) / (2 * 4.0**bits))
    found = np.bincount(np.clip(far, -reach, reach) + reach, weights / weights.sum())
    return np.asarray(found)


@pytest.mark.parametrize("bits", [0, 1, 3])
def test_small_deviations_against_the_law(bits: int) -> None:
    reach = 4 << bits
    drawn = np.clip(discrete_gaussians(200_000, bits, RandomSource.fixed(5)), -reach, reach)
    observed = np.bincount(drawn + reach, minlength=2 * reach + 1)
    assert stats.chisquare(observed, law(bits, reach) * drawn.size).pvalue > 1e-3
    wrong = law(bits, reach) * np.exp(3e-2 * np.abs(np.arange(-reach, reach + 1)))
    assert stats.chisquare(observed, wrong / wrong.sum() * drawn.size).pvalue < 1e-3


@pytest.mark.parametrize("bits", [24, 40, 48])
def test_a_large_deviation_is_as_good_as_normal(bits: int) -> None:
    drawn = discrete_gaussians(100_000, bits, RandomSource.secure()) / 2.0**bits
    assert stats.kstest(drawn, "norm").pvalue > 1e-9
    assert stats.kstest(drawn * 1.1, "norm").pvalue < 1e-9


def test_every_place_is_drawn() -> None:
    """The lowest binary places are uniform, so that nothing hides in what noise never touches."""
    drawn = discrete_gaussians(50_000, 40, RandomSource.fixed(3))
    for place in range(20):
        ones = int((np.abs(drawn) >> place & 1).sum())
        assert stats.binomtest(ones, drawn.size).pvalue > 1e-4


def test_the_same_source_gives_the_same_noise() -> None:
    first, again, other = (
        discrete_gaussians(70_000, 40, RandomSource.fixed(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert not discrete_gaussians(0, 3, RandomSource.fixed(1)).size


def test_what_doubles_cannot_settle_is_settled_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a margin so wide that every choice is made by hand, it is the same choice."""
    usual = discrete_gaussians(300, 7, RandomSource.fixed(8))
    calls = []
    settled = gaussian._Uniform.below

    def counted(self: gaussian._Uniform, chance: gaussian.Chance) -> bool:
        calls.append(chance)
        return settled(self, chance)

    monkeypatch.setattr(gaussian, "_MARGIN", 1.0)
    monkeypatch.setattr(gaussian._Uniform, "below", counted)
    np.testing.assert_array_equal(discrete_gaussians(300, 7, RandomSource.fixed(8)), usual)
    assert len(calls) > 300


def test_a_number_at_a_limit_is_settled_by_more_places() -> None:
    """Of numbers that begin as a limit does, some lie below it and some above."""
    limits = gaussian._limits()
    for k in (0, 1, 2):
        words = np.full(400, limits[k], dtype=np.uint64)
        found = gaussian._steps(words, RandomSource.fixed(k))
        assert set(found.tolist()) == {k, k + 1}
        above = float(np.mean(found == k + 1))
        with localcontext() as context:
            context.prec = 60
            below = Fraction(gaussian._up_to(k)) * 2**64 % 1
        assert above == pytest.approx(1 - float(below), abs=0.1)


def test_the_law_is_cut_nowhere() -> None:
    """Of numbers that begin with nothing but ones, a few in a thousand lie beyond ten steps, as far
    as more places say."""
    words = np.full(20_000, (1 << 64) - 1, dtype=np.uint64)
    found = gaussian._steps(words, RandomSource.fixed(6))
    assert set(found.tolist()) <= {9, 10, 11}
    with localcontext() as context:
        context.prec = 60
        beyond = 2**64 * (1 - Fraction(gaussian._up_to(9)))
    assert stats.binomtest(int((found > 9).sum()), len(words), float(beyond)).pvalue > 1e-6
    assert (found > 9).any()
    less = words - np.uint64(1)
    assert set(gaussian._steps(less, RandomSource.fixed(6)).tolist()) == {9}


def test_deviations_out_of_reach() -> None:
    with pytest.raises(ValueError, match="from 0 to 48"):
        discrete_gaussians(1, 49, RandomSource.fixed(1))


def test_noise_is_added_to_what_is_noised() -> None:
    values = np.array([-(1 << 40), 0, 7, 1 << 50])
    noise = discrete_gaussians(4, 20, RandomSource.fixed(9))
    np.testing.assert_array_equal(add_noise(values, 20, RandomSource.fixed(9)), values + noise)


class Ones(RandomSource):
    """Every further word is the largest."""

    def words(self, count: int) -> WordArray:
        return np.full(count, (1 << 64) - 1, dtype=np.uint64)


class Zeros(RandomSource):
    """Every further word is the smallest."""

    def words(self, count: int) -> WordArray:
        return np.zeros(count, dtype=np.uint64)


ONES, ZEROS = Ones(bytes(32), seeded=True), Zeros(bytes(32), seeded=True)


@pytest.mark.parametrize("k", range(10))
def test_a_try_whose_number_begins_as_its_chance_does_is_settled_exactly(k: int) -> None:
    """The least chances are so small that a margin in proportion is less than one number."""
    bits, within = 20, np.linspace(1, (1 << 20) - 1, 300).astype(np.int64)
    for further in (0, 0x3FF, 0x7FF):
        with localcontext() as context:
            context.prec = 60
            chances = [gaussian._accept(k, int(j), bits) * (1 << 64) for j in within]
        first = [min(int(each), (1 << 64) - 1) & ~0x7FF for each in chances]
        words = np.array([each + further for each in first], dtype=np.uint64)
        kept = gaussian._are_accepted(np.full(300, k), within, bits, words, ONES)
        exact = [int(word) + 1 <= each for word, each in zip(words, chances, strict=True)]
        assert kept.tolist() == exact


def test_a_chance_is_no_surer_than_its_digits() -> None:
    """A number is next to a chance that the first digits put on the wrong side of it."""

    def chance() -> Decimal:
        with localcontext() as context:
            context.prec -= 3
            context.rounding = ROUND_CEILING
            return +(Decimal("0." + "4" + "9" * 58) if context.prec > 60 else Decimal("0.5"))

    assert not gaussian._Uniform((1 << 63) - 1, ONES).below(chance)


@pytest.mark.parametrize("side", [-1, 1])
def test_a_chance_that_first_digits_put_beyond_a_number_is_looked_at_again(side: int) -> None:
    """Next to ½ by less than the last of eight digits may be off by, on either side of it."""
    word, source = ((1 << 63) - 1, ONES) if side < 0 else (1 << 63, ZEROS)

    def chance() -> Decimal:
        off = Decimal(10) ** (4 - getcontext().prec)
        return Decimal("0.5") + side * (Decimal("1e-59") - off)

    assert gaussian._Uniform(word, source).below(chance) == (side > 0)
