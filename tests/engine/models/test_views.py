from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.builders import grouped, leveled_columns
from tests.support import World, category_schema, worlds
from understudy.models.count_tables import (
    cell_map,
    cells_worthwhile,
    joint_tables,
    marginal_tables,
    sum_table,
)
from understudy.models.views import (
    Marginal,
    Rows,
    View,
    add_weights,
    cells,
    parent_view,
    shape,
    sum_views,
    views_of,
)
from understudy.table.buckets import ByGroups, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema

SCHEMA = category_schema(2, 6, 3, halves=frozenset({1}))


def test_a_parent_is_seen_through_buckets_where_they_are_coarser() -> None:
    assert [parent_view(SCHEMA, each) for each in range(3)] == [
        View(0),
        View(1, level=1),
        View(2),
    ]
    marginal = (View(1, level=1), View(1), View(2))
    assert shape(SCHEMA, marginal) == (2, 6, 3)
    assert cells(SCHEMA, marginal) == 36
    assert cells(SCHEMA, ()) == 1


@given(worlds(), st.data())
def test_a_marginal_counts_each_record_once_and_zeros_too(
    world: World, data: st.DataObject
) -> None:
    schema = world.records.schema
    chosen = data.draw(st.permutations(range(len(schema))))[: data.draw(st.integers(1, 3))]
    marginal = tuple(View(each, data.draw(st.booleans())) for each in chosen)
    rows = Rows.of(world.records)

    def seen(record: list[int], view: View) -> int:
        code = record[view.attribute]
        column = schema.columns[view.attribute]
        return int(column.bucket_map[code]) if view.level else code

    codes = world.records.codes.tolist()
    plain = Counter(tuple(seen(record, view) for view in marginal) for record in codes)
    counts = rows.counts(marginal).reshape(shape(schema, marginal))
    assert counts.sum() == len(codes)
    for cell in np.ndindex(counts.shape):
        assert counts[cell] == plain[cell]
    weights = np.arange(1.0, len(codes) + 1)
    weighted = rows.weigh_cells(marginal, weights)
    numbers = rows.cell_numbers(marginal)
    for number in range(cells(schema, marginal)):
        assert weighted[number] == pytest.approx(weights[numbers == number].sum())


def test_records_column_by_column() -> None:
    empty = Rows(SCHEMA, [np.empty(0, np.uint16)] * 3)
    assert len(empty) == 0
    assert empty.counts((View(1), View(2))).tolist() == [0] * 18
    assert add_weights(np.empty(0, np.int64), np.empty(0), 2).tolist() == [0.0, 0.0]


def test_a_table_in_full_added_up_over_buckets_is_the_table_of_the_buckets() -> None:
    rng = np.random.default_rng(1)
    odd = Group(label="odd", values=("v1", "v3", "v5"))
    buckets = ByGroups(groups=(odd,), rest="even")
    schema = category_schema(5, 6, 3, halves=frozenset({0}))
    schema = schema.replace(schema.columns[1].with_buckets(buckets))
    columns = [rng.integers(0, size, 80).astype(np.uint16) for size in (5, 6, 3)]
    rows = Rows(schema, columns)
    full = (View(1), View(2), View(0))
    weights = rng.random(80)
    for seen in ((True, False, False), (True, False, True), (False, False, False)):
        coarse = tuple(View(view.attribute, each) for view, each in zip(full, seen, strict=True))
        assert np.array_equal(
            sum_views(schema, rows.counts(full), full, coarse), rows.counts(coarse)
        )
        added = sum_views(schema, rows.weigh_cells(full, weights), full, coarse)
        assert added == pytest.approx(rows.weigh_cells(coarse, weights))


def test_the_views_of_a_column_are_in_full_and_through_whatever_is_coarser() -> None:
    plain = Column(name="plain", domain=Categories(values=("a", "b")))
    schema = Schema(columns=(grouped((12, 6, 3, 2)), plain, grouped((6, 6, 3), "own")))
    found = [[each.level for each in views_of(schema, place)] for place in range(3)]
    assert found == [[0, 1, 2, 3], [0], [0, 2]]


@given(leveled_columns(), st.integers(0, 2**32 - 1))
def test_tables_of_coarser_views_are_sums_of_finer_ones(column: Column, seed: int) -> None:
    """Counted, added up, and read off a joint table, at every two levels."""
    rng = np.random.default_rng(seed)
    schema = Schema(columns=(column, Column(name="o", domain=Categories(values=("a", "b")))))
    sizes = schema.cardinalities.tolist()
    rows = Rows(schema, [rng.integers(0, size, 30).astype(np.uint16) for size in sizes])
    marginals = [(view, View(1)) for view in views_of(schema, 0)]
    for place, fine in enumerate(marginals):
        for coarse in marginals[place:]:
            counts = rows.counts(coarse)
            assert sum_views(schema, rows.counts(fine), fine, coarse).tolist() == counts.tolist()
            cell = cell_map(schema, fine, coarse)[rows.cell_numbers(fine)]
            assert cell.tolist() == rows.cell_numbers(coarse).tolist()
    assert [each.views for each in joint_tables(schema, marginals, 1_000)] == [marginals[0]]


def test_cells_that_records_are_in_are_counted_and_no_others() -> None:
    schema = category_schema(3, 4)
    codes = np.array([[0, 1], [0, 1], [2, 3], [0, 0]], np.uint16)
    rows = Rows(schema, list(codes.T))
    found = list(rows.count_occupied([(View(0),), (View(0), View(1))]))
    assert [sorted(each.tolist()) for each in found] == [[1, 3], [1, 1, 2]]


EVEN = category_schema(*[3] * 6)
PAIRS = [(View(one), View(other)) for one, other in combinations(range(6), 2)]


@st.composite
def asked(draw: st.DrawFn, attributes: int) -> list[Marginal]:
    """Marginals of up to four attributes in any order, in full or not, some asked twice."""
    found = []
    for _ in range(draw(st.integers(1, 9))):
        many = draw(st.integers(1, min(4, attributes)))
        chosen = draw(st.permutations(range(attributes)))[:many]
        found.append(tuple(View(each, draw(st.booleans())) for each in chosen))
    return [*found, *draw(st.lists(st.sampled_from(found), max_size=2))]


@given(worlds(), st.data())
def test_what_is_read_off_covers_is_what_is_counted(world: World, data: st.DataObject) -> None:
    rows = Rows.of(world.records)
    marginals = data.draw(asked(len(rows.schema)))
    weights = np.random.default_rng(1).random(len(rows))
    most = data.draw(st.integers(0, 200))
    found = joint_tables(rows.schema, marginals, most)
    assert sorted(place for cover in found for place in cover.places) == [*range(len(marginals))]
    for cover in found:
        size = cells(rows.schema, cover.views)
        assert size <= most or size == max(
            cells(rows.schema, marginals[each]) for each in cover.places
        )
        assert len({view.attribute for view in cover.views}) == len(cover.views)
        counts = rows.counts(cover.views)
        weighed = rows.weigh_cells(cover.views, weights)
        for place in cover.places:
            marginal = marginals[place]
            read = sum_table(rows.schema, counts, cover.views, marginal)
            assert read.tolist() == rows.counts(marginal).tolist()
            assert read.dtype == counts.dtype
            read_weights = sum_table(rows.schema, weighed, cover.views, marginal)
            assert read_weights == pytest.approx(rows.weigh_cells(marginal, weights))
            cell = cell_map(rows.schema, cover.views, marginal)[rows.cell_numbers(cover.views)]
            assert cell.tolist() == rows.cell_numbers(marginal).tolist()


def test_each_comes_once_with_its_place() -> None:
    rng = np.random.default_rng(2)
    rows = Rows(EVEN, [rng.integers(0, 3, 5_000).astype(np.uint16) for _ in range(6)])
    looks: list[Marginal] = []

    def tables(views: Sequence[Marginal]) -> Iterator[npt.NDArray[np.int64]]:
        looks.extend(views)
        return rows.tables(views)

    found = dict(marginal_tables(EVEN, PAIRS, len(rows), tables))
    assert sorted(found) == [*range(len(PAIRS))]
    for place, marginal in enumerate(PAIRS):
        assert found[place].tolist() == rows.counts(marginal).tolist()
    assert len(looks) < len(PAIRS) / 4


@pytest.mark.parametrize(("most", "looks"), [(0, 15), (8, 15), (81, 3), (3**6, 1)])
def test_as_many_pairs_are_read_off_one_table_as_there_is_room_for(most: int, looks: int) -> None:
    found = joint_tables(EVEN, PAIRS, most)
    assert len(found) == looks
    assert len(found[0].places) == {0: 1, 8: 1, 81: 6, 3**6: 15}[most]


def test_a_full_view_serves_the_bucketed_one_but_not_the_other_way() -> None:
    schema = category_schema(6, 2, halves=frozenset({0}))
    coarse, fine = (View(0, level=1), View(1)), (View(0), View(1))
    assert [each.views for each in joint_tables(schema, [coarse, fine], 1_000)] == [fine]
    assert [each.views for each in joint_tables(schema, [coarse], 1_000)] == [coarse]


def test_a_cover_has_fewer_cells_than_there_are_records() -> None:
    assert cells_worthwhile(0) == 0
    assert cells_worthwhile(8_000) < 8_000
    assert cells_worthwhile(10**9) == cells_worthwhile(10**8) < 1 << 17
