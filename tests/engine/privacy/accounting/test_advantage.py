"""The advantage of the best guess, beside exact sums."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.growth import advantage


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
    assert exact <= advantage(rho, sigma) + 1e-12


@pytest.mark.parametrize("shifts", list(itertools.combinations_with_replacement((0, 3, 8), 2)))
@pytest.mark.parametrize("sigmas", [(5.0, 5.0), (5.0, 11.0)])
def test_no_guess_beats_it_in_two(shifts: tuple[int, int], sigmas: tuple[float, float]) -> None:
    rho = sum(m**2 / (2 * s**2) for m, s in zip(shifts, sigmas, strict=True))
    assert variation(shifts, sigmas) <= advantage(rho, min(sigmas)) + 1e-12


@pytest.mark.parametrize(("rho", "printed"), [(0.0066, 0.046), (0.0244, 0.088), (1.54, 0.620)])
def test_with_much_finer_units_it_is_that_of_continuous_noise(rho: float, printed: float) -> None:
    assert advantage(rho, 1e9) == pytest.approx(printed, abs=5e-4)


def test_it_is_met_by_the_best_guess_of_one_number() -> None:
    """A bound far above what can be reached would say little."""
    assert variation([600], [1000.0]) == pytest.approx(advantage(0.18, 1000.0), rel=1e-3)


def test_of_noise_finer_than_its_units_nothing_is_said() -> None:
    assert advantage(0.1, 4.0) == advantage(0.1, 0.5) == 1.0
