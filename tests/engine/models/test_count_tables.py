from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import World, category_schema, worlds
from understudy.models.count_tables import (
    cell_map,
    cells_worthwhile,
    joint_tables,
    marginal_tables,
    sum_table,
)
from understudy.models.views import Marginal, Rows, View, cells

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
