"""Offsets that give rows the counted shares, as far as counts can be trusted."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.models.latent.networks.autoencoder import FINE, Network, Shape, standard_normals
from understudy.models.latent.networks.variational import with_shares
from understudy.privacy.randomness import RandomSource

SHAPE = Shape(4, 5, 2)
NETWORK = Network.of(SHAPE, np.random.default_rng(1).normal(0, 0.7, SHAPE.weights))
CODES = standard_normals(2_000, 2, RandomSource.fixed(1))


def shares(network: Network) -> np.ndarray:
    return np.asarray(network.decoded(CODES).mean(axis=0) / FINE)


def test_exact_counts_are_met() -> None:
    found = with_shares(NETWORK, CODES, np.array([100, 900, 500, 10]), 1000, 1e6)
    np.testing.assert_allclose(shares(found), [0.1, 0.9, 0.5, 0.01], atol=5e-4)
    for one, other in zip(found.layers[:3], NETWORK.layers[:3], strict=True):
        assert (one == other).all()


def test_counts_that_are_mostly_noise_change_little() -> None:
    found = with_shares(NETWORK, CODES, np.array([-5000, 5000, 0, 1000]), 1000, 1e-6)
    np.testing.assert_allclose(shares(found), shares(NETWORK), atol=1e-3)


@pytest.mark.parametrize("count", [-(10**9), 10**9])
def test_impossible_counts_are_shares_all_the_same(count: int) -> None:
    found = shares(with_shares(NETWORK, CODES, np.full(4, count), 1000, 1e6))
    assert np.abs(found - (count > 0)).max() < 0.05
