"""What holds for every chart."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine.charts.accounting import epsilon_against_count, tradeoff
from engine.charts.beside import beside
from engine.charts.boxes import boxes
from engine.charts.columns import columns
from engine.charts.heatmaps import heatmap
from engine.charts.kept import kept
from engine.charts.measured import Row, measured
from engine.charts.network import dependency_graph
from engine.charts.pair_shares import side_by_side
from engine.charts.palette import LETTERS
from engine.charts.passing import pass_rate_curves
from engine.charts.standing import Standing, standings
from engine.evaluation.aspects import aspects
from engine.evaluation.comparison import Compared
from engine.evaluation.distances import Distances
from engine.evaluation.evaluation import Evaluation
from engine.evaluation.finding import Finding, Interval, Measured
from engine.evaluation.measure import About
from engine.evaluation.side_by_side import MeasureOfRuns
from engine.mechanisms.seedbased.charts.bounds import bounds_against_t, low_scores
from engine.mechanisms.seedbased.charts.triangle import triangle
from engine.mechanisms.seedbased.evaluation.bounds import bounds
from engine.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from engine.mechanisms.seedbased.evaluation.triangle import place
from engine.models.omega import Omega
from engine.privacy.accounting.accountant import account
from engine.privacy.accounting.growth import growth
from engine.privacy.accounting.growth import tradeoff as every_t
from engine.privacy.plausibility.deniability import PlausibleDeniability

FIGURES = account(PlausibleDeniability(k=50, gamma=4, epsilon0=1.0), 10, 1e-9)
ABOUT = About("accuracy", "Accuracy", "How often.", 0, 1, "higher", "prediction")
RELEASED = {"released": Measured(0.5)}
SCORES = ScoreSample(Omega(low=1, high=1), np.full(300, 60), np.zeros(300, dtype=bool))
BOUNDED = bounds(SCORES, FIGURES.test)
VALUES = {"marginals": 0.5, "other real records": 0.9, "released": 0.8}
FINDING = Finding("accuracy", {name: Measured(value) for name, value in VALUES.items()})
ASPECTS = aspects((), Evaluation((), 9, "pay", (FINDING,)))
RUNS = {name: Measured(0.7) for name in "AB"}
BESIDE = [MeasureOfRuns(ABOUT, RUNS, RUNS, RUNS, RUNS)]
EITHER_END = re.compile(r'"(black|white|#000|#fff|#000000|#ffffff)"', re.IGNORECASE)


def every_spec() -> dict[str, dict[str, Any]]:
    halves = np.full((3, 3), 0.5)
    compared = [Compared("released", 99, Distances(np.diag(halves).copy(), halves))]
    altair = {
        "growth": epsilon_against_count(growth(FIGURES, [1, 10, 100]), 10),
        "tradeoff": tradeoff(*every_t(FIGURES), 20, 1e-12),
        "passing": pass_rate_curves(np.array([1, 10]), {"ω = 9": np.array([1.0, 0.5])}, 10),
        "boxes": boxes(compared, ["a", "b", "c"], "pairs"),
        "nothing": boxes([], [], "pairs"),
        "low scores": low_scores(BOUNDED, 50),
        "bounds": bounds_against_t(BOUNDED, 50),
        "triangle": triangle(place(BOUNDED, FIGURES.test, True, 1.05)),
        "measured": measured(ABOUT, [Row("", "released", Measured(0.5, Interval(0.4, 0.6)))]),
        "columns": columns(ABOUT, {"released": {"Age": Measured(0.5)}}),
        "standings": standings([Standing("All", ABOUT, RELEASED, RELEASED)]),
        "heatmap": heatmap(["a", "b", "c"], halves, "released"),
        "pair": side_by_side(["a"], ["b", "c"], halves[:1, :2], halves[:1, :2], ("x", "y")),
        "graph": dependency_graph(["a", "b", "c"], ((), (0,), ()), (0, 1, 2), (1, 2)),
        "no graph": dependency_graph([], (), (), None),
        "kept": kept(ASPECTS),
        "beside": beside(BESIDE, ["A", "B"]),
    }
    return {name: chart.to_dict() for name, chart in altair.items()}


SPECS = every_spec()


@pytest.mark.parametrize("name", SPECS)
def test_no_colour_belongs_to_one_theme_only(name: str) -> None:
    assert not EITHER_END.search(json.dumps(SPECS[name]))


@pytest.mark.parametrize("name", SPECS)
def test_the_page_shows_through(name: str) -> None:
    assert SPECS[name]["background"] == "transparent"


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if "layer" in spec])
def test_no_axis_is_left_with_the_name_of_a_field(name: str) -> None:
    for layer in SPECS[name]["layer"]:
        for channel in ("x", "y"):
            axis = layer["encoding"].get(channel, {})
            if axis.get("axis") is not None:
                assert "title" in axis
                assert axis["title"] is None or " " in axis["title"]


def marks(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The encodings of every mark of a chart."""
    for part in (*spec.get("layer", []), *spec.get("hconcat", [])):
        yield from marks(part)
    if "encoding" in spec:
        yield spec["encoding"]


@pytest.mark.parametrize("name", SPECS)
def test_no_series_is_told_by_its_colour_alone(name: str) -> None:
    """A name that has a colour has a dash, a shape, a place or a shade that goes with it."""
    spec = SPECS[name]
    coloured = {
        each["color"]["field"]
        for each in marks(spec)
        if each.get("color", {}).get("type") == "nominal" and each["color"]["scale"]
    }
    others = ("shape", "strokeDash", "x", "y", "text", "detail")
    told = {
        channel["field"]
        for each in marks(spec)
        for name in others
        for channel in [each.get(name, {})]
        if "field" in channel
    }
    assert coloured <= told


@pytest.mark.parametrize("name", SPECS)
def test_words_are_in_colours_that_follow_the_theme(name: str) -> None:
    """Letters on the page; those on a coloured cell have the ink of that cell instead."""
    for part in parts(SPECS[name]):
        if part["mark"]["type"] == "text" and "color" not in part["encoding"]:
            assert part["mark"]["color"] == LETTERS


def parts(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every mark of a chart with its encoding."""
    for part in (*spec.get("layer", []), *spec.get("hconcat", [])):
        yield from parts(part)
    if "mark" in spec:
        yield spec


def test_charts_do_not_need_streamlit() -> None:
    names = (
        "charts.accounting",
        "charts.passing",
        "charts.network",
        "charts.boxes",
        "charts.heatmaps",
        "charts.pair_shares",
        "charts.palette",
        "charts.measured",
        "charts.standing",
        "mechanisms.seedbased.charts.bounds",
        "mechanisms.seedbased.charts.triangle",
    )
    loads = "; ".join(f"import engine.{name}" for name in names)
    check = f"import sys; {loads}; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
