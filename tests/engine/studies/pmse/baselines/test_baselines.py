from __future__ import annotations

import math

import numpy as np
import pytest

from understudy.studies.pmse.methods import (
    SENSITIVITIES,
    Bounds,
    Sums,
    draw_unprotected,
    evenness,
    fit_privately,
    functional,
    k_norm,
    least_squares,
    noisy_posterior,
    smooth_histogram,
)
from understudy.studies.pmse.practised import DEVIATIONS, MEANS, greedy_pmse, simulate_table
from understudy.studies.pmse.published import EPSILONS, HISTOGRAM, TABLE_2

BOUNDS = Bounds.about(np.array(MEANS), np.array(DEVIATIONS), 5.0)
LARGE = 1e7


def table() -> np.ndarray:
    return simulate_table(np.random.default_rng(4)).values


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
        assert errors[1] < errors[0] / 4


def test_tables_without_noise_have_the_moments_of_the_real_one() -> None:
    random, real = np.random.default_rng(6), table()
    made = [
        draw_unprotected(real, random),
        fit_privately(real, BOUNDS, LARGE, random),
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
    # Of 5,000 records a bin that is a little less than even, and five standard errors below it.
    even_in_a_bin = even * 5000 / 8
    assert flat.min() > even_in_a_bin - 5 * even_in_a_bin**0.5
    peaked = smooth_histogram(table(), BOUNDS, 1e5, 8, np.random.default_rng(1))
    # Records are even within bins of a quarter.
    middles = (np.floor((BOUNDS.inwards(table())[:, 0] + 1) * 4).clip(0, 7) + 0.5) / 4 - 1
    spread = np.hypot(middles.std(), 0.25 / 12**0.5)
    assert BOUNDS.inwards(peaked)[:, 0].std() == pytest.approx(spread, rel=0.05)


@pytest.mark.parametrize(
    ("a_side", "known"),
    [
        (3, (0.118, 0.104, 0.077)),
        (4, (0.120, 0.115, 0.094)),
        (8, (0.125, 0.121, 0.110)),
    ],
    ids=["K = 9", "K = 16", "K = 64"],
)
def test_no_histogram_of_the_printed_share_gives_the_printed_numbers(
    a_side: int, known: tuple[float, ...]
) -> None:
    """6.10, at ε = 0.25, 1 and 4 with bounds at 4 standard deviations and cp = 0.01; printed are
    0.082, 0.033 and 0.011."""
    random = np.random.default_rng(11)
    within = Bounds.about(np.array(MEANS), np.array(DEVIATIONS), 4.0)
    printed = TABLE_2[HISTOGRAM]
    for epsilon, wanted in zip((0.25, 1.0, 4.0), known, strict=True):
        found = []
        for _ in range(5):
            real = simulate_table(random).values
            made = smooth_histogram(real, within, epsilon, a_side, random)
            found.append(greedy_pmse(real, made, None, 0.01))
        assert np.mean(found) == pytest.approx(wanted, abs=0.008)
        assert min(found) > 1.25 * printed[EPSILONS.index(epsilon)]


def test_the_published_pmse_without_privacy_is_not_one_of_the_printed_cp() -> None:
    """6.10: 0.0066 takes a cp between 3e-4 and 4e-4, or leaves of 100 records; with cp ≥ 0.001
    next to no split is made."""
    random = np.random.default_rng(13)

    def mean(cp: float, leaf: int = 1) -> float:
        pairs = [(real := table_of(random), draw_unprotected(real, random)) for _ in range(8)]
        return float(np.mean([greedy_pmse(*pair, None, cp, leaf) for pair in pairs]))

    assert mean(0.01) == 0
    assert mean(0.001) < 0.0066 / 50
    assert mean(4e-4) < 0.0066 < mean(3e-4)
    assert mean(0.0, 100) == pytest.approx(0.0066, rel=0.25)


def table_of(random: np.random.Generator) -> np.ndarray:
    return simulate_table(random).values


def test_the_noise_of_least_squares_is_that_of_its_sensitivity() -> None:
    """1: 2(d + 1)² of the functional mechanism, d = 2, by the coefficients of two records."""
    ends = [(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)]

    def polynomial(x: float, y: float) -> np.ndarray:
        """Of Σ(y − x′β)² with x = (1, x₁)/√2: of β₁², β₁β₂, β₂², β₁ and β₂."""
        row = np.array([1.0, x]) / math.sqrt(2)
        square = np.outer(row, row)
        return np.array([square[0, 0], 2 * square[0, 1], square[1, 1], *(-2 * y * row)])

    moved = max(np.abs(polynomial(*a) - polynomial(*b)).sum() for a in ends for b in ends)
    assert moved <= 2 * (2 + 1) ** 2
