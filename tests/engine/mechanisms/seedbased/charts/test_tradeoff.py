"""The trade-off: what is drawn is what was swept, and a click tells which point it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest

from tests.support import category_schema
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.mechanisms.seedbased.charts.tradeoff import (
    PICKED,
    UTILITIES,
    Explored,
    has_place,
    tradeoff,
    tradeoff_table,
)
from understudy.mechanisms.seedbased.evaluation.sweep import Sweep, SweepPoint, Utility
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import privacy_test

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

SCHEMA = category_schema(3, 4, 2)


def plan(k: int = 20, omega: int = 2, **settings: Any) -> Plan:
    test = privacy_test("relative-sensitivity", k, 0.5)
    return Plan.of(SCHEMA, test=test, omega=Omega(low=omega, high=omega), **settings)


def point(
    epsilon: float | None, distance: float, k: int = 20, omega: int = 2, **changed: Any
) -> SweepPoint:
    figures: dict[str, Any] = {
        "plan": plan(k, omega),
        "total": None if epsilon is None else Budget(epsilon, 1e-9),
        "pass_rate": 0.5,
        "records": 100.0,
        "distance": distance,
        "effective": 1_000.0,
        "real": 0.05,
        "trouble": "",
    }
    return SweepPoint(**{**figures, **changed})


POINTS = (
    point(1.0, 0.30, records=80.0),
    point(2.0, 0.20, k=40),
    point(3.0, 0.25, k=80, omega=1),
    point(4.0, 0.10, k=80, effective=150.0),
    point(None, 0.40, trouble="It cannot keep its δ."),
    point(8.0, math.nan, trouble="There are no scores.", pass_rate=math.nan, records=math.nan),
)
SWEEP = Sweep(POINTS, 4_096, 0.05, 0.22)


def explored(utility: Utility = "distance", **changed: Any) -> Explored:
    usual: dict[str, Any] = {"varied": ("omega", "k"), "now": None, "internal": True}
    return Explored(SWEEP, utility, **{**usual, **changed})


def drawn(chart: alt.LayerChart, layers: Layers) -> list[dict[str, Any]]:
    """The rows of the layer that can be clicked."""
    return next(each["rows"] for each in layers(chart) if "shape" in each["encoding"])


def test_every_point_that_has_a_place_is_drawn_there(layers: Layers) -> None:
    rows = drawn(tradeoff(explored()), layers)
    assert [(row["point"], row["epsilon"], row["utility"]) for row in rows] == [
        (0, 1.0, 0.30),
        (1, 2.0, 0.20),
        (2, 3.0, 0.25),
        (3, 4.0, 0.10),
    ]
    assert [has_place(each, "distance") for each in POINTS] == [True] * 4 + [False] * 2


@pytest.mark.parametrize(
    ("utility", "expected"),
    [("distance", [0.3, 0.2]), ("excess", [0.25, 0.15]), ("records", [80, 100])],
)
def test_the_line_joins_the_frontier(
    utility: Utility, expected: list[float], layers: Layers
) -> None:
    (line,) = (each for each in layers(tradeoff(explored(utility))) if each["mark"] == "line")
    assert [row["utility"] for row in line["rows"]] == pytest.approx(expected)
    assert [row["epsilon"] for row in line["rows"]] == [1.0, 2.0]


def test_too_few_candidates_are_hollow_and_never_on_the_frontier(layers: Layers) -> None:
    chart = tradeoff(explored())
    rows = drawn(chart, layers)
    assert [row["few"] for row in rows] == [False, False, False, True]
    assert not rows[3]["edge"]
    assert "Hollow" in str(chart.to_dict()["title"])
    passing = tradeoff(explored("pass_rate"))
    assert not any(row["few"] for row in drawn(passing, layers))
    assert "Hollow" not in str(passing.to_dict()["title"])


def test_a_click_selects_the_place_of_a_point() -> None:
    spec = tradeoff(explored()).to_dict()
    (picked,) = spec["params"]
    assert picked["name"] == PICKED
    assert picked["select"]["fields"] == ["point"]
    assert picked["select"]["type"] == "point"


def test_colours_and_shapes_are_of_the_first_two_settings(layers: Layers) -> None:
    rows = drawn(tradeoff(explored()), layers)
    assert [(row["colour"], row["shape"]) for row in rows] == [
        ("2", "20"),
        ("2", "40"),
        ("1", "80"),
        ("2", "80"),
    ]
    alone = drawn(tradeoff(explored(varied=("k",))), layers)
    assert [(row["colour"], row["shape"]) for row in alone] == [
        (k, k) for k in ("20", "40", "80", "80")
    ]
    nothing = drawn(tradeoff(explored(varied=())), layers)
    assert {(row["colour"], row["shape"]) for row in nothing} == {("every plan", "every plan")}


def test_many_values_have_as_many_colours() -> None:
    points = tuple(point(1.0 + k, 0.2, k=k) for k in range(20, 32))
    chart = tradeoff(Explored(Sweep(points, 9, 0.05, 0.2), "distance", ("k",)))
    layer = next(each for each in chart.to_dict()["layer"] if "shape" in each["encoding"])
    colours = layer["encoding"]["color"]["scale"]["range"]
    assert len(set(colours)) == len(points)
    assert colours[0] == "#3A86D8"
    assert all(len(colour) == 7 for colour in colours)


def test_hovering_says_every_setting(layers: Layers) -> None:
    layer = next(each for each in layers(tradeoff(explored())) if "shape" in each["encoding"])
    titles = {each["field"]: each["title"] for each in layer["encoding"]["tooltip"]}
    said = {titles[name]: value for name, value in layer["rows"][3].items() if name in titles}
    assert said == {
        "k": "80",
        "ε0": "0.5",
        "γ": "none",
        "ω": "2",
        "Privacy test": "Relative sensitivity",
        "N": "5,000",
        "ε of the model": "1",
        "total ε": "4",
        "a typical pair differs by": "10 %",
        "as many real records by": "5 %",
        "candidates that pass": "50 %",
        "records, about": "100",
        "worth so many candidates": "150, too few to say",
        "on the frontier": "no",
    }


def test_the_references_are_lines_where_a_distance_is_drawn(layers: Layers, said: Said) -> None:
    chart = tradeoff(explored())
    rules = [each for each in layers(chart) if each["mark"] == "rule"]
    assert [rule["rows"][0]["utility"] for rule in rules] == [0.05, 0.22]
    assert "4,096 other real records" in said(chart)[0]
    beyond = tradeoff(explored("excess"))
    rules = [each for each in layers(beyond) if each["mark"] == "rule"]
    assert [rule["rows"][0]["utility"] for rule in rules] == pytest.approx([0, 0.17])
    assert not any(each["mark"] == "rule" for each in layers(tradeoff(explored("records"))))


def test_the_present_plan_is_marked_where_it_has_a_place(said: Said, layers: Layers) -> None:
    here = point(500.0, 0.9)
    chart = tradeoff(explored(now=here))
    assert said(chart)[-1] == "The present plan"
    axes = layers(chart)[-1]["encoding"]
    assert axes["x"]["scale"]["domain"][1] >= 500
    worst, best = axes["y"]["scale"]["domain"]
    assert worst >= 0.9 > best  # a distance: the nearer the higher
    assert "The present plan" not in said(tradeoff(explored(now=POINTS[4])))


def test_far_points_off_the_frontier_do_not_squeeze_the_others(layers: Layers) -> None:
    far = Sweep((*POINTS, point(5e6, 0.4)), 4_096, 0.05, 0.22)
    chart = tradeoff(Explored(far, "distance", ("k",)))
    assert layers(chart)[-1]["encoding"]["x"]["scale"]["domain"][1] < 10
    assert "Not shown: 1 plan of a larger ε" in str(chart.to_dict()["title"])
    assert "Not shown" not in str(tradeoff(explored()).to_dict()["title"])


def test_figures_of_confidential_records_carry_their_mark() -> None:
    assert tradeoff(explored()).to_dict()["title"]["text"] == NOT_FOR_RELEASE
    assert NOT_FOR_RELEASE not in str(tradeoff(explored(internal=False)).to_dict()["title"])


@pytest.mark.parametrize("utility", UTILITIES)
def test_the_table_has_every_plan_with_the_reason_where_it_is_not_drawn(utility: Utility) -> None:
    table = tradeoff_table(explored(utility))
    assert len(table) == len(POINTS)
    assert table["k"].tolist() == ["20", "40", "80", "80", "20", "20"]
    assert table["ω"].tolist()[2] == "1"
    assert table["Total ε"].tolist()[:4] == [1, 2, 3, 4]
    assert np.isnan(table["Total ε"][4])
    assert table["Why not"][4] == "It cannot keep its δ."
    few = "Too few candidates pass to say."
    assert (table["Why not"][3] == few) == (utility in ("distance", "excess"))
    assert table["On the frontier"].tolist() == SWEEP.edge(utility).tolist()


def test_numbers_of_records_that_differ_much_have_a_logarithmic_axis(layers: Layers) -> None:
    near = layers(tradeoff(explored("records")))[-1]["encoding"]["y"]["scale"]
    assert "type" not in near
    wide = Sweep((point(1.0, 0.2, records=10.0), point(2.0, 0.2, records=9e5)), 9, 0.1, 0.2)
    scale = layers(tradeoff(Explored(wide, "records", ("k",))))[-1]["encoding"]["y"]["scale"]
    assert scale["type"] == "log"


def test_records_are_called_so_where_the_attempts_are_hidden(layers: Layers) -> None:
    released = plan(protocol="releases", pass_floor=0.1)
    sweep = Sweep((point(1.0, 0.2, plan=released),), 9, 0.1, 0.2)
    layer = layers(tradeoff(Explored(sweep, "distance", ("attempts",))))[-1]
    assert layer["encoding"]["color"]["legend"]["title"] == "m"
    assert "m" in [each["title"] for each in layer["encoding"]["tooltip"]]


@pytest.mark.parametrize("utility", UTILITIES)
def test_without_a_promise_a_sentence_takes_the_place(utility: Utility, said: Said) -> None:
    nothing = Sweep(POINTS[4:], 9, 0.1, 0.2)
    assert "keeps a promise" in said(tradeoff(Explored(nothing, utility, ("k",))))[0]
    free = plan(model=ModelPlan(epsilon=None))
    assert not has_place(point(0.0, 0.1, plan=free), utility)
