"""The first network: which pairs it takes, and what it makes of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.engine.table.leveled import grouped
from tests.support import category_schema
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.forest import forest
from understudy.models.calibrated.measured import Measured
from understudy.models.views import Marginal, Rows, View, cells
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

RECORDS = 20_000


def chain(schema: Schema) -> Rows:
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


def counted(rows: Rows, marginals: list[Marginal], deviation: float = 0.0) -> list[Measured]:
    rng = np.random.default_rng(2)
    return [
        Measured(
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
    rows = chain(schema)
    every = [(View(one), View(other)) for one, other in combinations(range(4), 2)]
    found = forest(schema, distributions(rows), counted(rows, every), RECORDS)
    assert edges(found) == {frozenset(each) for each in ((0, 1), (1, 2), (2, 3))}
    for one in range(3):
        assert apart(found, rows, (View(one), View(one + 1))) < 0.02
    # What follows from the others is there without an edge of its own.
    assert apart(found, rows, (View(0), View(2))) < 0.03


def test_without_pairs_every_column_stands_by_itself() -> None:
    schema = category_schema(4, 3)
    rows = chain(schema)
    found = forest(schema, distributions(rows), [], RECORDS)
    assert found.structure.edges == ()
    assert apart(found, rows, (View(1),)) < 0.01


def test_a_pair_of_nothing_but_noise_is_no_edge() -> None:
    schema = category_schema(5, 5, 5)
    rng = np.random.default_rng(4)
    rows = Rows(schema, [rng.integers(0, 5, RECORDS).astype(np.uint16) for _ in range(3)])
    pairs = counted(rows, [(View(0), View(1)), (View(1), View(2))], 300.0)
    found = forest(schema, distributions(rows), pairs, RECORDS)
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
        found = forest(schema, distributions(rows), counted(rows, [marginal]), RECORDS)
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
    found = forest(schema, distributions(rows), pairs, RECORDS)
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
        found = forest(schema, distributions(rows), counted(rows, [marginal]), RECORDS)
        assert len(found.structure.edges) == 1
        assert apart(found, rows, (View(0, 2), View(1, 2))) < 0.03
        for place in (0, 1):
            assert apart(found, rows, (View(place),)) < 0.04
