"""The best t against a look at every t."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.composition import optimal
from understudy.privacy.accounting.unit import (
    Unit,
    best_t,
    delta_at,
    epsilon_at,
    last_t,
    meets,
    smallest_k,
    total_epsilon_at,
)
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.threshold import FINEST_DELTA

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
    assert last_t(unit, 1, delta_at(unit, 29)) == 29
    assert last_t(unit, 1, math.nextafter(delta_at(unit, 29), 0)) == 28
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
        each = Budget(epsilon_at(unit, t), delta_at(unit, t))
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

    k = smallest_k(unit, t, count, 10.0**exponent)
    assert k is not None
    assert reaches(k)
    assert k == t + 1 or not reaches(k - 1)


@pytest.mark.parametrize(("seeds", "finest"), [(None, FINEST_DELTA), (999, FINEST_DELTA / 1000)])
def test_no_k_reaches_what_is_finer_than_the_coin(seeds: int | None, finest: float) -> None:
    unit = Unit(2, 1.0, 4.0, "laplace", seeds)
    assert smallest_k(unit, 3, 10, 9.99 * finest) is None
    assert smallest_k(unit, 3, 10, 10.01 * finest) is not None
