"""Training: its samples, its divisor, its noise, and the same bits again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from understudy.models.latent.networks import training as module
from understudy.models.latent.networks.autoencoder import UNIT, Shape
from understudy.models.latent.networks.training import SIGMA_BITS, Adam, Training, trained
from understudy.privacy.randomness import RandomSource

SMALL = Training(Shape(4, 3, 2), records=500, batch=100, steps=6)


def records(many: int, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (random.random((many, 4)) < 0.3).astype(np.uint16) * UNIT


def test_rate_divisor_and_bound_are_public() -> None:
    assert SMALL.threshold == 13107
    assert SMALL.rate == 13107 / 65536
    assert SMALL.divisor == pytest.approx(100, abs=0.01)
    assert SMALL.bound(4.0) == 1 << (SIGMA_BITS - 2)
    assert Training(SMALL.shape, records=10, batch=1000).rate == 1.0


def test_samples_are_poisson() -> None:
    """Every record with the same chance, and sizes that vary as coins do."""
    plan = replace(SMALL, steps=800)
    taken = list(module._samples(300, plan, RandomSource.fixed(4)))
    often = np.bincount(np.concatenate(taken), minlength=300)
    assert np.abs(often / 800 - plan.rate).max() < 5 * (0.16 / 800) ** 0.5
    sizes = np.array([len(each) for each in taken])
    assert sizes.mean() == pytest.approx(60, abs=1)
    assert sizes.std() == pytest.approx((300 * 0.2 * 0.8) ** 0.5, rel=0.1)


def test_the_sum_is_divided_by_what_is_public_and_noise_has_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of half the declared records the slope is half as large: the true number divides nothing."""
    slopes = []
    after = Adam.after

    def seen(self: Adam, slope: np.ndarray, rate: float) -> Adam:
        slopes.append(slope)
        return after(self, slope, rate)

    monkeypatch.setattr(Adam, "after", seen)
    whole = replace(SMALL, steps=1, batch=500)
    table = records(250)
    trained(np.concatenate([table, table]), whole, 1.0, RandomSource.fixed(9))
    trained(table, whole, 1.0, RandomSource.fixed(9))
    trained(table[:0], replace(whole, shape=Shape(4, 40, 9)), 2.5, RandomSource.fixed(9))
    everybody, half, nobody = slopes
    noise = whole.clip / whole.divisor
    assert np.linalg.norm(everybody - 2 * half) < 0.3 * np.linalg.norm(everybody) + noise * 9
    assert nobody.std() * whole.divisor == pytest.approx(2.5 * whole.clip, rel=0.1)


def test_a_run_that_was_killed_trains_to_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    table = records(500)
    first = trained(table, SMALL, 2.0, RandomSource.fixed(3))
    monkeypatch.setattr(module, "_BLOCK", 1 << 11)
    again = trained(table, SMALL, 2.0, RandomSource.fixed(3))
    for one, other in zip(first.layers, again.layers, strict=True):
        np.testing.assert_array_equal(one, other)
    other_ = trained(table, SMALL, 2.0, RandomSource.fixed(4))
    assert (first.layers[0] != other_.layers[0]).any()


def test_adam_makes_the_steps_that_are_published() -> None:
    """The first step is the rate against the sign of the slope; the second by hand."""
    first = Adam.at(np.zeros(2)).after(np.array([3.0, -0.01]), 0.1)
    np.testing.assert_allclose(first.weights, [-0.1, 0.1], rtol=1e-4)
    second = first.after(np.array([1.0, 0.0]), 0.1)
    mean, square = (0.9 * 0.3 + 0.1) / 0.19, (0.999 * 0.009 + 0.001) / (1 - 0.999**2)
    assert second.weights[0] == pytest.approx(-0.1 - 0.1 * mean / square**0.5, rel=1e-5)
