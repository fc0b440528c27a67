"""What one attempt, and one slot, guarantees at every t."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.unit import LIKELIHOOD_ROUNDING, Unit, unit_of
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.privacy.plausibility.threshold import FINEST_DELTA, PassCoin, ThresholdNoise

NOISES: tuple[ThresholdNoise, ...] = ("laplace", "geometric")


def at(t: int) -> np.ndarray:
    return np.array(t)


def test_the_published_census_setting() -> None:
    # k = 50, ε0 = 1, γ = 4 at t = 29: ε = 1.13 and δ = 2^−30 (§8 of the dissertation).
    unit = Unit(50, 1.0, 4.0, "laplace")
    published = unit.published(29)
    assert published.epsilon == pytest.approx(1 + math.log(1 + 4 / 29), rel=1e-15)
    assert published.delta == pytest.approx(math.exp(-21), rel=1e-14)
    assert published.delta < 2**-30
    assert unit.epsilon(at(29)) == published.epsilon
    assert unit.delta(at(29)) == pytest.approx(math.exp(-21) / 2, rel=1e-14)


def test_the_published_figure_of_the_second_test() -> None:
    # §5 of the dissertation: k = 40, t = 5, ε0 = 0.8 gives ε ≤ 1 and δ ≤ 2^−40.
    published = Unit(40, 0.8, 1.0, "geometric").published(5)
    assert published.epsilon <= 1
    assert published.delta <= 2**-40


@given(epsilon0=st.floats(0.001, 50), gap=st.integers(1, 1000), t=st.integers(1, 1000))
def test_delta_has_the_constant_of_its_noise(epsilon0: float, gap: int, t: int) -> None:
    for noise, constant in (("laplace", 0.5), ("geometric", 1 / (1 + math.exp(-epsilon0)))):
        unit = Unit(t + gap, epsilon0, 1.0, noise)  # type: ignore[arg-type]
        expected = max(constant * math.exp(-epsilon0 * gap), FINEST_DELTA)
        assert unit.delta(at(t)) == pytest.approx(expected, rel=1e-4 if expected < 1e-28 else 1e-6)
        if expected > 1e-15:
            assert unit.delta(at(t)) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("epsilon0", [0.01, 0.3, 1.0, 7.0])
def test_delta_is_no_less_than_what_the_coin_passes(noise: ThresholdNoise, epsilon0: float) -> None:
    # The table rounds upwards, so that only exact numbers can tell.
    k, coin = 10_000, PassCoin(10_000, epsilon0, noise)
    unit = Unit(k, epsilon0, 1.0, noise)
    gaps = np.unique(np.linspace(1, min(k - 1, 72 / epsilon0), 300).astype(int))
    for gap in gaps.tolist():
        with localcontext(prec=60):
            passes = Decimal(coin.threshold(k - gap)) / 2**128
            stated = Decimal(float(unit.delta(at(k - gap)))) * (1 + Decimal("1e-13"))
            assert passes <= stated
            # And hardly more: the constant is the right one.
            assert stated <= passes * (1 + Decimal("1e-4")) or stated < Decimal("1.01e-30")


@pytest.mark.parametrize("noise", NOISES)
def test_every_t_at_once(noise: ThresholdNoise) -> None:
    unit, t = Unit(20, 0.5, 2.0, noise, 1_000, 0.3), np.arange(1, 20)
    for figure in (unit.epsilon, unit.attempt_delta, unit.delta):
        np.testing.assert_array_equal(figure(t), [float(figure(at(int(each)))) for each in t])
    assert (np.diff(unit.epsilon(t)) < 0).all()
    assert (np.diff(unit.delta(t)) > 0).all()


@pytest.mark.parametrize("noise", NOISES)
def test_delta_is_never_stated_finer_than_the_coin(noise: ThresholdNoise) -> None:
    unit = Unit(10_000, 1.0, 4.0, noise)
    assert unit.delta(at(1)) == FINEST_DELTA == unit.finest_delta
    assert unit.published(1).delta == FINEST_DELTA
    # The division by n + 1 comes after: it is no matter of the coin.
    certain = Unit(10_000, 1.0, 4.0, noise, 999)
    assert certain.delta(at(1)) == FINEST_DELTA / 1000 == certain.finest_delta


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("n", [1, 10, 735_000])
def test_a_bound_on_the_seeds_divides_delta(noise: ThresholdNoise, n: int) -> None:
    t = np.arange(1, 50)
    without, known = (Unit(50, 1.0, 4.0, noise, seeds) for seeds in (None, n))
    np.testing.assert_allclose(known.delta(t) * (n + 1), without.delta(t), rtol=1e-15)
    np.testing.assert_array_equal(known.epsilon(t), without.epsilon(t))
    assert known.published(7) == without.published(7)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("seeds", [None, 1_000])
@pytest.mark.parametrize("floor", [1e-6, 0.1, 1.0])
def test_a_slot_pays_for_the_attempts_it_repeats(
    noise: ThresholdNoise, seeds: int | None, floor: float
) -> None:
    t = np.arange(1, 50)
    attempt = Unit(50, 1.0, 4.0, noise, seeds)
    slot = Unit(50, 1.0, 4.0, noise, seeds, floor)
    np.testing.assert_array_equal(slot.epsilon(t), attempt.epsilon(t))
    np.testing.assert_array_equal(slot.attempt_delta(t), attempt.delta(t))
    delta = attempt.delta(t)
    expected = [d / (floor - d) if d < floor else math.inf for d in delta.tolist()]
    np.testing.assert_allclose(slot.delta(t), expected, rtol=1e-14)
    assert np.isinf(slot.delta(t)).any() == (floor <= delta[-1])
    finest = attempt.finest_delta
    assert slot.finest_delta == pytest.approx(finest / (floor - finest), rel=1e-14)


def test_a_floor_under_the_finest_delta() -> None:
    assert Unit(50, 1.0, 4.0, "laplace", None, 1e-31).finest_delta == math.inf


def test_each_test_has_its_similarity_and_its_noise() -> None:
    deniability = PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0)
    relative = RelativeSensitivity(k=50, epsilon0=1.0)
    assert unit_of(deniability) == Unit(50, 1.0, 4 * LIKELIHOOD_ROUNDING, "laplace")
    assert unit_of(relative) == Unit(50, 1.0, LIKELIHOOD_ROUNDING, "geometric")
    # Where likelihoods are equal none is rounded, and γ counts as 1.
    for test, noise in ((deniability, "laplace"), (relative, "geometric")):
        equal = unit_of(test, 77, 0.2, equal_likelihood=True)
        assert equal == Unit(50, 1.0, 1.0, noise, 77, 0.2)
    assert LIKELIHOOD_ROUNDING == 1 + 2.0**-30


def test_no_unit_without_noise() -> None:
    assert unit_of(RelativeSensitivity(k=50, epsilon0=None)) is None


def test_epsilon_is_never_rounded_down() -> None:
    unit = Unit(k=2000, epsilon0=0.1, similarity=2.0, noise="laplace")
    t = np.arange(1, 2000)
    with localcontext() as context:
        context.prec = 40
        exact = [Decimal(unit.epsilon0) + (1 + Decimal(2) / int(each)).ln() for each in t]
    found = [Decimal(float(each)) for each in unit.epsilon(t)]
    assert all(one >= other for one, other in zip(found, exact, strict=True))
