"""Triples read off joint tables are those counted one by one."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support import World, category_schema, worlds
from understudy.models.triple_tables import GRAIN, WIDEST, triple_tables
from understudy.models.views import Marginal, Rows, cells, parent_view, views_of
from understudy.table.records import Records


def read_all(rows: Rows, triples: dict[Marginal, int], *, exact: bool = True) -> dict[int, object]:
    """Every triple's table by its place, each of them once."""
    weights = np.arange(len(rows)) * GRAIN
    found: dict[int, object] = {}
    for joint in triple_tables(rows.schema, triples):
        counts = rows.counts(joint.views) if exact else rows.weigh_cells(joint.views, weights)
        for place, table in joint.tables(counts):
            assert place not in found
            found[place] = table.tolist()
    return found


@given(worlds(), st.data())
def test_every_triple_is_read_once_as_it_is_counted_by_itself(
    world: World, data: st.DataObject
) -> None:
    schema, rows = world.records.schema, Rows.of(world.records)
    every = [
        each
        for places in combinations(range(len(schema)), 3)
        for each in product(*(views_of(schema, place) for place in places))
    ]
    wanted = [each for each in every if data.draw(st.booleans())]
    triples = {each: 7 + place for place, each in enumerate(wanted)}
    found = read_all(rows, triples)
    assert found == {place: rows.counts(each).tolist() for each, place in triples.items()}
    weights = np.arange(len(rows)) * GRAIN
    assert read_all(rows, triples, exact=False) == {
        place: rows.weigh_cells(each, weights).tolist() for each, place in triples.items()
    }


def test_few_joint_tables_hold_all_triples_of_many_columns() -> None:
    schema = category_schema(*[2, 3, 4, 5, 40] * 4)
    views = [parent_view(schema, place) for place in range(len(schema))]
    triples = {each: place for place, each in enumerate(combinations(views, 3))}
    joint = list(triple_tables(schema, triples))
    assert sum(len(each.read) for each in joint) == len(triples) == 1_140
    assert len(joint) < len(triples) / 2
    assert max(cells(schema, each.views) for each in joint) <= WIDEST**3


def test_no_triples_take_no_tables() -> None:
    rows = Rows.of(Records(category_schema(2, 2, 2), np.zeros((3, 3), dtype=np.uint16)))
    assert read_all(rows, {}) == {}
