"""Noisy sums read as moments, and what noise may do to them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.latent.toy import toy, without_noise
from understudy.models.latent.factors import Factors
from understudy.models.latent.features import S
from understudy.models.latent.moments import NoisyMoments, sums
from understudy.models.latent.principal import Principal
from understudy.privacy.randomness import RandomSource


def test_without_noise_they_are_those_of_the_rows() -> None:
    bits, numbers = toy(4, 2, 2).draw(3_000, RandomSource.fixed(1))
    whole = np.rint(numbers) / S
    rows = np.hstack([bits, whole])
    found = without_noise(bits, numbers)
    assert found.records == 3_000
    np.testing.assert_allclose(found.mean, rows.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(rows.T, bias=True), atol=1e-12)
    np.testing.assert_allclose(found.variances, rows.var(axis=0))


def test_deviations_are_those_of_covariances_of_independent_columns() -> None:
    """Measured over 400 tables of two flags, each with noise of its own."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(400):
        rows = (rng.random((900, 2)) < [0.3, 0.6]).astype(np.int64) * S
        noisy = sums(rows) + np.rint(rng.normal(0, 12 * S**2, 6)).astype(np.int64)
        found.append(NoisyMoments.of(noisy, 2, 12 * S**2))
    apart = np.std([each.covariance[0, 1] for each in found])
    told = np.mean([each.deviations[0, 1] for each in found])
    assert 0.85 * apart < told < 1.25 * apart


@given(
    noisy=st.lists(st.integers(-(10**12), 10**12), min_size=15, max_size=15),
    deviation=st.sampled_from([0.0, 1e6, 1e12]),
)
def test_whatever_the_noise_made_of_them_models_draw_rows(
    noisy: list[int], deviation: float
) -> None:
    found = NoisyMoments.of(np.array(noisy), 3, deviation)
    assert ((found.shares > 0) & (found.shares < 1)).all()
    assert (found.variances > 0).all()
    for kind in (Factors, Principal):
        bits, numbers = kind.fit(found, 2).draw(3, RandomSource.fixed(1))
        assert set(np.unique(bits)) <= {0, 1}
        assert np.isfinite(numbers).all()
        assert np.abs(numbers).max() <= S
