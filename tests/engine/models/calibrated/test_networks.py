"""Which ties make a forest, and the order along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.builders import grouped
from tests.support import category_schema
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.measurement import MeasuredMarginal
from understudy.models.calibrated.networks import (
    ENOUGH,
    FEW_VALUES,
    LEAST_GAIN,
    MOST_PARENTS,
    Carried,
    coarsest_first,
    distil,
    fit_records,
    span_forest,
    spanning,
)
from understudy.models.categorical import ConditionalTable
from understudy.models.views import Marginal, Rows, View, cells
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Told:
    ends: tuple[int, int]
    told: float


@st.composite
def tied(draw: st.DrawFn) -> tuple[list[int], list[Told]]:
    sizes = draw(st.lists(st.integers(2, 9), min_size=2, max_size=8))
    places = st.integers(0, len(sizes) - 1)
    ends = st.tuples(places, places).filter(lambda each: each[0] != each[1])
    return sizes, draw(st.lists(st.builds(Told, ends, st.floats(0, 1)), max_size=20))


@given(tied())
def test_every_column_but_the_first_of_its_tree_comes_after_one_that_it_is_tied_to(
    made: tuple[list[int], list[Told]],
) -> None:
    sizes, ties = made
    chosen = spanning(ties, len(sizes), 0.1)
    order = coarsest_first(chosen, sizes)
    assert sorted(order) == list(range(len(sizes)))
    begun = [
        place
        for at, place in enumerate(order)
        if not any(place in each.ends and set(each.ends) & set(order[:at]) for each in chosen)
    ]
    # A forest has as many trees as columns less edges.
    assert len(begun) == len(sizes) - len(chosen)


def test_the_strongest_ties_are_kept_and_none_closes_a_circle() -> None:
    ties = [Told((0, 1), 0.3), Told((1, 2), 0.9), Told((0, 2), 0.5), Told((2, 3), 0.05)]
    assert spanning(ties, 4, 0.1) == [ties[1], ties[2]]


def test_without_ties_the_coarsest_come_first_and_of_equals_the_first() -> None:
    assert coarsest_first([], [5, 2, 9, 2]) == [1, 3, 0, 2]


def test_a_coarse_column_waits_for_the_long_list_that_it_hangs_on() -> None:
    """Shop is tied to town, product to shop and aisle to product."""
    town, shop, product, aisle, flag = range(5)
    ties = [Told((town, shop), 2.0), Told((shop, product), 3.0), Told((product, aisle), 2.5)]
    assert coarsest_first(ties, [90, 300, 200, 16, 2]) == [flag, aisle, product, shop, town]
    assert coarsest_first(ties, [10, 300, 200, 16, 2]) == [flag, town, shop, product, aisle]


SCHEMA = category_schema(2, 3, 4)


def chain() -> BayesianNetwork:
    """The second column tells of the first, the third of the second."""
    tables = (
        [[0.4, 0.6]],
        [[0.8, 0.1, 0.1], [0.1, 0.3, 0.6]],
        [[0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1], [0.05, 0.05, 0.45, 0.45]],
    )
    made = tuple(ConditionalTable.from_probabilities(np.array(each)) for each in tables)
    return BayesianNetwork(SCHEMA, Structure.of([(), (0,), (1,)]), made)


def particles(count: int = 40_000) -> Particles:
    columns = list(chain().records(count, RandomSource.fixed(1)))
    return Particles.of(Rows(SCHEMA, columns), 5_000.0)


def test_a_network_is_recovered_from_its_own_records() -> None:
    found = distil(particles())
    assert found.structure.parents == ((), (0,), (1,))
    for one, other in zip(found.tables, chain().tables, strict=True):
        assert np.abs(one.probabilities - other.probabilities).max() < 0.02


def test_weights_count_as_so_many_records() -> None:
    """Records drawn evenly and weighted by the network's law, in place of records drawn by it."""
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, size, 60_000).astype(np.uint16) for size in (2, 3, 4)]
    made = Particles.of(Rows(SCHEMA, columns), 5_000.0)
    logs = sum(chain().log_likelihood(each, columns) for each in range(3))
    made.weights = np.exp(logs)
    found = distil(made)
    assert found.structure.parents == ((), (0,), (1,))
    for one, other in zip(found.tables, chain().tables, strict=True):
        assert np.abs(one.probabilities - other.probabilities).max() < 0.03


def test_the_coarsest_comes_first_and_parents_are_few() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, 5_000)
    columns = [(first + (rng.random(5_000) < 0.2)) % 2 for _ in range(8)]
    schema = category_schema(5, *[2] * 8)
    whole = [rng.integers(0, 5, 5_000), *columns]
    found = distil(Particles.of(Rows(schema, [each.astype(np.uint16) for each in whole]), 100.0))
    assert found.order[-1] == 0
    assert max(len(each) for each in found.structure.parents) <= MOST_PARENTS


def test_unrelated_columns_stay_so() -> None:
    rng = np.random.default_rng(4)
    columns = [rng.integers(0, size, 20_000).astype(np.uint16) for size in (2, 3, 4)]
    assert distil(Particles.of(Rows(SCHEMA, columns), 900.0)).structure.edges == ()


def test_few_values_are_seen_in_full_as_parents() -> None:
    schema = category_schema(6, FEW_VALUES + 2, halves=frozenset({0, 1}))
    columns = [np.zeros(10, np.uint16)] * 2
    found = distil(Particles.of(Rows(schema, columns), 10.0))
    assert [each.bucket_count for each in found.schema.columns] == [6, 2]
    assert found.schema.names == schema.names


def test_every_configuration_has_a_law() -> None:
    """Most configurations nobody shows."""
    columns = [np.array(each, np.uint16) for each in ([0, 1, 1], [2, 2, 0], [3, 3, 1])]
    found = distil(Particles.of(Rows(SCHEMA, columns), 3.0))
    for each in found.tables:
        assert each.probabilities.sum(axis=1) == pytest.approx(np.ones(each.configurations))


def test_parents_are_those_that_a_plain_search_finds() -> None:
    """Each further parent tells most beyond those before it, less what chance seems to tell."""
    rng = np.random.default_rng(5)
    sizes = (2, 3, 2, 4, 5, 6)
    schema = category_schema(*sizes)
    count = 3_000
    columns = [rng.integers(0, size, count) for size in sizes]
    columns[3] = (columns[0] + columns[1] + (rng.random(count) < 0.3)) % 4
    columns[4] = (columns[3] * columns[2] + (rng.random(count) < 0.2)) % 5
    columns[5] = (columns[4] + 2 * columns[0] + columns[1] * (rng.random(count) < 0.5)) % 6
    made = Particles.of(Rows(schema, [each.astype(np.uint16) for each in columns]), 700.0)
    made.weights = rng.exponential(size=count)

    def bits(*places: int) -> float:
        _, cell = np.unique(
            np.stack([columns[each] for each in places]), axis=1, return_inverse=True
        )
        shares = np.bincount(cell.ravel(), weights=made.weights) / made.weights.sum()
        return float(-(shares * np.log2(shares)).sum())

    def plain(child: int, before: list[int]) -> tuple[int, ...]:
        chosen: tuple[int, ...] = ()
        free = 2 * made.effective * count * np.log(2)
        while len(chosen) < MOST_PARENTS:
            known = int(np.prod([sizes[each] for each in chosen]))
            left = bits(child, *chosen) - (bits(*chosen) if chosen else 0.0)
            told = {
                each: left
                - (bits(child, *chosen, each) - bits(*chosen, each))
                - known * (sizes[each] - 1) * (sizes[child] - 1) / free
                for each in before
                if each not in chosen
            }
            best = max(told, key=lambda each: told[each], default=None)
            if best is None or told[best] < LEAST_GAIN:
                return chosen
            chosen = (*chosen, best)
        return chosen

    found = distil(made).structure
    assert max(len(each) for each in found.parents) >= 2
    for place, child in enumerate(found.order):
        assert found.parents[child] == plain(child, list(found.order[:place]))


def test_the_strongest_tie_of_a_long_list_is_kept_where_a_table_of_both_would_be_too_large() -> (
    None
):
    """The longest depends on two shorter ones, which know nothing of each other."""
    rng = np.random.default_rng(4)
    shop = rng.integers(0, 300, 60_000)
    product = np.where(rng.random(60_000) < 0.9, shop % 200, rng.integers(0, 200, 60_000))
    columns = [shop // 4, product, shop]
    schema = category_schema(75, 200, 300)
    rows = Rows(schema, [each.astype(np.uint16) for each in columns])
    found = distil(Particles.of(rows, 60_000.0))
    ties = {frozenset(each) for each in found.structure.edges}
    assert {frozenset((0, 2)), frozenset((1, 2))} <= ties


RECORDS = 20_000


def chain_of_pairs(schema: Schema) -> Rows:
    """Each column mostly follows the one before it, a little less each time."""
    rng = np.random.default_rng(1)
    sizes = schema.cardinalities.tolist()
    columns = [rng.integers(0, sizes[0], RECORDS)]
    for place, size in enumerate(sizes[1:]):
        kept = rng.random(RECORDS) < 0.9 - 0.1 * place
        columns.append(np.where(kept, columns[-1] % size, rng.integers(0, size, RECORDS)))
    return Rows(schema, [each.astype(np.uint16) for each in columns])


def distributions(rows: Rows) -> list[np.ndarray]:
    sizes = rows.schema.cardinalities.tolist()
    return [
        np.bincount(column, minlength=size) / len(rows)
        for column, size in zip(rows.columns, sizes, strict=True)
    ]


def counted(
    rows: Rows, marginals: list[Marginal], deviation: float = 0.0
) -> list[MeasuredMarginal]:
    rng = np.random.default_rng(2)
    return [
        MeasuredMarginal(
            each, rows.counts(each) + rng.normal(0, deviation, cells(rows.schema, each)), deviation
        )
        for each in marginals
    ]


def edges(network: BayesianNetwork) -> set[frozenset[int]]:
    return {frozenset(each) for each in network.structure.edges}


def apart(network: BayesianNetwork, rows: Rows, pair: Marginal) -> float:
    """Total variation of a pair between what the network draws and the records."""
    drawn = Rows(rows.schema, list(network.records(40_000, RandomSource.fixed(3))))
    shares = [each.counts(pair) / len(each) for each in (drawn, rows)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def test_the_pairs_that_tell_most_are_taken_and_none_closes_a_circle() -> None:
    schema = category_schema(4, 4, 4, 4)
    rows = chain_of_pairs(schema)
    every = [(View(one), View(other)) for one, other in combinations(range(4), 2)]
    found = span_forest(schema, distributions(rows), counted(rows, every), RECORDS)
    assert edges(found) == {frozenset(each) for each in ((0, 1), (1, 2), (2, 3))}
    for one in range(3):
        assert apart(found, rows, (View(one), View(one + 1))) < 0.02
    # What follows from the others is there without an edge of its own.
    assert apart(found, rows, (View(0), View(2))) < 0.03


def test_without_pairs_every_column_stands_by_itself() -> None:
    schema = category_schema(4, 3)
    rows = chain_of_pairs(schema)
    found = span_forest(schema, distributions(rows), [], RECORDS)
    assert found.structure.edges == ()
    assert apart(found, rows, (View(1),)) < 0.01


def test_a_pair_of_nothing_but_noise_is_no_edge() -> None:
    schema = category_schema(5, 5, 5)
    rng = np.random.default_rng(4)
    rows = Rows(schema, [rng.integers(0, 5, RECORDS).astype(np.uint16) for _ in range(3)])
    pairs = counted(rows, [(View(0), View(1)), (View(1), View(2))], 300.0)
    found = span_forest(schema, distributions(rows), pairs, RECORDS)
    assert apart(found, rows, (View(0), View(1))) < 0.05
    plain = np.maximum(pairs[0].counts, 0) / np.maximum(pairs[0].counts, 0).sum()
    assert np.abs(plain - rows.counts((View(0), View(1))) / RECORDS).sum() / 2 > 0.1


@pytest.mark.parametrize("seen", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("sizes", [(8, 8), (60, 8), (8, 60), (60, 60)])
def test_a_pair_seen_through_buckets_keeps_what_they_tell(
    sizes: tuple[int, int], seen: tuple[bool, bool]
) -> None:
    """In either order of the two, with few values, which a network sees in full, and with many."""
    schema = category_schema(*sizes, halves=frozenset({0, 1}))
    rng = np.random.default_rng(5)
    first = rng.integers(0, sizes[0], RECORDS)
    followed = first * sizes[1] // sizes[0]
    second = np.where(rng.random(RECORDS) < 0.8, followed, rng.integers(0, sizes[1], RECORDS))
    rows = Rows(schema, [first.astype(np.uint16), second.astype(np.uint16)])
    for marginal in ((View(0, seen[0]), View(1, seen[1])), (View(1, seen[1]), View(0, seen[0]))):
        found = span_forest(schema, distributions(rows), counted(rows, [marginal]), RECORDS)
        assert len(found.structure.edges) == 1
        coarse = (View(0, level=1), View(1, level=1))
        assert apart(found, rows, coarse) < 0.03
        for place in (0, 1):
            assert apart(found, rows, (View(place),)) < 0.04


def test_noise_in_empty_cells_adds_no_records_to_them() -> None:
    """Two columns that determine one another, with many cells that are empty."""
    schema = category_schema(25, 25)
    rng = np.random.default_rng(6)
    codes = np.minimum(rng.geometric(0.4, RECORDS) - 1, 24).astype(np.uint16)
    rows = Rows(schema, [codes, codes])
    pairs = counted(rows, [(View(0), View(1))], 30.0)
    found = span_forest(schema, distributions(rows), pairs, RECORDS)
    drawn = found.records(40_000, RandomSource.fixed(3))
    assert (drawn[0] == drawn[1]).mean() > 0.94


@pytest.mark.parametrize("levels", [(2, 1), (0, 2)])
def test_a_pair_seen_through_a_level_above_the_buckets_keeps_what_that_tells(
    levels: tuple[int, int],
) -> None:
    """A column that a network sees in full beside one that it sees through buckets."""
    schema = Schema(columns=(grouped((24, 12, 4), "one"), grouped((60, 20, 4), "other")))
    rng = np.random.default_rng(5)
    first = rng.integers(0, 24, RECORDS)
    second = np.where(rng.random(RECORDS) < 0.8, first * 60 // 24, rng.integers(0, 60, RECORDS))
    rows = Rows(schema, [first.astype(np.uint16), second.astype(np.uint16)])
    pair = (View(0, levels[0]), View(1, levels[1]))
    for marginal in (pair, pair[::-1]):
        found = span_forest(schema, distributions(rows), counted(rows, [marginal]), RECORDS)
        assert len(found.structure.edges) == 1
        assert apart(found, rows, (View(0, 2), View(1, 2))) < 0.03
        for place in (0, 1):
            assert apart(found, rows, (View(place),)) < 0.04


CARRIED = category_schema(6, 6, 6)


def independent() -> BayesianNetwork:
    """Every value as likely as any other."""
    tables = tuple(ConditionalTable.from_probabilities(np.full((1, 6), 1 / 6)) for _ in range(3))
    return BayesianNetwork(CARRIED, Structure.independent(3), tables)


def drawing() -> tuple[list[BayesianNetwork], Callable[[BayesianNetwork], Particles]]:
    """What was drawn from, and 5,000 records that stand for 1,000."""
    source, of = RandomSource.fixed(3), []

    def draw(network: BayesianNetwork) -> Particles:
        of.append(network)
        return Particles.of(Rows(CARRIED, list(network.records(5_000, source))), 1_000.0)

    return of, draw


def alike(share: float) -> list[MeasuredMarginal]:
    """Without noise: columns that are the same for this share, and any for the rest."""
    counts = np.full((6, 6), 1_000 * (1 - share) / 36) + np.eye(6) * 1_000 * share / 6
    return [
        MeasuredMarginal((View(one), View(other)), counts.ravel(), 0.5)
        for one, other in ((0, 1), (1, 2), (0, 2))
    ]


def test_records_are_drawn_afresh_until_many_carry_the_weights() -> None:
    of, draw = drawing()
    network = independent()
    found = fit_records(Carried(network, draw(network)), alike(0.9), draw, least=0.1, redraws=3)
    assert found.effective[0] < ENOUGH <= found.effective[-1]
    assert found.model.effective == found.effective[-1]
    assert found.network is of[-1] is not network
    for each in alike(0.9):
        off = np.abs(found.model.counts(each.marginal) - each.counts).sum() / 2
        assert off < 20


def test_records_that_carry_the_weights_stay() -> None:
    of, draw = drawing()
    network = independent()
    found = fit_records(Carried(network, draw(network)), alike(0.05), draw, least=0.1, redraws=3)
    assert found.effective == (found.model.effective,)
    assert found.network is network
    assert len(of) == 1
