"""Curves of a Gaussian model, against the reference values and against plain integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from understudy.mechanisms.imputation.curves.curve import (
    Gaussian,
    GaussianCurve,
    delta_at,
    epsilon_at,
    largest_ratio,
)

FLAT = 1e-12


@pytest.mark.parametrize(
    ("epsilon", "wanted"),
    [
        (0.1, (0.0325, 0.0275, 0.0218)),
        (0.5, (0.1422, 0.1241, 0.1014)),
        (1.0, (0.2681, 0.2367, 0.1961)),
        (2.0, (0.5016, 0.4483, 0.3769)),
    ],
)
def test_the_largest_ratio(epsilon: float, wanted: tuple[float, ...]) -> None:
    found = [largest_ratio(epsilon, delta) for delta in (1e-5, 1e-6, 1e-8)]
    assert found == pytest.approx(wanted, abs=6e-5)
    for ratio, delta in zip(found, (1e-5, 1e-6, 1e-8), strict=True):
        assert epsilon_at(GaussianCurve(ratio), delta) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize(
    ("records", "epsilon", "delta", "mean", "one"),
    [
        (1000, 1, 1e-6, 3.743, 5.293),
        (1000, 0.5, 1e-6, 1.962, 2.775),
        (10_000, 0.1, 1e-8, 1.088, 1.539),
    ],
)
def test_the_widest_ranges(
    records: int, epsilon: float, delta: float, mean: float, one: float
) -> None:
    model, ratio = Gaussian(1.0, 1.0, FLAT, records), largest_ratio(epsilon, delta)
    assert ratio / model.compute_mu(1, math.inf) == pytest.approx(mean, abs=1e-3)
    assert ratio / model.from_mode(records) == pytest.approx(mean, abs=1e-3)
    assert ratio / model.compute_mu(1, records) == pytest.approx(one, abs=1e-3)
    # Draws of their own are about the mode: their variance is that of a row and of the mean.
    mode, own = (ratio / each for each in (model.from_mode(records), model.compute_mu(records, 1)))
    assert own == pytest.approx(mode * math.sqrt(1 + 1 / records))
    assert one == pytest.approx(math.sqrt(2) * mean, abs=2e-3)


@given(
    radius=st.floats(0.1, 5),
    sigma=st.floats(0.1, 5),
    prior=st.floats(1e-6, 500),
    records=st.integers(1, 2000),
    tables=st.integers(1, 20),
    rows=st.integers(1, 3000),
)
def test_ratios_as_printed(
    radius: float, sigma: float, prior: float, records: int, tables: int, rows: int
) -> None:
    """6.2, written with σ0² = σ²/prior, w and D = w·2R/n."""
    model = Gaussian(radius, sigma, prior, records)
    spread = sigma**2 / prior
    weight = records * spread / (sigma**2 + records * spread)
    moved = weight * 2 * radius / records
    of_mean = 1 / (records / sigma**2 + prior / sigma**2)
    one = moved / math.sqrt(of_mean + sigma**2 / rows)
    for found, wanted in (
        (model.compute_mu(1, math.inf), (2 * radius / sigma) / math.sqrt(records + prior)),
        (model.from_mode(rows), math.sqrt(rows) * moved / sigma),
        (model.compute_mu(rows, 1), math.sqrt(rows) * moved / math.sqrt(sigma**2 + of_mean)),
        (model.compute_mu(1, rows), one),
        (model.compute_mu(tables, rows), math.sqrt(tables) * one),
    ):
        assert found == pytest.approx(wanted, rel=1e-9)


def test_a_strong_prior_widens_them() -> None:
    """σ0 = σ/100, n = 1000, ε = 1."""
    model, ratio = Gaussian(1.0, 1.0, 1e4, 1000), largest_ratio(1.0, 1e-6)
    assert ratio / model.compute_mu(1, math.inf) == pytest.approx(12.4, abs=0.05)
    assert ratio / model.compute_mu(1, 1000) == pytest.approx(43.0, abs=0.05)
    assert ratio / model.compute_mu(1000, 1) == pytest.approx(41.2, abs=0.05)


@pytest.mark.parametrize(
    ("records", "wanted"), [(10, 0.730), (100, 0.918), (1000, 0.975), (10_000, 0.992)]
)
def test_a_mean_within_bounds(records: int, wanted: float) -> None:
    assert Gaussian(0.5, 1.0, FLAT, records).conditioned_mean() == pytest.approx(wanted, abs=6e-4)


def test_a_row_within_bounds() -> None:
    def row(radius: float, *, mode: bool) -> float:
        return Gaussian(radius, 1.0, FLAT, 1000).conditioned_row(mode=mode)

    assert row(math.sqrt(1000 / 2), mode=False) == pytest.approx(1.962, abs=5e-4)
    assert row(math.sqrt(1000 / 2), mode=True) == pytest.approx(1.964, abs=5e-4)
    assert row(math.sqrt(1000) / 2, mode=True) == pytest.approx(0.974, abs=1e-3)


@given(
    radius=st.floats(0.05, 30),
    prior=st.floats(0, 50),
    records=st.integers(1, 500),
    low=st.floats(0, 1),
    end=st.floats(-1, 1),
)
def test_no_pair_of_tables_is_worse_within_bounds(
    radius: float, prior: float, records: int, low: float, end: float
) -> None:
    model = Gaussian(radius, 1.0, prior, records)
    most = model.conditioned_mean()
    room = 2 * model.weight * radius - model.shift
    first = -model.weight * radius + low * room
    laws = [norm(at, model.deviation) for at in (first, first + model.shift)]
    logs = [law.logpdf(end * radius) - math.log(law.cdf(radius) - law.cdf(-radius)) for law in laws]
    assert abs(logs[1] - logs[0]) <= most * (1 + 1e-6) + 1e-9


@given(ratio=st.floats(0.01, 3), deviation=st.floats(1000, 3000), epsilon=st.floats(0.01, 4))
def test_the_lattice_is_allowed_for(ratio: float, deviation: float, epsilon: float) -> None:
    """The discrete Gaussian, summed up."""
    shift = max(1, round(ratio * deviation))
    places = np.arange(-int(12 * deviation) - shift, int(12 * deviation) + 2 * shift, dtype=float)
    logs = -(places**2) / (2 * deviation**2)
    other = -((places + shift) ** 2) / (2 * deviation**2)
    whole = math.log(deviation * math.sqrt(2 * math.pi))
    exact = np.maximum(np.exp(logs - whole) - np.exp(epsilon + other - whole), 0).sum()
    found = delta_at(GaussianCurve(shift / deviation, deviation), epsilon)
    assert exact <= found * (1 + 1e-9)
    assert found <= exact + 4 / deviation
