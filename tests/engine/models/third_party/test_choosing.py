from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import World, category_schema, worlds
from understudy.models.third_party.choosing import (
    GRID,
    Choosing,
    family,
    most_cells,
    number_of_choices,
    rounded_distribution,
)
from understudy.models.views import Rows, View, cells
from understudy.privacy.accounting.budget_shares import HALF_NORMAL, Allowance
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

FREE = Allowance(0.0, "none")


def choosing(rows: Rows, deviation: float = 0.0, records: float | None = None) -> Choosing:
    return Choosing(
        rows,
        distributions=[
            rounded_distribution(np.bincount(column, minlength=size).astype(float) + 1e-9)
            for column, size in zip(rows.columns, rows.schema.cardinalities.tolist(), strict=True)
        ],
        records=float(len(rows)) if records is None else records,
        deviation=deviation,
        each=FREE,
        noise=Noise(RandomSource.fixed(1)),
    )


@settings(max_examples=40, deadline=None)
@given(worlds(most_columns=4), st.data())
def test_a_score_is_what_its_sum_says(world: World, data: st.DataObject) -> None:
    rows = Rows.of(world.records)
    schema = rows.schema
    child = data.draw(st.integers(0, len(schema) - 1))
    others = [each for each in range(len(schema)) if each != child]
    parents = tuple(sorted(data.draw(st.sets(st.sampled_from(others), min_size=1, max_size=2))))
    asked = choosing(rows)
    weights = asked.distributions[child]
    groups: dict[tuple[int, ...], list[int]] = {}
    for record in world.records.codes.tolist():
        key = tuple(int(schema.columns[each].bucket_map[record[each]]) for each in parents)
        groups.setdefault(key, [0] * len(weights))[record[child]] += 1
    total = sum(
        abs(GRID * count - int(weight) * sum(counts))
        for counts in groups.values()
        for count, weight in zip(counts, weights, strict=True)
    )
    assert asked.score(child, parents) == total


def test_a_score_is_the_records_that_would_have_to_change() -> None:
    """A column that repeats another: half of the records of two even values."""
    first = np.repeat([0, 1], 50).astype(np.uint16)
    rows = Rows(category_schema(2, 2), [first, first])
    assert choosing(rows).score(1, (0,)) == pytest.approx(2 * GRID * 50, rel=1e-6)
    even = Rows(category_schema(2, 2), [first, np.tile([0, 1], 50).astype(np.uint16)])
    assert choosing(even).score(1, (0,)) == pytest.approx(0, abs=1e3)


def test_what_depends_is_found_and_what_does_not_stands_alone() -> None:
    rng = np.random.default_rng(2)
    first, noise, more = (rng.integers(0, size, 3_000) for size in (2, 3, 3))
    columns = [first, noise, (first + (more == 0)) % 2 + 2 * first, noise * 2 + first]
    rows = Rows(category_schema(2, 3, 4, 6), [each.astype(np.uint16) for each in columns])
    structure = choosing(rows, deviation=2.0).structure()
    assert structure.order[0] == 0
    undirected = {frozenset(each) for each in structure.edges}
    assert {frozenset(each) for each in ((0, 2), (0, 3), (1, 3))} <= undirected
    assert frozenset({0, 1}) not in undirected


def plainly(asked: Choosing) -> tuple[dict[int, tuple[int, ...]], list[int]]:
    """The choices one after another, each family scored by itself."""
    schema = asked.rows.schema

    def worth(child: int, parents: tuple[int, ...]) -> int:
        if not parents:
            return 0
        size = cells(schema, family(schema, child, parents))
        made_up = size * asked.deviation + np.sqrt(asked.records * size)
        return asked.score(child, parents) - round(GRID * HALF_NORMAL * made_up)

    def fits(child: int, parents: tuple[int, ...]) -> bool:
        size = cells(schema, family(schema, child, parents))
        return size <= most_cells(asked.records, asked.deviation)

    order = [int(np.argmin(schema.cardinalities))]
    found: dict[int, tuple[int, ...]] = {order[0]: ()}
    while len(order) < len(schema):
        left = [each for each in range(len(schema)) if each not in order]
        firsts = [(child, each) for child in left for each in ((), *((one,) for one in order))]
        child, chosen = max((each for each in firsts if fits(*each)), key=lambda each: worth(*each))
        found[child] = chosen
        order.append(child)
    return found, order


@pytest.mark.parametrize("deviation", [0.0, 4.0, 60.0])
def test_the_structure_is_that_of_a_plain_search(deviation: float) -> None:
    rng = np.random.default_rng(4)
    sizes = (5, 2, 3, 6, 4)
    columns = [rng.integers(0, size, 2_000) for size in sizes]
    columns[3] = (columns[1] + columns[2] + (rng.random(2_000) < 0.2)) % 6
    columns[0] = (columns[3] + columns[1] * (rng.random(2_000) < 0.6)) % 5
    schema = category_schema(*sizes, halves=frozenset({3}))
    rows = Rows(schema, [each.astype(np.uint16) for each in columns])
    asked = choosing(rows, deviation)
    structure = asked.structure()
    parents, order = plainly(choosing(rows, deviation))
    assert structure.order == tuple(order)
    assert structure.parents == tuple(parents[each] for each in range(len(sizes)))
    assert deviation > 4 or structure.edges


@pytest.mark.parametrize("deviation", [0.0, 3.0, 1e6])
def test_choices_are_no_more_than_are_paid_for(deviation: float) -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, 400)
    columns = [(first + rng.integers(0, 2, 400)) % 2 for _ in range(6)]
    rows = Rows(category_schema(*[2] * 6), [each.astype(np.uint16) for each in columns])
    made: list[int] = []

    class Counting(Allowance):
        def best(self, scores: np.ndarray, sensitivity: int, noise: Noise) -> int:
            made.append(len(scores))
            return int(np.argmax(scores))

    asked = choosing(rows, deviation)
    object.__setattr__(asked, "each", Counting(0.0, "none"))
    structure = asked.structure()
    assert len(made) == number_of_choices(6) == 5
    assert max(len(each) for each in structure.parents) <= 1
    if deviation > 1e5:
        assert structure.edges == ()


def test_a_family_sees_parents_through_their_buckets_and_the_child_in_full() -> None:
    schema = category_schema(4, 3, halves=frozenset({0}))
    assert family(schema, 1, (0,)) == (View(0, level=1), View(1))
    assert family(schema, 0, (1,)) == (View(1), View(0))


def test_the_most_cells_fall_with_noise() -> None:
    assert most_cells(1_000, 10.0) == 400
    assert most_cells(1_000, 0.0) == 4_000
    assert most_cells(1e12, 1.0) == 1 << 22
    assert [number_of_choices(each) for each in (1, 2, 5)] == [1, 1, 4]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8))
def test_rounded_distributions_sum_to_the_grid(values: list[float]) -> None:
    counts = np.array(values) + 1e-6
    found = rounded_distribution(counts)
    assert found.sum() == GRID
    assert (found >= 0).all()
    assert np.abs(found / GRID - counts / counts.sum()).max() <= len(values) / GRID
