"""The dependency graph: every attribute, every arrow, and what an attempt copies. Where the nodes
of a dependency graph stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts.network import (
    ALWAYS_DRAWN,
    ALWAYS_KEPT,
    SOMETIMES,
    dependency_graph,
    dependency_graph_table,
    depths,
    place_attributes,
)

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

TITLES = ["Age", "Education", "Occupation", "Sex"]
PARENTS = ((), (0,), (0, 1), ())
ORDER = (0, 3, 1, 2)


def nodes(chart: alt.LayerChart) -> dict[str, Any]:
    """The layer of points: what it is called in the legend, and its rows."""
    spec = chart.to_dict()
    layer = next(each for each in spec["layer"] if "shape" in each.get("encoding", {}))
    name = layer.get("data", spec.get("data"))["name"]
    return {"encoding": layer["encoding"], "rows": spec["datasets"][name]}


def members(chart: alt.LayerChart) -> dict[str, list[str]]:
    """The titles of the attributes, by what becomes of them."""
    found: dict[str, list[str]] = {}
    for row in nodes(chart)["rows"]:
        found.setdefault(row["what"], []).append(row["title"])
    return found


def row_of(chart: alt.LayerChart, title: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in nodes(chart)["rows"] if each["title"] == title)
    return found


def test_attributes_are_told_apart_by_what_becomes_of_them() -> None:
    chart = dependency_graph(TITLES, PARENTS, ORDER, (1, 3))
    assert members(chart) == {
        ALWAYS_KEPT: ["Age"],
        SOMETIMES: ["Sex", "Education"],
        ALWAYS_DRAWN: ["Occupation"],
    }
    for look in ("shape", "color"):
        scale = nodes(chart)["encoding"][look]["scale"]
        assert scale["domain"] == [ALWAYS_KEPT, SOMETIMES, ALWAYS_DRAWN]
        assert len(set(scale["range"])) == 3


def test_one_number_keeps_that_many() -> None:
    found = members(dependency_graph(TITLES, PARENTS, ORDER, 2))
    assert found == {ALWAYS_KEPT: ["Age", "Sex"], ALWAYS_DRAWN: ["Education", "Occupation"]}


@pytest.mark.parametrize(("kept", "what"), [(0, ALWAYS_DRAWN), (4, ALWAYS_KEPT)])
def test_all_or_none_may_be_kept(kept: int, what: str) -> None:
    assert set(members(dependency_graph(TITLES, PARENTS, ORDER, kept))) == {what}


def test_without_an_omega_all_look_alike() -> None:
    chart = dependency_graph(TITLES, PARENTS, ORDER, None)
    assert len(members(chart)) == 1
    assert nodes(chart)["encoding"]["color"]["legend"] is None


def test_hovering_tells_of_parents_and_children() -> None:
    chart = dependency_graph(TITLES, PARENTS, ORDER, 4)
    assert row_of(chart, "Occupation")["above"] == "Age, Education"
    assert row_of(chart, "Age")["under"] == "Education, Occupation"
    assert row_of(chart, "Sex")["above"] == "nothing"
    assert row_of(chart, "Sex")["place"] == "2 of 4 in dependency order"
    told = [each["field"] for each in nodes(chart)["encoding"]["tooltip"]]
    assert told == ["title", "place", "above", "under", "what"]


def test_there_is_a_curve_and_a_head_for_each_dependence(layers: Layers) -> None:
    chart = dependency_graph(TITLES, PARENTS, ORDER, None)
    found = layers(chart)
    (curves,) = (each["rows"] for each in found if each["mark"] == "line")
    assert {row["edge"] for row in curves} == {0, 1, 2}
    (heads,) = (each["rows"] for each in found if "angle" in each["encoding"])
    at = {(row["x"], row["y"]) for row in nodes(chart)["rows"]}
    assert len(heads) == 3
    assert all((row["x"], row["y"]) in at for row in heads)
    assert all(row["from_x"] < row["x"] for row in heads)


def test_the_table_has_the_same_in_dependency_order() -> None:
    table = dependency_graph_table(TITLES, PARENTS, ORDER, (1, 3))
    assert table["Column"].tolist() == ["Age", "Sex", "Education", "Occupation"]
    assert table["Place in order"].tolist() == [1, 2, 3, 4]
    assert table["Depends on"].tolist() == ["", "", "Age", "Age, Education"]
    assert table["In an attempt"].tolist() == [ALWAYS_KEPT, SOMETIMES, SOMETIMES, ALWAYS_DRAWN]
    assert "In an attempt" not in dependency_graph_table(TITLES, PARENTS, ORDER, None)


def test_attributes_without_links_are_drawn_and_said_to_be(said: Said) -> None:
    chart = dependency_graph(TITLES, PARENTS, ORDER, None)
    assert apart(chart) == ["not linked to any other"]
    independent = dependency_graph(TITLES, ((),) * 4, ORDER, None)
    assert len(nodes(independent)["rows"]) == 4
    assert apart(independent) == []


def apart(chart: alt.LayerChart) -> list[str]:
    """What is written above attributes that are linked to no other."""
    sets = chart.to_dict()["datasets"].values()
    return list(dict.fromkeys(row["said"] for rows in sets for row in rows if "said" in row))


def test_every_label_is_written_once_above_its_point_or_below(layers: Layers) -> None:
    chart = dependency_graph(TITLES, PARENTS, ORDER, None)
    written = [
        row["title"]
        for each in layers(chart)
        if each["mark"] == "text" and each["encoding"]["text"]["field"] == "label"
        for row in each["rows"]
    ]
    assert sorted(written) == sorted(TITLES)


def test_long_titles_are_cut_and_told_in_full_when_hovering() -> None:
    long = "Usual hours worked per week in the past twelve months <1>"
    found = row_of(dependency_graph([long, "Age"], ((1,), ()), (1, 0), 2), long)
    assert all(len(line) <= 26 for line in found["label"].split("\n"))
    assert found["lines"] == 2


def test_titles_with_one_beginning_stay_apart() -> None:
    titles = [f"Place of birth of a member of the household, {number}" for number in range(8)]
    parents = ((), *((each,) for each in range(7)))
    rows = nodes(dependency_graph(titles, parents, range(8), None))["rows"]
    assert len({row["label"] for row in rows}) == 8


@pytest.mark.parametrize("size", [1, 11, 40])
def test_any_number_of_attributes_is_drawn(size: int) -> None:
    rng = np.random.default_rng(size)
    parents = tuple(
        tuple(sorted(rng.choice(each, min(each, 2), replace=False).tolist()))
        for each in range(size)
    )
    chart = dependency_graph([str(each) for each in range(size)], parents, range(size), size // 2)
    assert len(nodes(chart)["rows"]) == size


def test_no_attributes_is_said(said: Said) -> None:
    assert "no columns" in said(dependency_graph([], (), (), None))[0]
    assert dependency_graph_table([], (), (), None).empty


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
    drawing = place_attributes(parents, order)
    assert set(drawing.edges) == {(p, child) for child, each in enumerate(parents) for p in each}
    for (parent, child), curve in drawing.edges.items():
        assert curve[0] == pytest.approx(drawing.nodes[parent])
        assert curve[-1] == pytest.approx(drawing.nodes[child])
        assert (np.diff(curve[:, 0]) > 0).all()


@given(graphs())
def test_no_two_attributes_share_a_place(graph: tuple[Parents, tuple[int, ...]]) -> None:
    drawing = place_attributes(*graph)
    for one, here in enumerate(drawing.nodes):
        for there in drawing.nodes[:one]:
            assert here[0] != there[0] or abs(here[1] - there[1]) >= 0.99
    assert drawing.nodes[:, 0].max() <= drawing.columns - 1
    assert drawing.nodes[:, 1].max() <= drawing.rows - 1 + 1e-9
    assert drawing.nodes.min() >= -1e-9


@given(graphs())
def test_columns_are_depths(graph: tuple[Parents, tuple[int, ...]]) -> None:
    drawing, depth = place_attributes(*graph), depths(*graph)
    for each, place in enumerate(drawing.nodes):
        assert each in drawing.apart or place[0] == depth[each]


def test_depth_is_the_longest_chain() -> None:
    assert depths(DIAMOND, (0, 1, 2, 3)) == [0, 1, 1, 2]


def test_an_arrow_over_a_column_keeps_clear_of_its_attributes() -> None:
    chain = ((), (0,), (1, 0))
    drawing = place_attributes(chain, (0, 1, 2))
    curve = drawing.edges[0, 2]
    middle = np.interp(1.0, curve[:, 0], curve[:, 1])
    assert abs(middle - drawing.nodes[1, 1]) > 0.5


def test_crossings_that_can_be_avoided_are() -> None:
    parents: Parents = ((), (), (1,), (0,))
    drawing = place_attributes(parents, (0, 1, 2, 3))
    above = drawing.nodes[0, 1] < drawing.nodes[1, 1]
    assert above == (drawing.nodes[3, 1] < drawing.nodes[2, 1])


def test_attributes_without_links_stand_below() -> None:
    drawing = place_attributes(((), (0,), (), ()), (2, 0, 3, 1))
    assert drawing.apart == (2, 3)
    assert drawing.nodes[[2, 3], 1].min() > drawing.nodes[[0, 1], 1].max() + 1


def test_no_links_at_all_make_a_grid() -> None:
    drawing = place_attributes(((),) * 11, range(11))
    assert (drawing.columns, drawing.rows) == (5, 3)
    assert drawing.edges == {}


def test_the_same_graph_is_drawn_the_same_way() -> None:
    first, second = (place_attributes(DIAMOND, (0, 1, 2, 3)) for _ in range(2))
    assert first.nodes.tolist() == second.nodes.tolist()
