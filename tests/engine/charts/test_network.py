"""The dependency graph: every attribute, every arrow, and what an attempt copies."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from engine.charts.network import (
    ALWAYS_DRAWN,
    ALWAYS_KEPT,
    SOMETIMES,
    dependency_graph,
    dependency_graph_table,
)

TITLES = ["Age", "Education", "Occupation", "Sex"]
PARENTS = ((), (0,), (0, 1), ())
ORDER = (0, 3, 1, 2)


def nodes(figure: go.Figure) -> dict[str, go.Scatter]:
    return {trace.name: trace for trace in figure.data if trace.mode == "markers+text"}


def labels(trace: go.Scatter) -> list[str]:
    return list(trace.text)


def test_attributes_are_told_apart_by_what_becomes_of_them() -> None:
    shown = nodes(dependency_graph(TITLES, PARENTS, ORDER, (1, 3)))
    assert {name: labels(trace) for name, trace in shown.items()} == {
        ALWAYS_KEPT: ["Age"],
        SOMETIMES: ["Sex", "Education"],
        ALWAYS_DRAWN: ["Occupation"],
    }
    for look in ("symbol", "color"):
        assert len({trace.marker[look] for trace in shown.values()}) == 3


def test_one_number_keeps_that_many() -> None:
    shown = nodes(dependency_graph(TITLES, PARENTS, ORDER, 2))
    assert labels(shown[ALWAYS_KEPT]) == ["Age", "Sex"]
    assert labels(shown[ALWAYS_DRAWN]) == ["Education", "Occupation"]
    assert SOMETIMES not in shown


@pytest.mark.parametrize(("kept", "what"), [(0, ALWAYS_DRAWN), (4, ALWAYS_KEPT)])
def test_all_or_none_may_be_kept(kept: int, what: str) -> None:
    assert set(nodes(dependency_graph(TITLES, PARENTS, ORDER, kept))) == {what}


def test_without_an_omega_all_look_alike() -> None:
    figure = dependency_graph(TITLES, PARENTS, ORDER, None)
    assert len(nodes(figure)) == 1
    assert not figure.layout.showlegend


def test_hovering_tells_of_parents_and_children() -> None:
    shown = nodes(dependency_graph(TITLES, PARENTS, ORDER, 4))[ALWAYS_KEPT]
    said = dict(zip(labels(shown), shown.customdata, strict=True))
    assert "depends on: Age, Education" in said["Occupation"]
    assert "others that depend on it: Education, Occupation" in said["Age"]
    assert "depends on: nothing" in said["Sex"]
    assert "2 of 4 in dependency order" in said["Sex"]
    assert ALWAYS_KEPT in said["Age"]


def test_there_is_an_arrow_for_each_dependence() -> None:
    figure = dependency_graph(TITLES, PARENTS, ORDER, None)
    lines, heads = figure.data[0], figure.data[1]
    assert np.isnan(np.asarray(lines.x)).sum() == 3
    assert list(heads.marker.size) == [0, 10] * 3


def test_the_table_has_the_same_in_dependency_order() -> None:
    table = dependency_graph_table(TITLES, PARENTS, ORDER, (1, 3))
    assert table["Column"].tolist() == ["Age", "Sex", "Education", "Occupation"]
    assert table["Place in order"].tolist() == [1, 2, 3, 4]
    assert table["Depends on"].tolist() == ["", "", "Age", "Age, Education"]
    assert table["In an attempt"].tolist() == [ALWAYS_KEPT, SOMETIMES, SOMETIMES, ALWAYS_DRAWN]
    assert "In an attempt" not in dependency_graph_table(TITLES, PARENTS, ORDER, None)


def test_attributes_without_links_are_drawn_and_said_to_be() -> None:
    figure = dependency_graph(TITLES, PARENTS, ORDER, None)
    assert figure.layout.annotations[0].text == "not linked to any other"
    independent = dependency_graph(TITLES, ((),) * 4, ORDER, None)
    assert len(next(iter(nodes(independent).values())).x) == 4
    assert not independent.layout.annotations


def test_long_titles_are_cut_and_told_in_full_when_hovering() -> None:
    long = "Usual hours worked per week in the past twelve months <1>"
    shown = nodes(dependency_graph([long, "Age"], ((1,), ()), (1, 0), 2))[ALWAYS_KEPT]
    label, said = shown.text[1], shown.customdata[1].replace("<br>", " ")
    assert all(len(line) <= 26 for line in label.split("<br>"))
    assert "in the past twelve months &lt;1&gt;" in said


def test_titles_with_one_beginning_stay_apart() -> None:
    titles = [f"Place of birth of a member of the household, {number}" for number in range(8)]
    parents = ((), *((each,) for each in range(7)))
    shown = nodes(dependency_graph(titles, parents, range(8), None))
    (trace,) = shown.values()
    assert len(set(trace.text)) == 8


@pytest.mark.parametrize("size", [1, 11, 40])
def test_any_number_of_attributes_is_drawn(size: int) -> None:
    rng = np.random.default_rng(size)
    parents = tuple(
        tuple(sorted(rng.choice(each, min(each, 2), replace=False).tolist()))
        for each in range(size)
    )
    figure = dependency_graph([str(each) for each in range(size)], parents, range(size), size // 2)
    assert sum(len(trace.x) for trace in nodes(figure).values()) == size


def test_no_attributes_is_said() -> None:
    figure = dependency_graph([], (), (), None)
    assert "no columns" in figure.layout.annotations[0].text
    assert dependency_graph_table([], (), (), None).empty
