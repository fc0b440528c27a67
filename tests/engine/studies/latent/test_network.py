"""Slopes of the networks against differences of their losses, and what training is for."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.studies.latent import models
from understudy.studies.latent.models import WIDTH, Kind, train

KINDS: tuple[Kind, ...] = ("AE-3", "true VAE-3")


def some(records: int) -> np.ndarray:
    """Eight flags that follow two."""
    random = np.random.default_rng(3)
    hidden = random.random((records, 2)) < 0.5
    return np.repeat(hidden, 4, axis=1) ^ (random.random((records, 8)) < 0.03)


def loss(kind: Kind, weights: list[np.ndarray], batch: np.ndarray, strength: float) -> float:
    """As the module says, written out."""
    inner, inner_at, code, code_at, outer, outer_at, last, last_at = weights
    output = np.tanh(batch @ inner + inner_at) @ code + code_at
    if kind == "AE-3":
        codes, mean, spread = output, output.mean(axis=0), output.std(axis=0)
        apart = 0.5 * (spread**2 + mean**2 - 1 - 2 * np.log(spread)).sum()
    else:
        mean, spread = output[:, :WIDTH], np.exp(output[:, WIDTH:])
        chance = np.random.default_rng(5).standard_normal(mean.shape, dtype=np.float32)
        codes = mean + spread * chance
        apart = 0.5 * (spread**2 + mean**2 - 1 - 2 * np.log(spread)).sum() / len(batch)
    chances = 1 / (1 + np.exp(-(np.tanh(codes @ outer + outer_at) @ last + last_at)))
    likely = np.where(batch > 0.5, chances, 1 - chances)
    return float(-np.log(likely).sum() / len(batch) + strength * apart)


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_are_those_of_the_loss(kind: Kind) -> None:
    flags, random = some(20), np.random.default_rng(2)
    slope = models._variational if kind == "true VAE-3" else models._autoencoder
    weights = models._start(flags, 2 * WIDTH if kind == "true VAE-3" else WIDTH, random)
    weights = [each + 0.1 * random.standard_normal(each.shape) for each in weights]
    batch = flags.astype(np.float64)
    found = models._slopes(weights, batch, lambda out: slope(out, 0.7, np.random.default_rng(5)))
    for which, slopes in enumerate(found):
        place = tuple(random.integers(0, size) for size in slopes.shape)
        ends = []
        for step in (1e-4, -1e-4):
            moved = [each.copy() for each in weights]
            moved[which][place] += step
            ends.append(loss(kind, moved, batch, 0.7))
        assert slopes[place] == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=2e-3, abs=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_trained_network_gives_records_back(kind: Kind) -> None:
    flags = some(3_000)
    model = train(kind, flags, 60, 0.05, 1)
    wrong = np.abs(model.reconstructed(flags).round() - flags).mean()
    assert wrong < 0.1 < 0.4 < np.abs(flags.mean(axis=0).round() - flags).mean()
    alone = model.seedless(500, np.random.default_rng(0))
    assert alone.shape == (500, 8)
    assert ((alone > 0) & (alone < 1)).all()


def test_the_same_seed_trains_the_same_network() -> None:
    one, again, other = (train("AE-3", some(200), 2, 0.5, seed) for seed in (1, 1, 2))
    assert (one.reconstructed(some(9)) == again.reconstructed(some(9))).all()
    assert (one.reconstructed(some(9)) != other.reconstructed(some(9))).any()
