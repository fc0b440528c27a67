from __future__ import annotations

import math

import numpy as np
import pytest

from engine.mechanisms.pmse.baselines.regressions import functional, k_norm, least_squares
from engine.mechanisms.pmse.baselines.scaled import SENSITIVITIES, Bounds, Sums
from engine.mechanisms.pmse.baselines.synthesisers import (
    evenness,
    fitted,
    noisy_posterior,
    smooth_histogram,
    unprotected,
)
from engine.mechanisms.pmse.practised.published_model import DEVIATIONS, MEANS, simulated

BOUNDS = Bounds.about(np.array(MEANS), np.array(DEVIATIONS), 5.0)
LARGE = 1e7


def table() -> np.ndarray:
    return simulated(np.random.default_rng(4)).values


def test_one_record_moves_the_sums_no_further_than_is_said() -> None:
    ends = [np.array([x, y]) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)]
    one_record = [Sums.of(each[None]).values for each in ends]
    moved = np.max([np.abs(a - b) for a in one_record for b in one_record], axis=0)
    assert moved.tolist() == list(SENSITIVITIES)


def test_bounds_and_lines_there_and_back() -> None:
    inside = BOUNDS.inwards(table())
    assert np.abs(inside).max() <= 1
    assert BOUNDS.outwards(inside)[0] == pytest.approx(table()[0])
    scaled = least_squares(inside)
    assert BOUNDS.line(*scaled) == pytest.approx(least_squares(BOUNDS.outwards(inside)))


@pytest.mark.parametrize("method", [functional, k_norm])
def test_private_coefficients_are_those_of_least_squares_without_noise(method: object) -> None:
    assert callable(method)
    found = method(table(), BOUNDS, LARGE, np.random.default_rng(1))
    inside = BOUNDS.outwards(BOUNDS.inwards(table()))
    assert found == pytest.approx(least_squares(inside), abs=1e-2)


def test_the_noise_of_coefficients_falls_with_epsilon() -> None:
    truth = np.array(least_squares(table()))
    for method in (functional, k_norm):
        errors = [
            np.mean([np.abs(np.array(method(table(), BOUNDS, epsilon, random)) - truth)
                     for random in map(np.random.default_rng, range(8))])
            for epsilon in (0.05, 5.0)
        ]  # fmt: skip
        assert errors[1] < errors[0]


def test_tables_without_noise_have_the_moments_of_the_real_one() -> None:
    random, real = np.random.default_rng(6), table()
    made = [
        unprotected(real, random),
        fitted(real, BOUNDS, LARGE, random),
        noisy_posterior(real, BOUNDS, LARGE, 3, random)[2],
    ]
    for each in made:
        assert each.shape == real.shape
        assert each.mean(axis=0) == pytest.approx(real.mean(axis=0), abs=0.2)
        assert np.corrcoef(each.T)[0, 1] == pytest.approx(np.corrcoef(real.T)[0, 1], abs=0.06)


def test_the_histogram_is_nearly_even_at_the_printed_share() -> None:
    """K = 64, n = n_s = 5,000, ε = 1: λ = 0.985."""
    assert evenness(64, 5000, 5000, 1.0) == pytest.approx(0.985, abs=5e-4)
    # The ratio that one record may change the chance of a bin by, for every record drawn.
    bins, n, even = 64, 5000, evenness(64, 5000, 5000, 1.0)
    ratio = 1 + (1 - even) * bins / (n * even)
    assert n * math.log(ratio) <= 1.0 + 1e-9
    made = smooth_histogram(table(), BOUNDS, 1.0, 8, np.random.default_rng(1))
    assert np.abs(BOUNDS.inwards(made)).max() <= 1
    flat = np.bincount(((BOUNDS.inwards(made)[:, 0] + 1) * 4).astype(int).clip(0, 7))
    assert flat.min() > 400
    peaked = smooth_histogram(table(), BOUNDS, 1e5, 8, np.random.default_rng(1))
    assert peaked.std(axis=0)[0] < made.std(axis=0)[0] / 1.5
