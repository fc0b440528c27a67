from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.distilling import FEW_VALUES, LEAST_GAIN, MOST_PARENTS, distil
from understudy.models.calibrated.particles import Particles
from understudy.models.categorical import ConditionalTable
from understudy.models.views import Rows
from understudy.privacy.randomness import RandomSource

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
