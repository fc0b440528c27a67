"""The searches against the totals they are made of."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.unit import Unit, best_t, total_epsilon_at
from understudy.privacy.budget import Budget
from understudy.privacy.planning.search import (
    NOWHERE,
    least_delta,
    least_epsilon,
    least_seeds,
    least_total,
    most_units_at,
    rounded_unit,
    smallest_k_for,
)
from understudy.privacy.plausibility.threshold import LARGEST_K

RELATIVE = Unit(2, 1.0, 1.0, "geometric")
KINDS = st.builds(
    Unit,
    k=st.just(2),
    epsilon0=st.just(1.0),
    similarity=st.sampled_from([1.0, 4.0]),
    noise=st.sampled_from(["laplace", "geometric"]),
    seeds_at_least=st.sampled_from([None, 100_000]),
    pass_floor=st.sampled_from([None, 0.1]),
)
COUNTS = st.integers(0, 13).map(lambda power: int(1.9**power))
TARGETS = st.builds(
    Budget,
    epsilon=st.floats(-1, 1).map(lambda exponent: 10.0**exponent),
    delta=st.floats(-15, -5.1).map(lambda exponent: 10.0**exponent),
)


def total(kind: Unit, count: int, delta: float, k: int) -> float:
    return least_total(kind, count, delta, k).total


@given(kind=KINDS, count=COUNTS, target=TARGETS)
def test_the_smallest_k_is_the_smallest(kind: Unit, count: int, target: Budget) -> None:
    k = int(smallest_k_for(kind, count, target).k)
    assert total(kind, count, target.delta, k) <= target.epsilon
    assert k == 2 or total(kind, count, target.delta, k - 1) > target.epsilon


def test_no_k_where_each_may_cost_less_than_the_noise() -> None:
    assert smallest_k_for(RELATIVE, 10**7, Budget(1.0, 1e-9)) is NOWHERE
    assert total(RELATIVE, 10**7, 1e-9, LARGEST_K) > 1.0
    assert smallest_k_for(RELATIVE, 10**6, Budget(1.0, 1e-9)).k < 10**6


@given(kind=KINDS, k=st.integers(2, 50_000), target=TARGETS)
def test_the_most_units_are_the_most(kind: Unit, k: int, target: Budget) -> None:
    most = most_units_at(kind, target, k, 10**12)
    assert most == 0 or total(kind, most, target.delta, k) <= target.epsilon
    assert total(kind, most + 1, target.delta, k) > target.epsilon
    roughly = most_units_at(kind, target, k, 10**12, percent=5)
    assert 0.94 * most - 1 <= roughly <= most
    assert most_units_at(kind, target, k, max(1, most - 1)) == max(most > 0, most - 1)


@given(kind=KINDS, count=COUNTS, k=st.integers(2, 50_000))
def test_the_least_epsilon(kind: Unit, count: int, k: int) -> None:
    least = least_epsilon(kind, count, 1e-9, k, math.inf)
    assert least == total(kind, count, 1e-9, k)
    assert least_epsilon(kind, count, 1e-9, k, least) == least
    assert least_epsilon(kind, count, 1e-9, k, least * 0.999) is None
    roughly = least_epsilon(kind, count, 1e-9, k, math.inf, 1e-3)
    # Either may be the smaller: where t changes, the total has a kink and is not level at its best.
    assert roughly == pytest.approx(least, rel=1e-3)


@given(kind=KINDS, count=COUNTS, target=TARGETS)
def test_the_least_delta(kind: Unit, count: int, target: Budget) -> None:
    # A k that is a little too small for the target.
    k = max(2, int(smallest_k_for(kind, count, target).k * 0.9))
    delta = least_delta(kind, count, target.epsilon, k, 0.5)
    if delta is None:
        assert total(kind, count, 0.49, k) > target.epsilon
        return
    assert total(kind, count, delta, k) <= target.epsilon
    finest = count * kind.finest_delta
    assert delta <= 1.02 * finest or total(kind, count, delta / 1.02, k) > target.epsilon
    assert least_delta(kind, count, target.epsilon, k, delta / 1.02) is None


@given(count=COUNTS, target=TARGETS, laplace=st.booleans())
def test_the_least_seeds(count: int, target: Budget, laplace: bool) -> None:
    def reaches(seeds: int) -> bool:
        kind = Unit(2, 1.0, 1.0, "laplace" if laplace else "geometric", seeds)
        return total(kind, count, target.delta, seeds) <= target.epsilon

    kind = Unit(2, 1.0, 1.0, "laplace" if laplace else "geometric", 50)
    seeds = least_seeds(kind, count, target, 10**8)
    assert seeds is not None
    assert reaches(seeds)
    assert seeds < 5 or not reaches(int(seeds / 1.02) - 1)
    assert least_seeds(kind, count, target, max(1, int(seeds / 1.02) - 1)) is None


@given(kind=KINDS, count=COUNTS, target=TARGETS)
def test_what_is_settled_fits(kind: Unit, count: int, target: Budget) -> None:
    k = int(smallest_k_for(kind, count, target).k)
    unit = rounded_unit(kind, count, target, k + 1)
    assert unit is not None
    assert (unit.k, unit.similarity, unit.noise) == (k + 1, kind.similarity, kind.noise)
    assert (unit.seeds_at_least, unit.pass_floor) == (kind.seeds_at_least, kind.pass_floor)
    t = best_t(unit, count, target.delta)
    assert total_epsilon_at(unit, t, count, target.delta) <= target.epsilon
    if k > 10:
        assert rounded_unit(kind, count, target, int(0.9 * k)) is None


def test_what_is_settled_is_short() -> None:
    unit = rounded_unit(RELATIVE, 1, Budget(1.0, 2.0**-40), 39)
    assert unit is not None
    assert len(repr(unit.epsilon0)) <= 5


@pytest.mark.parametrize("hair", [1e-9, 1e-5])
def test_a_hair_is_all_that_is_exceeded(hair: float) -> None:
    least = total(RELATIVE, 300, 1e-9, 2_000)
    unit = rounded_unit(RELATIVE, 300, Budget(least, 1e-9), 2_000, hair=hair)
    assert unit is not None
    t = best_t(unit, 300, 1e-9)
    assert least * (1 - 1e-10) <= total_epsilon_at(unit, t, 300, 1e-9) <= least * (1 + hair)
    assert rounded_unit(RELATIVE, 300, Budget(least * 0.999, 1e-9), 2_000, hair=hair) is None
