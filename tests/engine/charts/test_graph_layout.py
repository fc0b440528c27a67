"""Where the nodes of a dependency graph stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts.network import depths, layout

DIAMOND = ((), (0,), (0,), (1, 2, 0))
Parents = tuple[tuple[int, ...], ...]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Parents, tuple[int, ...]]:
    """Parents and an order that puts them first."""
    size = draw(st.integers(1, 14))
    order = tuple(draw(st.permutations(range(size))))
    parents: list[tuple[int, ...]] = [()] * size
    for place, child in enumerate(order):
        among = st.sets(st.sampled_from(order[:place]), max_size=3) if place else st.just(set())
        parents[child] = tuple(sorted(draw(among)))
    return tuple(parents), order


@given(graphs())
def test_every_arrow_runs_from_its_parent_rightwards_to_its_child(
    graph: tuple[Parents, tuple[int, ...]],
) -> None:
    parents, order = graph
    drawing = layout(parents, order)
    assert set(drawing.edges) == {(p, child) for child, each in enumerate(parents) for p in each}
    for (parent, child), curve in drawing.edges.items():
        assert curve[0] == pytest.approx(drawing.nodes[parent])
        assert curve[-1] == pytest.approx(drawing.nodes[child])
        assert (np.diff(curve[:, 0]) > 0).all()


@given(graphs())
def test_no_two_attributes_share_a_place(graph: tuple[Parents, tuple[int, ...]]) -> None:
    drawing = layout(*graph)
    for one, here in enumerate(drawing.nodes):
        for there in drawing.nodes[:one]:
            assert here[0] != there[0] or abs(here[1] - there[1]) >= 0.99
    assert drawing.nodes[:, 0].max() <= drawing.columns - 1
    assert drawing.nodes[:, 1].max() <= drawing.rows - 1 + 1e-9
    assert drawing.nodes.min() >= -1e-9


@given(graphs())
def test_columns_are_depths(graph: tuple[Parents, tuple[int, ...]]) -> None:
    drawing, depth = layout(*graph), depths(*graph)
    for each, place in enumerate(drawing.nodes):
        assert each in drawing.apart or place[0] == depth[each]


def test_depth_is_the_longest_chain() -> None:
    assert depths(DIAMOND, (0, 1, 2, 3)) == [0, 1, 1, 2]


def test_an_arrow_over_a_column_keeps_clear_of_its_attributes() -> None:
    chain = ((), (0,), (1, 0))
    drawing = layout(chain, (0, 1, 2))
    curve = drawing.edges[0, 2]
    middle = np.interp(1.0, curve[:, 0], curve[:, 1])
    assert abs(middle - drawing.nodes[1, 1]) > 0.5


def test_crossings_that_can_be_avoided_are() -> None:
    parents: Parents = ((), (), (1,), (0,))
    drawing = layout(parents, (0, 1, 2, 3))
    above = drawing.nodes[0, 1] < drawing.nodes[1, 1]
    assert above == (drawing.nodes[3, 1] < drawing.nodes[2, 1])


def test_attributes_without_links_stand_below() -> None:
    drawing = layout(((), (0,), (), ()), (2, 0, 3, 1))
    assert drawing.apart == (2, 3)
    assert drawing.nodes[[2, 3], 1].min() > drawing.nodes[[0, 1], 1].max() + 1


def test_no_links_at_all_make_a_grid() -> None:
    drawing = layout(((),) * 11, range(11))
    assert (drawing.columns, drawing.rows) == (5, 3)
    assert drawing.edges == {}


def test_the_same_graph_is_drawn_the_same_way() -> None:
    first, second = (layout(DIAMOND, (0, 1, 2, 3)) for _ in range(2))
    assert first.nodes.tolist() == second.nodes.tolist()
