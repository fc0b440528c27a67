"""The network in whole numbers, against one in doubles and its numerical slopes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.latent.networks.autoencoder import (
    FINE,
    MOST_WEIGHT,
    REACH,
    UNIT,
    Network,
    Shape,
    dense,
    standard_normals,
    tanh,
)
from understudy.privacy.randomness import RandomSource

SHAPE = Shape(5, 7, 2)


def network(seed: int, scale: float = 0.6, shape: Shape = SHAPE) -> Network:
    random = np.random.default_rng(seed)
    return Network.of(shape, random.normal(0, scale, shape.weights))


def flags(seed: int, many: int, shape: Shape = SHAPE) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.integers(0, 2, (many, shape.columns)).astype(np.float64) * UNIT


def loss(weights: np.ndarray, x: np.ndarray, xi: np.ndarray, strength: float) -> float:
    """Of one record, in doubles, as the module's docstring writes it."""
    parts, start = [], 0
    for wide, out in SHAPE.layers:
        parts.append(weights[start : start + (wide + 1) * out].reshape(wide + 1, out))
        start += (wide + 1) * out
    one = [np.tanh(x @ parts[0][:-1] + parts[0][-1])]
    law = one[0] @ parts[1][:-1] + parts[1][-1]
    mean, spread = law[: SHAPE.width], law[SHAPE.width :]
    code = mean + np.exp(spread) * xi
    chance = np.tanh(code @ parts[2][:-1] + parts[2][-1]) @ parts[3][:-1] + parts[3][-1]
    chance = 1 / (1 + np.exp(-chance))
    likely = x * np.log(chance) + (1 - x) * np.log(1 - chance)
    apart = (mean**2 + np.exp(2 * spread) - 1 - 2 * spread) / 2
    return float(-likely.sum() + strength * apart.sum())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_slopes_are_those_of_the_loss(seed: int) -> None:
    """With weights so small that nothing is limited."""
    random = np.random.default_rng(seed)
    weights = np.rint(random.normal(0, 0.25, SHAPE.weights) * UNIT) / UNIT
    record, normals = flags(seed, 1), np.rint(random.normal(0, 0.7, (1, 2)) * UNIT)
    layers = Network.of(SHAPE, weights).slopes(record, normals, 0.5)
    found = np.concatenate(
        [np.outer(np.append(one.inputs, UNIT), one.by_sums).ravel() for one in layers]
    ) / (UNIT * FINE)
    near = 1e-5 * np.eye(SHAPE.weights)
    given_ = record[0] / UNIT, normals[0] / UNIT, 0.5
    expected = [(loss(weights + d, *given_) - loss(weights - d, *given_)) / 2e-5 for d in near]
    np.testing.assert_allclose(found, expected, atol=4e-3)


@given(
    seed=st.integers(0, 1000),
    scale=st.sampled_from([0.1, 1.0, 20.0]),
    cuts=st.lists(st.integers(1, 96), max_size=5),
    columns=st.sampled_from([3, 42, 130]),
)
def test_nothing_depends_on_what_is_beside(
    seed: int, scale: float, cuts: list[int], columns: int
) -> None:
    """Codes, chances and slopes of records are the same bits in whatever blocks they are asked."""
    shape = Shape(columns, 24, 3)
    net, records = network(seed, scale, shape), flags(seed, 97, shape)
    normals = standard_normals(97, 3, RandomSource.fixed(seed))
    blocks = [range(a, b) for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), 97], strict=True)]
    blocks.append(range(96, -1, -1))
    codes = net.codes(records, normals)
    chances = net.decode(codes)
    slopes = net.slopes(records, normals, 0.5)
    for rows in blocks:
        some = list(rows)
        np.testing.assert_array_equal(net.codes(records[some], normals[some]), codes[some])
        np.testing.assert_array_equal(net.decode(codes[some]), chances[some])
        for one, all_ in zip(net.slopes(records[some], normals[some], 0.5), slopes, strict=True):
            np.testing.assert_array_equal(one.by_sums, all_.by_sums[some])


def test_whole_numbers_stay_exact_at_their_largest() -> None:
    """The largest network with the largest weights sums nothing that doubles would round."""
    shape = Shape(255, 512, 16)
    net = Network.of(shape, np.full(shape.weights, 1e9))
    assert all((layer == MOST_WEIGHT).all() for layer in net.layers)
    records = np.full((2, 255), float(UNIT))
    for layer in net.slopes(records, np.full((2, 16), 5.0 * UNIT), 0.5):
        assert np.abs(layer.by_sums).max() * MOST_WEIGHT * 512 < 2**53
        assert (layer.by_sums == np.rint(layer.by_sums)).all()


def test_sums_are_whole_and_do_not_round() -> None:
    """What a layer sums is what Python's whole numbers sum, before any rounding could hide it."""
    shape = Shape(42, 64, 3)
    net, random = network(6, 1.0, shape), np.random.default_rng(6)
    codes = np.rint(random.uniform(-REACH, REACH, (33, 3)))
    hidden = tanh(dense(codes, net.layers[2][:-1], net.layers[2][-1]))
    layer = [[int(each) for each in row] for row in net.layers[3]]
    assert (np.array(layer) == net.layers[3]).all()
    expected = [
        [
            sum(int(a) * row[out] for a, row in zip(of, layer[:-1], strict=True))
            + UNIT * layer[-1][out]
            for out in range(42)
        ]
        for of in hidden
    ]
    assert net.sums(codes).tolist() == expected


def test_chances_are_whole_sum_to_one_and_leave_nothing_out() -> None:
    net = network(4, 30.0)
    chances = net.decode(np.array([[-REACH, REACH], [0, 0], [17, -4000]], dtype=np.float64))
    assert (chances == np.rint(chances)).all()
    assert chances.min() >= 1
    assert chances.max() <= FINE - 1
    for row in chances.astype(np.int64).tolist():
        total = 0
        for bits in product((0, 1), repeat=SHAPE.columns):
            of = 1
            for bit, chance in zip(bits, row, strict=True):
                of *= chance if bit else FINE - chance
            total += of
        assert total == FINE**SHAPE.columns


def test_codes_stay_within_reach() -> None:
    net = network(5, 8.0)
    codes = net.codes(flags(5, 50), standard_normals(50, 2, RandomSource.fixed(1)) * 3)
    assert np.abs(codes).max() == REACH


def test_standard_normals_are_standard() -> None:
    drawn = standard_normals(20_000, 3, RandomSource.fixed(2)) / UNIT
    assert drawn.shape == (20_000, 3)
    assert np.abs(drawn.mean()) < 0.02
    assert np.abs(drawn.std() - 1) < 0.02


def test_every_word_is_a_normal_number_and_none_is_without_end() -> None:
    words = np.arange(1 << 16, dtype=np.uint16)

    class Each(RandomSource):
        def words(self, count: int) -> np.ndarray:
            return words.view(np.uint64)[:count]

    found = standard_normals(1 << 16, 1, Each(bytes(32), seeded=True))[:, 0]
    assert np.abs(found).max() < 5 * UNIT
    np.testing.assert_array_equal(found, -found[::-1])
    assert (np.diff(found) >= 0).all()
    assert found.std() == pytest.approx(UNIT, rel=1e-3)
