"""What one attempt, and one slot, guarantees at every t. The best t against a look at every t. The
pass cap. A δ out of reach, and that each remedy for it works.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import optimal
from understudy.privacy.accounting.unit import (
    LIKELIHOOD_ROUNDING,
    Unit,
    best_t,
    last_t,
    meets,
    pass_cap,
    smallest_k_at,
    total_epsilon_at,
    unit_delta,
    unit_epsilon,
    unit_of,
)
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.plausibility.threshold import FINEST_DELTA, PassCoin, ThresholdNoise

NOISES: tuple[ThresholdNoise, ...] = ("laplace", "geometric")


def at(t: int) -> np.ndarray:
    return np.array(t)


def test_the_published_census_setting() -> None:
    # k = 50, ε0 = 1, γ = 4 at t = 29: ε = 1.13 and δ = 2^−30 (§8 of the dissertation).
    unit = Unit(50, 1.0, 4.0, "laplace")
    published = unit.published_cost(29)
    assert published.epsilon == pytest.approx(1 + math.log(1 + 4 / 29), rel=1e-15)
    assert published.delta == pytest.approx(math.exp(-21), rel=1e-14)
    assert published.delta < 2**-30
    assert unit.epsilon(at(29)) == published.epsilon
    assert unit.delta(at(29)) == pytest.approx(math.exp(-21) / 2, rel=1e-14)


def test_the_published_figure_of_the_second_test() -> None:
    # §5 of the dissertation: k = 40, t = 5, ε0 = 0.8 gives ε ≤ 1 and δ ≤ 2^−40.
    published = Unit(40, 0.8, 1.0, "geometric").published_cost(5)
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
    assert unit.published_cost(1).delta == FINEST_DELTA
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
    assert known.published_cost(7) == without.published_cost(7)


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


SETTINGS = {
    "k": st.integers(2, 600),
    "similarity": st.sampled_from([1.0, 1.5, 4.0, 50.0, 1e200]),
    "epsilon0": st.one_of(st.floats(0.01, 3), st.sampled_from([1e-3, 40.0, 800.0])),
    "noise": st.sampled_from(["laplace", "geometric"]),
    "seeds_at_least": st.sampled_from([None, 1, 100_000]),
    "pass_floor": st.sampled_from([None, 0.05, 1.0]),
}
UNITS = st.builds(Unit, **SETTINGS)
COUNTS = st.integers(0, 40).map(lambda power: int(1.9**power))


@given(unit=UNITS, count=COUNTS, exponent=st.floats(-29, -0.1))
def test_no_other_t_does_better(unit: Unit, count: int, exponent: float) -> None:
    delta = 10.0**exponent
    totals = [total_epsilon_at(unit, t, count, delta) for t in range(1, unit.k)]
    best = best_t(unit, count, delta)
    if best == 0:
        assert not np.isfinite(totals).any()
    else:
        assert meets(unit, best, count, delta)
        assert totals[best - 1] <= min(totals) * (1 + 1e-12)


@pytest.mark.parametrize("count", [1, 100, 40_000])
@pytest.mark.parametrize("noise", ["laplace", "geometric"])
def test_a_large_k_with_a_small_epsilon0(count: int, noise: str) -> None:
    unit = Unit(1_500, 0.03, 4.0, noise)  # type: ignore[arg-type]
    totals = [total_epsilon_at(unit, t, count, 1e-9) for t in range(1, unit.k)]
    assert totals[best_t(unit, count, 1e-9) - 1] <= min(totals) * (1 + 1e-12)


@given(unit=UNITS, count=COUNTS, exponent=st.floats(-20, -0.1))
def test_the_last_t_is_the_last(unit: Unit, count: int, exponent: float) -> None:
    delta = 10.0**exponent
    met = [t for t in range(1, unit.k) if meets(unit, t, count, delta)]
    assert last_t(unit, count, delta) == max(met, default=0)


def test_a_target_met_to_the_last_bit() -> None:
    unit = Unit(50, 1.0, 4.0, "laplace")
    assert last_t(unit, 1, unit_delta(unit, 29)) == 29
    assert last_t(unit, 1, math.nextafter(unit_delta(unit, 29), 0)) == 28
    assert (
        last_t(Unit(1, 1.0, 4.0, "laplace"), 1, 0.9)
        == best_t(Unit(1, 1.0, 4.0, "laplace"), 1, 0.9)
        == 0
    )


@given(unit=UNITS, count=COUNTS, exponent=st.floats(-20, -0.1), share=st.floats(0.01, 0.99))
def test_what_is_composed_is_the_unit(
    unit: Unit, count: int, exponent: float, share: float
) -> None:
    t, delta = 1 + int(share * (unit.k - 1)), 10.0**exponent
    total = total_epsilon_at(unit, t, count, delta)
    if not meets(unit, t, count, delta):
        assert total == math.inf
    else:
        each = Budget(unit_epsilon(unit, t), unit_delta(unit, t))
        assert total == optimal(each, count, delta).epsilon


@given(
    unit=UNITS, t=st.integers(1, 100), count=st.sampled_from([1, 1000]), exponent=st.floats(-20, -1)
)
def test_the_smallest_k_is_the_smallest(unit: Unit, t: int, count: int, exponent: float) -> None:
    def reaches(k: int) -> bool:
        other = Unit(
            k,
            unit.epsilon0,
            unit.similarity,
            unit.noise,
            unit.seeds_at_least,
            unit.pass_floor,
        )
        return meets(other, t, count, 10.0**exponent)

    k = smallest_k_at(unit, t, count, 10.0**exponent)
    assert k is not None
    assert reaches(k)
    assert k == t + 1 or not reaches(k - 1)


@pytest.mark.parametrize(("seeds", "finest"), [(None, FINEST_DELTA), (999, FINEST_DELTA / 1000)])
def test_no_k_reaches_what_is_finer_than_the_coin(seeds: int | None, finest: float) -> None:
    unit = Unit(2, 1.0, 4.0, "laplace", seeds)
    assert smallest_k_at(unit, 3, 10, 9.99 * finest) is None
    assert smallest_k_at(unit, 3, 10, 10.01 * finest) is not None


@given(
    epsilon=st.floats(1e-6, 40),
    share=st.floats(0.0, 0.99),
    n=st.integers(1, 10**9),
)
def test_pass_cap_is_the_formula_rounded_up(epsilon: float, share: float, n: int) -> None:
    epsilon0 = share * epsilon
    with localcontext(prec=80):
        if Decimal(1) + Decimal(1) / n > (Decimal(epsilon) - Decimal(epsilon0)).exp():
            return
        exact = 1 / ((n + 1) * Decimal(epsilon).exp() - n)
        roughly = float(exact)
    cap = pass_cap(epsilon, n, epsilon0=epsilon0)
    assert exact <= Decimal(cap) or cap == 1
    assert cap <= max(roughly * (1 + 1e-12), 2.0**-64)


def test_pass_cap_of_the_documented_example() -> None:
    assert pass_cap(0.002, 735_000, epsilon0=0.001) == pytest.approx(0.0007, rel=0.05)


@pytest.mark.parametrize("epsilon", [50.0, 709.0, 5_000.0])
def test_pass_cap_is_a_coin_that_can_be_flipped(epsilon: float) -> None:
    assert pass_cap(epsilon, 1000, epsilon0=1.0) == 2.0**-64


@pytest.mark.parametrize(("seeds", "epsilon0"), [(0, 1.0), (-3, 1.0), (10, 1.95), (1, 1.4)])
def test_too_few_seeds_for_a_pass_cap(seeds: int, epsilon0: float) -> None:
    with pytest.raises(Refusal) as refusal:
        pass_cap(2.0, seeds, epsilon0=epsilon0)
    assert refusal.value.field == "seeds_at_least"


def test_just_enough_seeds_for_a_pass_cap() -> None:
    assert 0 < pass_cap(1.0 + math.log1p(1 / 20), 20, epsilon0=1.0) < 1
    with pytest.raises(Refusal):
        pass_cap(1.0 + math.log1p(1 / 20), 19, epsilon0=1.0)


CENSUS = PlausibleDeniability(k=50, gamma=4, epsilon0=1)


def advice(remedy: str, test: PrivacyTest) -> list[dict[str, Any]]:
    """The changes a remedy proposes, as arguments."""
    changes: list[dict[str, Any]] = []
    if found := re.search(r"k of ([\d,]+)", remedy):
        changes.append({"test": test.model_copy(update={"k": whole(found[1])})})
    if found := re.search(r"\bt of ([\d,]+)", remedy):
        changes.append({"t": whole(found[1])})
    if found := re.search(r"δ of ([\d.e-]+)", remedy):
        changes.append({"delta": float(found[1])})
    if found := re.search(r"more than ([\d,]+) (attempt|record)", remedy):
        changes.append({"count": whole(found[1])})
    if remedy == "Choose a larger ε0.":
        changes.append({"test": test.model_copy(update={"epsilon0": 200.0})})
    if remedy == "Choose a larger δ, and a larger ε0.":
        changes.append({"test": test.model_copy(update={"epsilon0": 200.0}), "delta": 1e-7})
    assert changes
    return changes


def refused(run: dict[str, Any]) -> Refusal | None:
    try:
        account(**run)
    except Refusal as refusal:
        return refusal
    return None


def whole(said: str) -> int:
    return int(said.replace(",", ""))


@given(
    test=st.one_of(
        st.builds(
            PlausibleDeniability,
            k=st.integers(2, 60),
            gamma=st.just(4.0),
            epsilon0=st.floats(0.05, 30),
        ),
        st.builds(RelativeSensitivity, k=st.integers(2, 60), epsilon0=st.floats(0.05, 30)),
    ),
    count=st.integers(1, 10**7),
    exponent=st.floats(-33, -7),
    t=st.one_of(st.none(), st.integers(1, 59)),
    seeds=st.sampled_from([None, 60, 80, 100_000]),
    protocol=st.sampled_from(["attempts", "releases", "published"]),
    floor=st.sampled_from([1e-9, 0.1]),
)
def test_each_remedy_for_a_delta_out_of_reach_works(
    test: PrivacyTest,
    count: int,
    exponent: float,
    t: int | None,
    seeds: int | None,
    protocol: str,
    floor: float,
) -> None:
    run: dict[str, Any] = {
        "test": test,
        "count": count,
        "delta": 10.0**exponent,
        "t": None if t is None else min(t, test.k - 1),
        "seeds_at_least": seeds,
        "protocol": protocol,
        "pass_floor": floor if protocol == "releases" else None,
    }
    refusal = refused(run)
    for change in advice(refusal.remedy, test) if refusal else []:
        account(**{**run, **change})
    assert refusal is None or refusal.field == "delta"


def test_a_delta_out_of_reach_says_what_would_do() -> None:
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-20)
    assert refusal.value.field == "delta"
    assert "1,000 attempts" in refusal.value.problem
    assert "k of 54" in refusal.value.remedy
    assert "no more than 38 attempts" in refusal.value.remedy
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-23, seeds_at_least=52)
    assert "k of" not in refusal.value.remedy


@pytest.mark.parametrize("count", range(2, 40))
def test_a_count_that_fails_by_the_last_place_is_not_advised(count: int) -> None:
    delta = math.nextafter(count * unit_delta(Unit(50, 1.0, 1.0, "laplace"), 1), 0)
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, count, delta)
    for change in advice(refusal.value.remedy, CENSUS):
        account(**{"test": CENSUS, "count": count, "delta": delta, **change})


def test_records_are_called_so() -> None:
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-20, protocol="published")
    assert "1,000 records" in refusal.value.problem
    assert "no more than 38 records" in refusal.value.remedy


def test_a_delta_finer_than_the_coin_is_named() -> None:
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-28)
    assert "under 1e-30" in refusal.value.problem
    assert "k of" not in refusal.value.remedy


@pytest.mark.parametrize(
    ("test", "count", "records"),
    [
        (RelativeSensitivity(k=5_000, epsilon0=0.008), 1_000, 20),
        (RelativeSensitivity(k=2_000, epsilon0=0.05), 100, 40),
        (CENSUS, 3, 20),
    ],
)
@pytest.mark.parametrize("t", [None, 20])
def test_each_remedy_for_a_person_of_many_records_works(
    test: PrivacyTest, count: int, records: int, t: int | None
) -> None:
    run: dict[str, Any] = {"count": count, "delta": 1e-9, "t": t, "records_per_person": records}
    with pytest.raises(Refusal) as refusal:
        account(test, **run)
    assert refusal.value.field == "records_per_person"
    assert f"{records} records per person" in refusal.value.problem
    assert "fewer records per person" in refusal.value.remedy
    account(test, **{**run, "records_per_person": 1})
    if "k of" in refusal.value.remedy or "more than" in refusal.value.remedy:
        for change in advice(refusal.value.remedy, test):
            account(**{"test": test, **run, **change})
