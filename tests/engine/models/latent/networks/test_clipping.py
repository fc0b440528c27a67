"""What one record adds is a whole vector within the bound, whoever is beside it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.latent.networks import training as clipping
from understudy.models.latent.networks.autoencoder import (
    FINE,
    UNIT,
    Layer,
    Network,
    Shape,
    standard_normals,
)
from understudy.models.latent.networks.training import clipped_sum
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
