"""The network in whole numbers, against one in doubles and its numerical slopes. What one record
adds is a whole vector within the bound, whoever is beside it. Offsets that give rows the counted
shares, as far as counts can be trusted.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.models.latent.features import S
from understudy.models.latent.moments import entries
from understudy.models.latent.networks import training as training_module
from understudy.models.latent.networks import variational
from understudy.models.latent.networks.autoencoder import (
    FINE,
    MOST_WEIGHT,
    REACH,
    UNIT,
    Layer,
    Network,
    NetworkShape,
    dense,
    standard_normals,
    tanh,
)
from understudy.models.latent.networks.training import (
    SIGMA_BITS,
    Adam,
    Training,
    clipped_sum,
    train,
)
from understudy.models.latent.networks.variational import (
    Planned,
    learn_network,
    plan_network,
    with_shares,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

SHAPE = NetworkShape(5, 7, 2)


def network(seed: int, scale: float = 0.6, shape: NetworkShape = SHAPE) -> Network:
    random = np.random.default_rng(seed)
    return Network.of(shape, random.normal(0, scale, shape.weights))


def flags(seed: int, many: int, shape: NetworkShape = SHAPE) -> np.ndarray:
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
    shape = NetworkShape(columns, 24, 3)
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
    shape = NetworkShape(255, 512, 16)
    net = Network.of(shape, np.full(shape.weights, 1e9))
    assert all((layer == MOST_WEIGHT).all() for layer in net.layers)
    records = np.full((2, 255), float(UNIT))
    for layer in net.slopes(records, np.full((2, 16), 5.0 * UNIT), 0.5):
        assert np.abs(layer.by_sums).max() * MOST_WEIGHT * 512 < 2**53
        assert (layer.by_sums == np.rint(layer.by_sums)).all()


def test_sums_are_whole_and_do_not_round() -> None:
    """What a layer sums is what Python's whole numbers sum, before any rounding could hide it."""
    shape = NetworkShape(42, 64, 3)
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


TRAINING_SHAPE = NetworkShape(6, 5, 2)
BOUND = 1 << 33


def slopes(seed: int, many: int, scale: float) -> tuple[Layer, ...]:
    random = np.random.default_rng(seed)
    net = Network.of(TRAINING_SHAPE, random.normal(0, scale, TRAINING_SHAPE.weights))
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
    scale = training_module._scale
    too_long = np.arange(20) < 5
    monkeypatch.setattr(
        training_module, "_scale", lambda *asked: np.where(too_long, 1.2, 1.0) * scale(*asked)
    )
    rest = tuple(Layer(one.inputs[5:], one.by_sums[5:]) for one in layers)
    found = clipped_sum(layers, 0.7, BOUND)
    monkeypatch.setattr(training_module, "_scale", scale)
    assert found.tolist() == clipped_sum(rest, 0.7, BOUND).tolist() != whole.tolist()


SMALL = Training(NetworkShape(4, 3, 2), records=500, batch=100, steps=6)


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
    taken = list(training_module._samples(300, plan, RandomSource.fixed(4)))
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
    train(table[:0], replace(whole, shape=NetworkShape(4, 40, 9)), 2.5, RandomSource.fixed(9))
    everybody, half, nobody = slopes
    noise = whole.clip / whole.divisor
    assert np.linalg.norm(everybody - 2 * half) < 0.3 * np.linalg.norm(everybody) + noise * 9
    assert nobody.std() * whole.divisor == pytest.approx(2.5 * whole.clip, rel=0.1)


def test_a_run_that_was_killed_trains_to_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    table = records(500)
    first = train(table, SMALL, 2.0, RandomSource.fixed(3))
    monkeypatch.setattr(training_module, "_BLOCK", 1 << 11)
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


VARIATIONAL_SHAPE = NetworkShape(4, 5, 2)
NETWORK = Network.of(
    VARIATIONAL_SHAPE, np.random.default_rng(1).normal(0, 0.7, VARIATIONAL_SHAPE.weights)
)
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
    training = Training(NetworkShape(6, 12, 2), records, batch=300, steps=150, pace=0.03)
    return Planned(training, 1.0, 1.0, 1.0, BUDGET)


def test_training_and_moments_together_stay_within_the_budget() -> None:
    plan = plan_network(42, 57_214, BUDGET)
    assert plan.training.shape == NetworkShape(42, 64, 8)
    assert 0.999 < plan.cost.epsilon <= 1.0
    without = variational.Sampled(plan.training.rate, 2000, plan.multiplier).cost(1e-9)
    assert without.epsilon < plan.cost.epsilon - 0.01
    assert plan.noise == pytest.approx(plan.multiplier * 7098**0.5 / 1000, rel=0.01)


def test_a_small_table_gets_a_small_network_and_a_smaller_one_none() -> None:
    assert plan_network(42, 22_000, BUDGET).training.shape == NetworkShape(42, 24, 4)
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
    shape = NetworkShape(3, 2, 1)
    network = Network.of(shape, np.zeros(shape.weights))
    model = variational.Variational(network, np.zeros(1), np.eye(1))
    for many in (0, 3, 4, 10):
        assert model.draw(many, RandomSource.fixed(1)).shape == (many, 3)
