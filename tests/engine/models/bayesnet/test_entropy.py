from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.models.bayesnet.structure import (
    View,
    Views,
    entropies,
    pair,
    published_count,
    sensitivity,
)
from understudy.table.records import Records


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every histogram of `total` records, as sorted counts."""
    if total == 0:
        yield ()
        return
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def bits(counts: tuple[int, ...]) -> float:
    total = sum(counts)
    return -sum(each / total * math.log2(each / total) for each in counts if each)


def test_no_histogram_moves_further_than_the_sensitivity() -> None:
    furthest = 0.0
    for size in range(1, 13):
        for counts in partitions(size, size):
            for place in range(len(counts) + 1):
                grown = [*counts, 0]
                grown[place] += 1
                change = abs(bits(tuple(grown)) - bits(counts))
                assert change <= sensitivity(size) + 1e-12
                furthest = max(furthest, change / sensitivity(size))
    assert furthest > 0.5


def test_a_lower_bound_on_n_may_stand_in_for_n() -> None:
    values = [sensitivity(size) for size in range(1, 500)]
    assert values == sorted(values, reverse=True)


@given(st.integers(0, 2**31), st.integers(1, 60))
def test_entropies_are_those_of_the_definition(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    schema = category_schema(4, 3, 5, halves=frozenset({0, 2}))
    codes = np.column_stack([rng.integers(0, size, count) for size in (4, 3, 5)])
    records = Records(schema, codes.astype(np.uint16))
    views = Views.of(schema)
    for query, value in entropies(records, (*views.single(), *views.pairs())).items():
        cells: dict[tuple[int, ...], int] = {}
        for row in codes.tolist():
            cell = tuple(
                int(schema.columns[view.attribute].bucket_map[row[view.attribute]])
                if view.level
                else row[view.attribute]
                for view in query
            )
            cells[cell] = cells.get(cell, 0) + 1
        assert value == pytest.approx(bits(tuple(cells.values())), abs=1e-9)


def test_nothing_is_asked_twice_and_everything_used_is_asked() -> None:
    views = Views.of(category_schema(4, 3, 5, halves=frozenset({0, 2})))
    asked = (*views.single(), *views.pairs())
    assert len(set(asked)) == len(asked)
    assert (View(1),) in asked
    assert (View(0),) in asked
    assert (View(0, True),) in asked
    for child in range(3):
        for parent in range(3):
            if child != parent:
                assert pair(views.full[child], views.parent[parent]) in asked
                assert pair(views.parent[child], views.parent[parent]) in asked


def test_without_buckets_half_of_the_published_queries_remain() -> None:
    views = Views.of(category_schema(2, 3, 4))
    assert len(views.single()) + len(views.pairs()) == 3 + 3
    assert published_count(11) == 187
    assert published_count(12) == 222


def test_a_wide_pair_is_counted_without_its_table() -> None:
    schema = category_schema(1000, 1000, 2)
    codes = np.array([[0, 0, 0], [999, 999, 1], [999, 999, 1]], dtype=np.uint16)
    query = pair(View(0), View(1))
    assert entropies(Records(schema, codes), (query,))[query] == pytest.approx(bits((1, 2)))
