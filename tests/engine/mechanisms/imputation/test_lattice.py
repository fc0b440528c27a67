"""Numbers on a fine lattice: exact centres, right deviations, and the rounding to steps."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import truncnorm

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.accounting import FINE
from understudy.mechanisms.imputation.lattice import Lattice
from understudy.mechanisms.imputation.parts import Mean
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource


def part(records: int = 100, prior: Fraction = Fraction(3, 2), deviation: float = 12.0) -> Mean:
    return Mean(0, 72, Decimal(1), Decimal(18), deviation, prior, records)


@given(
    records=st.integers(1, 1000),
    prior=st.fractions(0, 50, max_denominator=1000),
    share=st.floats(0, 1),
)
def test_the_centre_is_the_mean_of_the_posterior_exactly(
    records: int, prior: Fraction, share: float
) -> None:
    lattice = Lattice.of(part(records, prior))
    total = int(share * 72 * records)
    mean = (Fraction(total) - 36 * records) / (records + prior)
    assert Fraction(lattice.centre(total), lattice.per_step) == mean
    moved = lattice.centre(total + 72) - lattice.centre(total)
    assert moved / lattice.mean == pytest.approx(
        lattice.part.model.shift / lattice.part.model.deviation
    )
    assert lattice.mean >= FINE


def test_rows_spread_as_they_should_and_keep_within_bounds() -> None:
    """Within five standard errors of what so many rows come to."""
    lattice, noise, rows = Lattice.of(part()), Noise(RandomSource.fixed(6)), 20_000
    centres = np.full(rows, lattice.centre(2700), dtype=np.int64)
    centre = -9 * 100 / 101.5
    found = lattice.around(centres, lattice.row, noise, conditioned=False) / lattice.per_step
    assert found.mean() == pytest.approx(centre, abs=5 * 12 / rows**0.5)
    assert found.std() == pytest.approx(12.0, rel=5 / (2 * rows) ** 0.5)
    within = lattice.around(centres, 10 * lattice.row, noise, conditioned=True)
    assert np.abs(within).max() <= 36 * lattice.per_step
    law = truncnorm((-36 - centre) / 120, (36 - centre) / 120, centre, 120)
    kept = within / lattice.per_step
    assert kept.mean() == pytest.approx(law.mean(), abs=5 * law.std() / rows**0.5)
    assert kept.std() == pytest.approx(law.std(), rel=5 / (5 * rows) ** 0.5)


def test_places_are_the_nearest_and_the_bounds_beyond() -> None:
    lattice = Lattice.of(part())
    numbers = np.array([-40.0, -36.0, -35.6, -0.5, 0.0, 0.49, 35.9, 99.0])
    found = lattice.places((numbers * lattice.per_step).astype(np.int64))
    assert found.tolist() == [0, 0, 0, 36, 36, 36, 72, 72]
    assert lattice.value(0) == 54.0


def test_numbers_beyond_64_bits_are_refused() -> None:
    with pytest.raises(Refusal, match="too many"):
        Lattice.of(Mean(0, 10**9, Decimal(1), Decimal(0), 1e8, Fraction(1, 10**6), 10**6))


@pytest.mark.parametrize("deviation", [5e-324, 1e-300, 1e-12, 1e300])
def test_a_deviation_without_a_lattice_is_refused(deviation: float) -> None:
    with pytest.raises(Refusal, match="too many for its deviation"):
        Lattice.of(part(deviation=deviation))


def test_whoever_is_out_of_bounds_is_asked_again_around_the_same_centre_at_the_same_scale() -> None:
    """So that the law is that of the first draw, given that it is within."""
    asked: list[tuple[list[int], float]] = []

    class Far(Noise):
        def gaussians(self, values: np.ndarray, scale: float) -> np.ndarray:
            asked.append((values.tolist(), scale))
            return values + np.where(np.arange(len(values)) < 2 - len(asked), 10**15, 0)

    lattice = Lattice.of(part())
    noise = Far(RandomSource.fixed(1))
    centres = np.array([lattice.centre(2_000), lattice.centre(4_000), lattice.centre(5_000)])
    found = lattice.around(centres, 12.5, noise, conditioned=True)
    assert found.tolist() == centres.tolist()
    assert asked == [(centres.tolist(), 12.5), (centres[:1].tolist(), 12.5)]
    del asked[:]
    lattice.around(centres, 12.5, noise, conditioned=False)
    assert asked == [(centres.tolist(), 12.5)]
