"""The noise of training has the law it is said to have, and no choice is made by rounding."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, getcontext, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from understudy.core.arrays import WordArray
from understudy.privacy import gaussian
from understudy.privacy.gaussian import add_noise, discrete_gaussians
from understudy.privacy.randomness import RandomSource


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
        kept = gaussian._kept(np.full(300, k), within, bits, words, ONES)
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
