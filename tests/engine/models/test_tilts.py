from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from tests.support import category_schema
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.tilts import CAP, LOST, Tilt, Tilts
from understudy.models.views import Rows, View
from understudy.privacy.randomness import RandomSource

SIZES = (2, 4, 3)
SCHEMA = category_schema(*SIZES, halves=frozenset({1}))
UNIVERSE = np.array([*product(*map(range, SIZES))], dtype=np.uint16).T


def network(tilts: Tilts | None = None) -> BayesianNetwork:
    rng = np.random.default_rng(1)
    tables = tuple(
        ConditionalTable.from_probabilities(rng.dirichlet(np.ones(values), rows))
        for rows, values in ((1, 2), (2, 4), (2, 3))
    )
    return BayesianNetwork(SCHEMA, Structure.of([(), (0,), (1,)]), tables, tilts)


def plain() -> np.ndarray:
    """The law of the network without tilts."""
    made = network()
    return np.exp(sum(made.log_likelihood(each, list(UNIVERSE)) for each in range(3)))


def tilts(steep: float) -> tuple[Tilt, Tilt]:
    rng = np.random.default_rng(2)
    return (
        Tilt((View(0), View(2)), steep * rng.normal(size=6)),
        Tilt((View(1, level=1),), steep * np.array([-0.5, 0.5])),
    )


def tilted(steep: float) -> tuple[BayesianNetwork, np.ndarray]:
    """A network whose tilts have the exact average, and its law written out."""
    each = tilts(steep)
    logs = np.array(
        [
            each[0].logs[3 * record[0] + record[2]] + each[1].logs[record[1] // 2]
            for record in UNIVERSE.T.astype(int).tolist()
        ]
    )
    average = float(np.log(plain() @ np.exp(logs)))
    law = plain() * np.minimum(CAP, np.exp(logs - average))
    return network(Tilts(SCHEMA, each, average)), law / law.sum()


@pytest.mark.parametrize("steep", [0.0, 0.7, 4.0])
def test_records_follow_the_network_times_its_capped_tilts(steep: float) -> None:
    made, law = tilted(steep)
    drawn = made.records(60_000, RandomSource.fixed(3)).astype(int)
    counts = np.bincount(12 * drawn[0] + 3 * drawn[1] + drawn[2], minlength=24)
    assert chisquare(counts, law * counts.sum()).pvalue > 1e-3
    assert steep == 0 or chisquare(counts, plain() * counts.sum()).pvalue < 1e-3


def test_the_cap_binds_where_tilts_are_steep() -> None:
    made, law = tilted(4.0)
    assert made.tilts is not None
    uncapped = plain() * made.tilts.acceptance(list(UNIVERSE)) ** 0
    accepted = made.tilts.acceptance(list(UNIVERSE))
    assert (accepted == 1).any()
    assert (accepted > 0).all()
    assert law == pytest.approx(uncapped * accepted / (uncapped @ accepted))


def test_the_average_weight_of_what_the_network_draws_is_one() -> None:
    drawn = network().records(5_000, RandomSource.fixed(1))
    found = Tilts.of(Rows(SCHEMA, list(drawn)), tilts(0.7))
    accepted = found.acceptance(list(drawn))
    assert accepted.mean() * found.cap == pytest.approx(1)
    assert 1 < found.cap < CAP


@pytest.mark.parametrize("steep", [0.0, 0.3, 1.5])
def test_the_cap_is_the_least_that_loses_hardly_any_weight(steep: float) -> None:
    rows = Rows(SCHEMA, list(network().records(20_000, RandomSource.fixed(1))))
    found = Tilts.of(rows, tilts(steep))
    logs = sum(each.logs[rows.cell_numbers(each.marginal)] for each in found.each)
    weights = np.exp(logs) / np.exp(logs).mean()

    def lost(cap: float) -> float:
        return float(np.maximum(weights - cap, 0).mean())

    assert 1 <= found.cap <= CAP
    assert lost(found.cap) <= LOST + 1e-9 or found.cap == CAP
    below = weights[weights < found.cap * (1 - 1e-9)].max(initial=0.0)
    assert found.cap == 1 or lost(below) > LOST


@pytest.mark.parametrize("count", [0, 1, 7, 64, 1_000])
def test_as_many_records_as_are_asked_for(count: int) -> None:
    made, _ = tilted(4.0)
    drawn = made.records(count, RandomSource.fixed(4))
    assert drawn.shape == (3, count)
    assert drawn.dtype == np.uint16
    assert np.array_equal(drawn, made.records(count, RandomSource.fixed(4)))


def one_by_one(count: int) -> tuple[np.ndarray, np.ndarray]:
    """(2, 4, 3) shares among so many records, each a batch of its own, and their law."""
    made, law = tilted(0.7)
    source = RandomSource.fixed(5)
    drawn = np.concatenate([made.records(1, source) for _ in range(count)], axis=1).astype(int)
    shares = np.bincount(12 * drawn[0] + 3 * drawn[1] + drawn[2], minlength=24) / count
    return shares.reshape(SIZES), law.reshape(SIZES)


def test_pairs_drawn_one_by_one_are_close_to_the_same_law() -> None:
    """A batch of one is chosen from 64 proposals, which leaves its law as good as it is."""
    shares, law = (each.sum(axis=1) for each in one_by_one(1_500))
    assert np.abs(shares - law).sum() / 2 < 0.04
    assert np.abs(shares - plain().reshape(SIZES).sum(axis=1)).sum() / 2 > 0.08


@pytest.mark.thorough("test_pairs_drawn_one_by_one_are_close_to_the_same_law")
def test_records_drawn_one_by_one_are_close_to_the_same_law() -> None:
    shares, law = one_by_one(6_000)
    assert np.abs(shares - law).sum() / 2 < 0.04


def test_columns_of_records_are_in_no_order() -> None:
    """The first half of a batch is as the second."""
    made, law = tilted(0.7)
    drawn = made.records(40_000, RandomSource.fixed(6)).astype(int)
    for half in (drawn[:, :20_000], drawn[:, 20_000:]):
        shares = np.bincount(12 * half[0] + 3 * half[1] + half[2], minlength=24) / 20_000
        assert np.abs(shares - law).max() < 0.015


def test_a_network_without_tilts_is_drawn_as_its_tables_say() -> None:
    drawn = network().records(40_000, RandomSource.fixed(7)).astype(int)
    counts = np.bincount(12 * drawn[0] + 3 * drawn[1] + drawn[2], minlength=24)
    assert chisquare(counts, plain() * counts.sum()).pvalue > 1e-3
    assert not network().is_tilted
    assert tilted(1.0)[0].is_tilted


def test_tilts_that_share_attributes_add_up() -> None:
    rng = np.random.default_rng(9)
    marginals = ((View(0), View(1)), (View(1, level=1), View(2)), (View(2), View(0)))
    sizes = (8, 6, 6)
    each = [
        Tilt(marginal, 0.3 * rng.normal(size=size))
        for marginal, size in zip(marginals, sizes, strict=True)
    ]
    rows = Rows(SCHEMA, list(UNIVERSE))
    logs = sum(tilt.logs[rows.cell_numbers(tilt.marginal)] for tilt in each)
    found = Tilts(SCHEMA, tuple(each), 0.1).acceptance(list(UNIVERSE))
    assert found == pytest.approx(np.minimum(1.0, np.exp(logs - 0.1) / CAP))


@pytest.mark.parametrize("steep", [0.0, 0.7, 4.0])
def test_the_effective_share_is_that_of_the_weights(steep: float) -> None:
    made, _ = tilted(steep)
    assert made.tilts is not None
    found = made.effective(50_000, RandomSource.fixed(8))
    weights = made.tilts.acceptance(list(UNIVERSE))
    expected = (plain() @ weights) ** 2 / (plain() @ weights**2)
    assert found == pytest.approx(expected, rel=0.02)
    assert (found == pytest.approx(1)) == (steep == 0)
    assert network().effective(10, RandomSource.fixed(8)) is None
