"""What one record adds is a whole vector within the bound, whoever is beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.latent.networks import training as clipping
from understudy.models.latent.networks import training as module
from understudy.models.latent.networks.autoencoder import (
    FINE,
    UNIT,
    Layer,
    Network,
    Shape,
    standard_normals,
)
from understudy.models.latent.networks.training import (
    SIGMA_BITS,
    Adam,
    Training,
    clipped_sum,
    train,
)
from understudy.privacy.randomness import RandomSource

SHAPE = Shape(6, 5, 2)
BOUND = 1 << 33


def slopes(seed: int, many: int, scale: float) -> tuple[Layer, ...]:
    random = np.random.default_rng(seed)
    net = Network.of(SHAPE, random.normal(0, scale, SHAPE.weights))
    records = random.integers(0, 2, (many, 6)).astype(np.float64) * UNIT
    return net.slopes(records, standard_normals(many, 2, RandomSource.fixed(seed)), 0.5)


def alone(layers: tuple[Layer, ...], record: int) -> list[int]:
    """The plain way: the whole vector of one record, written down."""
    own = [Layer(one.inputs[[record]], one.by_sums[[record]]) for one in layers]
    return [int(each) for each in clipped_sum(own, 0.7, BOUND)]


@given(seed=st.integers(0, 300), many=st.integers(1, 30), scale=st.sampled_from([0.1, 1.0, 9.0]))
def test_a_sum_is_that_of_its_records_and_none_is_longer_than_the_bound(
    seed: int, many: int, scale: float
) -> None:
    layers = slopes(seed, many, scale)
    each = [alone(layers, record) for record in range(many)]
    assert clipped_sum(layers, 0.7, BOUND).tolist() == [sum(of) for of in zip(*each, strict=True)]
    assert all(sum(part * part for part in one) <= BOUND**2 for one in each)


def test_a_long_slope_is_cut_to_the_bound_and_a_short_one_is_kept() -> None:
    layers = slopes(3, 20, 1.0)
    for record in range(20):
        raw = np.concatenate(
            [
                np.outer(np.append(one.inputs[record], UNIT), one.by_sums[record]).ravel()
                for one in layers
            ]
        ) / (UNIT * FINE)
        length = float(np.linalg.norm(raw))
        found = np.array(alone(layers, record)) * (0.7 / BOUND)
        np.testing.assert_allclose(found, raw * min(1.0, 0.7 / length), atol=2e-5)


def test_without_records_nothing_is_added() -> None:
    none = tuple(Layer(one.inputs[:0], one.by_sums[:0]) for one in slopes(1, 3, 1.0))
    assert not clipped_sum(none, 1.0, BOUND).any()


def test_a_vector_that_rounding_left_too_long_is_not_added(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = slopes(3, 20, 1.0)
    whole = clipped_sum(layers, 0.7, BOUND)
    scale = clipping._scale
    too_long = np.arange(20) < 5
    monkeypatch.setattr(
        clipping, "_scale", lambda *asked: np.where(too_long, 1.2, 1.0) * scale(*asked)
    )
    rest = tuple(Layer(one.inputs[5:], one.by_sums[5:]) for one in layers)
    found = clipped_sum(layers, 0.7, BOUND)
    monkeypatch.setattr(clipping, "_scale", scale)
    assert found.tolist() == clipped_sum(rest, 0.7, BOUND).tolist() != whole.tolist()


SMALL = Training(Shape(4, 3, 2), records=500, batch=100, steps=6)


def records(many: int, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (random.random((many, 4)) < 0.3).astype(np.uint16) * UNIT


def test_rate_divisor_and_bound_are_public() -> None:
    assert SMALL.threshold == 13107
    assert SMALL.rate == 13107 / 65536
    assert SMALL.divisor == pytest.approx(100, abs=0.01)
    assert SMALL.clipping_bound(4.0) == 1 << (SIGMA_BITS - 2)
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
    train(np.concatenate([table, table]), whole, 1.0, RandomSource.fixed(9))
    train(table, whole, 1.0, RandomSource.fixed(9))
    train(table[:0], replace(whole, shape=Shape(4, 40, 9)), 2.5, RandomSource.fixed(9))
    everybody, half, nobody = slopes
    noise = whole.clip / whole.divisor
    assert np.linalg.norm(everybody - 2 * half) < 0.3 * np.linalg.norm(everybody) + noise * 9
    assert nobody.std() * whole.divisor == pytest.approx(2.5 * whole.clip, rel=0.1)


def test_a_run_that_was_killed_trains_to_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    table = records(500)
    first = train(table, SMALL, 2.0, RandomSource.fixed(3))
    monkeypatch.setattr(module, "_BLOCK", 1 << 11)
    again = train(table, SMALL, 2.0, RandomSource.fixed(3))
    for one, other in zip(first.layers, again.layers, strict=True):
        np.testing.assert_array_equal(one, other)
    other_ = train(table, SMALL, 2.0, RandomSource.fixed(4))
    assert (first.layers[0] != other_.layers[0]).any()


def test_adam_makes_the_steps_that_are_published() -> None:
    """The first step is the rate against the sign of the slope; the second by hand."""
    first = Adam.at(np.zeros(2)).after(np.array([3.0, -0.01]), 0.1)
    np.testing.assert_allclose(first.weights, [-0.1, 0.1], rtol=1e-4)
    second = first.after(np.array([1.0, 0.0]), 0.1)
    mean, square = (0.9 * 0.3 + 0.1) / 0.19, (0.999 * 0.009 + 0.001) / (1 - 0.999**2)
    assert second.weights[0] == pytest.approx(-0.1 - 0.1 * mean / square**0.5, rel=1e-5)
