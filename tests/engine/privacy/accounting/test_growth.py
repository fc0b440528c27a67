"""The curves drawn from an account. The advantage of the best guess, beside exact sums. What the
published theorem states of one released record.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.accountant import MOST_UNITS, account
from understudy.privacy.accounting.growth import grow_guarantee, guess_advantage, unit_tradeoff
from understudy.privacy.accounting.published_figures import published_record
from understudy.privacy.accounting.unit import unit_of
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
    privacy_test,
)
from understudy.privacy.plausibility.threshold import FINEST_DELTA

CENSUS = PlausibleDeniability(k=50, gamma=4, epsilon0=1)
WIDE = PlausibleDeniability(k=50_000, gamma=4, epsilon0=0.001)
RELATIVE = RelativeSensitivity(k=50_000, epsilon0=0.001)
DETERMINISTIC = PlausibleDeniability(k=50, gamma=4, epsilon0=None)


@pytest.mark.parametrize("test", [WIDE, RELATIVE])
@pytest.mark.parametrize("t", [None, 20_000])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"equal_likelihood": True, "seeds_at_least": 735_000},
        {"protocol": "releases", "pass_floor": 0.1},
        {"protocol": "published"},
    ],
)
def test_growth_is_the_account_at_each_count(
    test: PrivacyTest, t: int | None, options: dict[str, Any]
) -> None:
    counts = [1, 7, 300, 20_000, 10**6]
    curve = grow_guarantee(account(test, 1, 1e-6, **options), counts, t=t)
    assert curve.count.tolist() == counts
    for place, count in enumerate(counts):
        figures = account(test, count, 1e-6, t=t, **options)
        assert curve.t[place] == figures.t
        for name in ("sequential", "advanced", "optimal", "total"):
            epsilon = getattr(figures, name).epsilon
            assert getattr(curve, name)[place] == pytest.approx(epsilon, rel=1e-12)


def test_growth_of_a_person_is_for_one_record() -> None:
    figures = account(RELATIVE, 100, 1e-6, records_per_person=3)
    assert grow_guarantee(figures, [100]).total[0] == pytest.approx(
        figures.record.epsilon, rel=1e-12
    )


@pytest.mark.parametrize("t", [None, 10])
def test_growth_has_a_gap_where_nothing_is_promised(t: int | None) -> None:
    narrow = account(PlausibleDeniability(k=20, gamma=4, epsilon0=1), 1, 1e-4)
    curve = grow_guarantee(narrow, [1, 10, 10**6], t=t)
    assert np.isnan(curve.total).tolist() == [False, t is not None, True]
    assert (curve.t == 0).tolist() == [False, t is not None, True]
    assert np.isnan(grow_guarantee(account(DETERMINISTIC, 1, 1e-4), [1, 2]).total).all()
    assert grow_guarantee(account(CENSUS, 1, 1e-9), []).total.size == 0


def test_a_t_that_leaves_no_slack_has_no_advanced_composition() -> None:
    unit = unit_of(CENSUS)
    assert unit is not None
    delta = float(unit.delta(np.array(29)))
    figures = account(CENSUS, 1, delta, t=29)
    curve = grow_guarantee(figures, [1], t=29)
    assert curve.total.tolist() == [figures.total.epsilon]
    assert np.isnan(curve.advanced).all()


def test_growth_refuses_what_the_account_refuses() -> None:
    figures = account(CENSUS, 1, 1e-9)
    for field, arguments in (
        ("attempts", {"counts": [1, 0]}),
        ("attempts", {"counts": [1, MOST_UNITS + 1]}),
        ("t", {"counts": [1], "t": 50}),
        ("t", {"counts": [1], "t": 0}),
    ):
        with pytest.raises(Refusal) as refusal:
            grow_guarantee(figures, **arguments)
        assert refusal.value.field == field


@pytest.mark.parametrize(
    "options", [{}, {"seeds_at_least": 735_000}, {"protocol": "releases", "pass_floor": 0.1}]
)
def test_tradeoff_runs_over_every_t(options: dict[str, Any]) -> None:
    figures = account(CENSUS, 1, 1e-9, **options)
    t, epsilon, delta = unit_tradeoff(figures)
    assert t.tolist() == list(range(1, 50))
    for place in (0, 28, 40):
        stated = account(
            CENSUS, 1, 1e-6 if "seeds_at_least" in options else 0.9, t=int(t[place]), **options
        ).each
        assert (epsilon[place], delta[place]) == (stated.epsilon, stated.delta)
    equal = account(CENSUS, 1, 1e-9, equal_likelihood=True)
    assert (unit_tradeoff(equal)[1] < epsilon).all()


def test_tradeoff_of_a_large_k_is_thinned_between_its_ends() -> None:
    t, epsilon, delta = unit_tradeoff(account(WIDE, 1, 1e-9), points=500)
    assert (t[0], t[-1]) == (1, 49_999)
    assert t.size == epsilon.size == delta.size == 500
    assert (np.diff(t) > 0).all()


def test_no_tradeoff_without_a_t() -> None:
    assert [part.size for part in unit_tradeoff(account(DETERMINISTIC, 1, 1e-9))] == [0, 0, 0]


def law(middle: int, sigma: float, reach: int) -> np.ndarray:
    """The discrete Gaussian on −reach … reach."""
    weights = np.exp(-((np.arange(-reach, reach + 1) - middle) ** 2) / (2 * sigma**2))
    found: np.ndarray = weights / weights.sum()
    return found


def variation(shifts: Sequence[int], sigmas: Sequence[float]) -> float:
    """The total variation of discrete Gaussians on a grid about 0 and about the shifts, by the sum
    over all of it."""
    one, other = np.ones(1), np.ones(1)
    for shift, sigma in zip(shifts, sigmas, strict=True):
        reach = math.ceil(8 * sigma) + abs(shift)
        one = np.outer(one, law(0, sigma, reach)).ravel()
        other = np.outer(other, law(shift, sigma, reach)).ravel()
    return float(np.abs(one - other).sum() / 2)


@given(shift=st.integers(0, 60), sigma=st.floats(4.5, 40))
def test_no_guess_beats_it_in_one_dimension(shift: int, sigma: float) -> None:
    rho = shift**2 / (2 * sigma**2)
    exact = variation([shift], [sigma])
    assert exact <= guess_advantage(rho, sigma) + 1e-12


@pytest.mark.parametrize("shifts", list(itertools.combinations_with_replacement((0, 3, 8), 2)))
@pytest.mark.parametrize("sigmas", [(5.0, 5.0), (5.0, 11.0)])
def test_no_guess_beats_it_in_two(shifts: tuple[int, int], sigmas: tuple[float, float]) -> None:
    rho = sum(m**2 / (2 * s**2) for m, s in zip(shifts, sigmas, strict=True))
    assert variation(shifts, sigmas) <= guess_advantage(rho, min(sigmas)) + 1e-12


@pytest.mark.parametrize(("rho", "printed"), [(0.0066, 0.046), (0.0244, 0.088), (1.54, 0.620)])
def test_with_much_finer_units_it_is_that_of_continuous_noise(rho: float, printed: float) -> None:
    assert guess_advantage(rho, 1e9) == pytest.approx(printed, abs=5e-4)


def test_it_is_met_by_the_best_guess_of_one_number() -> None:
    """A bound far above what can be reached would say little."""
    assert variation([600], [1000.0]) == pytest.approx(guess_advantage(0.18, 1000.0), rel=1e-3)


def test_of_noise_finer_than_its_units_nothing_is_said() -> None:
    assert guess_advantage(0.1, 4.0) == guess_advantage(0.1, 0.5) == 1.0


def test_the_setting_of_the_published_evaluation() -> None:
    stated = published_record(privacy_test("plausible-deniability", 50, 1.0, 4.0), 1e-9)
    assert stated is not None
    assert stated.name == "Theorem 1, VLDB 2017, at t = 29"
    assert stated.cost.epsilon == pytest.approx(1 + math.log(1 + 4 / 29), rel=1e-12)
    assert stated.cost.delta == pytest.approx(math.exp(-21), rel=1e-12)


@given(
    k=st.integers(1, 300),
    gamma=st.floats(1.01, 50),
    epsilon0=st.floats(0.01, 5),
    delta=st.floats(1e-35, 0.5),
)
def test_no_t_that_meets_delta_states_less(
    k: int, gamma: float, epsilon0: float, delta: float
) -> None:
    found = [
        epsilon0 + math.log1p(gamma / t)
        for t in range(1, k)
        if max(math.exp(-epsilon0 * (k - t)), FINEST_DELTA) <= delta
    ]
    stated = published_record(privacy_test("plausible-deniability", k, epsilon0, gamma), delta)
    if stated is None:
        assert not found
    else:
        assert stated.cost.epsilon == pytest.approx(min(found))
        assert stated.cost.delta <= delta


def test_without_noise_nothing_is_stated() -> None:
    assert published_record(privacy_test("relative-sensitivity", 50, None), 1e-9) is None
