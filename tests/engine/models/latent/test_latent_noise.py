"""Codes that are disturbed by a model's own posterior: exact, and with the model's own law."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.engine.models.latent.toy import toy
from understudy.models.latent.factors import Encoder, Factors, pair_shares
from understudy.models.latent.grid import DEVIATION
from understudy.models.latent.latent_noise import LatentNoise, OfFactors, OfNetwork
from understudy.models.latent.networks.autoencoder import UNIT, Network, Shape
from understudy.models.latent.networks.variational import Variational
from understudy.privacy.randomness import RandomSource

FACTORS = toy(5, 0, 2)
EVERY = np.array(list(product((0, 1), repeat=5)), dtype=np.uint16)


def network() -> Variational:
    rng = np.random.default_rng(3)
    shape = Shape(5, 4, 2)
    made = Network.of(shape, rng.normal(0, 1, shape.weights))
    return Variational(made, np.zeros(2), np.eye(2) * UNIT)


def models() -> list[LatentNoise]:
    source = RandomSource.fixed(1)
    return [
        LatentNoise(*OfFactors.with_grid(FACTORS, 1.0)),
        LatentNoise(*OfNetwork.with_grid(network(), 1.0, source)),
    ]


both = pytest.mark.parametrize("which", [0, 1], ids=["factors", "network"])


@both
def test_a_score_has_the_same_bits_whatever_else_is_asked(which: int) -> None:
    model = models()[which]
    seeds = EVERY[np.random.default_rng(1).integers(0, 32, 300)]
    made = model.propose(seeds[:60], RandomSource.fixed(2))
    whole = model.log_likelihood(seeds, made)
    assert np.isfinite(whole.diagonal()).all()
    order = np.random.default_rng(1).permutation(300)
    shuffled = model.log_likelihood(np.asfortranarray(seeds[order]), made[::-1])
    assert (shuffled == whole[order][:, ::-1]).all()
    for one in (0, 13, 299):
        assert (model.log_likelihood(seeds[one : one + 1], made)[0] == whole[one]).all()
        assert (model.log_likelihood_of(model.locate(seeds[:60]), made) == whole.diagonal()).all()


@both
def test_a_model_is_kept_whole(which: int) -> None:
    model, restore = models()[which], (OfFactors.restore, OfNetwork.restore)[which]
    again = LatentNoise.restore(model.arrays(), restore)
    made = model.propose(EVERY, RandomSource.fixed(2))
    assert (again.log_likelihood(EVERY, made) == model.log_likelihood(EVERY, made)).all()
    rows = model.decode(made, RandomSource.fixed(3))
    assert (again.decode(made, RandomSource.fixed(3)) == rows).all()


@pytest.mark.parametrize("disturbed", [1.0, 2.0])
def test_disturbed_codes_of_factors_are_draws_given_the_record(disturbed: float) -> None:
    """The deviation along each axis is the model's, and rows of records have its shares."""
    grid, _ = OfFactors.with_grid(FACTORS, disturbed)
    encoder = Encoder.of(FACTORS)
    scale = float(np.linalg.norm(grid.directions)) / float(np.linalg.norm(encoder.weights))
    open_ = np.sqrt(np.linalg.eigvalsh(encoder.left))
    found = grid.width * DEVIATION / scale / 1024
    np.testing.assert_allclose(found, open_ * disturbed, rtol=0.01)
    model = LatentNoise(*OfFactors.with_grid(FACTORS, disturbed))
    bits, _ = FACTORS.draw(60_000, RandomSource.fixed(4))
    rows = model.decode(model.propose(bits, RandomSource.fixed(5)), RandomSource.fixed(6))
    together = rows.T.astype(float) @ rows / len(rows)
    np.testing.assert_allclose(together, pair_shares(FACTORS), atol=0.02)


def test_the_noise_on_codes_of_a_network_is_its_mean_posterior() -> None:
    model = network()
    grid, space = OfNetwork.with_grid(model, 2.0, RandomSource.fixed(7))
    rows = model.draw(20_000, RandomSource.fixed(8)).astype(np.float64) * UNIT
    deviation = np.sqrt((model.network.deviations(rows) ** 2).mean(axis=0))
    np.testing.assert_allclose(grid.width * DEVIATION, 2 * deviation, rtol=0.03)
    means = model.network.law(EVERY.astype(np.float64) * UNIT)[0]
    assert (space.numbers(EVERY) == means).all()
    middles = grid.middles(grid.coordinates(space.numbers(EVERY)).astype(np.uint16))
    assert (np.abs(middles - means) <= grid.width / 2 + 1).all()


def test_what_a_record_tells_whole_is_disturbed_all_the_same() -> None:
    certain = Factors(np.zeros(3), np.zeros(0), np.zeros(0), np.full((3, 1), 0.97))
    grid, _ = OfFactors.with_grid(certain, 1.0)
    assert (grid.width > 1000).all()
