"""Offsets that give rows the counted shares, as far as counts can be trusted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.models.latent.features import S
from understudy.models.latent.moments import entries
from understudy.models.latent.networks import variational
from understudy.models.latent.networks.autoencoder import (
    FINE,
    REACH,
    Network,
    Shape,
    standard_normals,
)
from understudy.models.latent.networks.training import Training
from understudy.models.latent.networks.variational import (
    Planned,
    learn_network,
    plan_network,
    with_shares,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

SHAPE = Shape(4, 5, 2)
NETWORK = Network.of(SHAPE, np.random.default_rng(1).normal(0, 0.7, SHAPE.weights))
CODES = standard_normals(2_000, 2, RandomSource.fixed(1))


def shares(network: Network) -> np.ndarray:
    return np.asarray(network.decode(CODES).mean(axis=0) / FINE)


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


BUDGET = Budget(1.0, 1e-9)


def groups(many: int, seed: int = 1) -> np.ndarray:
    """Six flags that are mostly equal: two kinds of records."""
    random = np.random.default_rng(seed)
    kind = random.random((many, 1)) < 0.5
    return np.asarray(random.random((many, 6)) < np.where(kind, 0.9, 0.1))


def small(records: int) -> Planned:
    """A plan of few steps, whose cost is not what is tested."""
    training = Training(Shape(6, 12, 2), records, batch=300, steps=150, pace=0.03)
    return Planned(training, 1.0, 1.0, 1.0, BUDGET)


def test_training_and_moments_together_stay_within_the_budget() -> None:
    plan = plan_network(42, 57_214, BUDGET)
    assert plan.training.shape == Shape(42, 64, 8)
    assert 0.999 < plan.cost.epsilon <= 1.0
    without = variational.Sampled(plan.training.rate, 2000, plan.multiplier).cost(1e-9)
    assert without.epsilon < plan.cost.epsilon - 0.01
    assert plan.noise == pytest.approx(plan.multiplier * 7098**0.5 / 1000, rel=0.01)


def test_a_small_table_gets_a_small_network_and_a_smaller_one_none() -> None:
    assert plan_network(42, 22_000, BUDGET).training.shape == Shape(42, 24, 4)
    with pytest.raises(Refusal, match="learn nothing from so few records"):
        plan_network(42, 4_000, BUDGET)
    with pytest.raises(Refusal, match="needs a δ above 0"):
        plan_network(42, 1_000_000, Budget(1.0))


def test_what_goes_together_is_learned() -> None:
    table = groups(3_000)
    source = RandomSource.fixed(1)
    model = learn_network(table, small(3_000), Noise(source), source)
    rows = model.draw(3_000, source)
    assert rows.shape == (3_000, 6)
    assert np.abs(rows.mean(axis=0) - 0.5).max() < 0.1
    found = np.corrcoef(rows.T)[np.triu_indices(6, 1)]
    assert found.min() > 0.4
    assert np.corrcoef(table.T)[np.triu_indices(6, 1)].mean() == pytest.approx(0.64, abs=0.05)
    assert model.draw(0, source).shape == (0, 6)


def test_codes_are_paid_for_by_what_one_record_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """σ of the noise on the moments is the sensitivity over √(2ρ), and codes are within bounds."""
    asked = []

    class Watched(Noise):
        def gaussians(self, values: np.ndarray, scale: float) -> np.ndarray:
            asked.append((values, scale))
            return values

    plan = replace(small(400), rho=0.02)
    source = RandomSource.fixed(2)
    learn_network(groups(400), plan, Watched(source), source)
    (values, scale), (counts, of_counts) = asked
    assert counts.tolist() == groups(400).sum(axis=0).tolist()
    assert of_counts == pytest.approx((6 / 2.0) ** 0.5)
    assert len(values) == entries(2)
    assert scale == pytest.approx(S**2 * (entries(2) / 0.04) ** 0.5)
    assert values[0] == 400 * S**2
    assert np.abs(values).max() <= 400 * S**2


def test_decoding_draws_each_flag_with_its_chance() -> None:
    source = RandomSource.fixed(3)
    model = learn_network(groups(300), small(300), Noise(source), source)
    code = np.array([[REACH / 2, -REACH / 3]])
    chances = model.network.decode(code)[0] / 65536
    rows = model.flags(np.repeat(code, 20_000, axis=0), source)
    assert np.abs(rows.mean(axis=0) - chances).max() < 4 * 0.5 / 20_000**0.5


def test_it_learns_from_no_records_too() -> None:
    source = RandomSource.fixed(4)
    model = learn_network(groups(0), small(300), Noise(source), source)
    assert model.draw(5, source).shape == (5, 6)


def test_as_many_rows_are_drawn_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variational, "_BLOCK", 4)
    shape = Shape(3, 2, 1)
    network = Network.of(shape, np.zeros(shape.weights))
    model = variational.Variational(network, np.zeros(1), np.eye(1))
    for many in (0, 3, 4, 10):
        assert model.draw(many, RandomSource.fixed(1)).shape == (many, 3)
