"""The change of a belief: what is drawn is what may become of it, and holds as written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts.belief import (
    AT_LEAST,
    AT_MOST,
    UNCHANGED,
    belief_change,
    belief_change_table,
    spelled_at_least,
    spelled_at_most,
)
from understudy.core.numerals import FIXED
from understudy.privacy.budget import Budget
from understudy.privacy.strength import belief

Layers = Callable[[Any], list[dict[str, Any]]]
TOTAL = Budget(1.0, 1e-9)


@pytest.mark.parametrize("total", [Budget(0.0), TOTAL, Budget(30.0, 1e-9), Budget.unbounded()])
def test_the_curves_are_what_may_become_of_each_belief(total: Budget, layers: Layers) -> None:
    drawn = layers(belief_change(total, 0.1))
    rows = next(each["rows"] for each in drawn if {"name", "after"} <= set(each["rows"][0]))
    for row in rows:
        found = belief(row["before"], total)
        expected = {AT_MOST: found.at_most, AT_LEAST: found.at_least, UNCHANGED: row["before"]}
        assert row["after"] == expected[row["name"]]
    assert {row["before"] for row in rows} >= {0.0, 1.0}


def test_the_belief_that_is_looked_at_is_marked_and_written(layers: Layers) -> None:
    found = belief(0.1, TOTAL)
    marked = [each["rows"] for each in layers(belief_change(TOTAL, 0.1)) if each["mark"] == "text"]
    assert [row["after"] for row in marked[0]] == [found.at_least, found.at_most]
    assert [row["said"] for row in marked[0]] == [f"3.88{FIXED}%", f"23.4{FIXED}%"]
    assert [row["upper"] for row in marked[0]] == [False, True]


def test_the_second_question_counts_twice(layers: Layers) -> None:
    value, _ = [
        each["rows"]
        for each in layers(belief_change(TOTAL, 0.1, "value"))
        if each["mark"] == "text"
    ]
    assert value[1]["after"] == belief(0.1, TOTAL, "value").at_most > 0.4


def test_what_is_done_to_one_drawing_does_not_show_in_the_next() -> None:
    first = belief_change(TOTAL, 0.1)
    spec = first.to_dict()
    assert spec["description"] == first.description
    spec["layer"][0]["mark"].clear()
    del spec["datasets"]
    assert belief_change(TOTAL, 0.1).to_dict()["layer"][0]["mark"]
    assert first.to_dict()["datasets"]


def test_words_lean_towards_the_middle() -> None:
    def lean(prior: float) -> str:
        (align,) = {
            each["mark"]["align"]
            for each in belief_change(TOTAL, prior).to_dict()["layer"]
            if each["mark"]["type"] == "text"
        }
        return str(align)

    assert [lean(0.5), lean(0.6)] == ["left", "right"]


def test_it_is_a_chart_that_can_be_drawn() -> None:
    alt.LayerChart.from_dict(belief_change(TOTAL, 0.1).to_dict(), validate=True)


def test_the_table_says_the_same() -> None:
    table = belief_change_table(TOTAL)
    row = table[table.iloc[:, 0] == 10]
    assert row.iloc[0, 1] == pytest.approx(100 * belief(0.1, TOTAL).at_least)
    assert row.iloc[0, 2] == pytest.approx(100 * belief(0.1, TOTAL).at_most)


@given(st.floats(0, 1))
def test_no_bound_is_spelled_closer_than_it_is(share: float) -> None:
    most, least = spelled_at_most(share), spelled_at_least(share)
    if not most.startswith("almost"):
        assert float(most.removesuffix(f"{FIXED}%").replace(",", "")) >= 100 * share * (1 - 1e-9)
    assert float(least.removesuffix(f"{FIXED}%")) <= 100 * share * (1 + 1e-9)


def test_it_says_almost_where_rounding_up_would_say_certain() -> None:
    assert spelled_at_most(0.99999) == f"almost 100{FIXED}%"
    assert spelled_at_most(1.0) == f"100{FIXED}%"
    assert spelled_at_least(0.00001) == f"0{FIXED}%"
