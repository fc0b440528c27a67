"""What holds for every chart."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from engine.charts.accounting import epsilon_against_count, tradeoff
from engine.charts.bounds import bounds_against_t, low_scores
from engine.charts.columns import columns
from engine.charts.distances import boxes, heatmap, side_by_side
from engine.charts.measured import Row, measured
from engine.charts.network import dependency_graph
from engine.charts.passing import pass_rate_curves
from engine.charts.standing import Standing, standings
from engine.charts.triangle import triangle
from engine.evaluation.bounds import bounds
from engine.evaluation.comparison import Compared
from engine.evaluation.distances import Distances
from engine.evaluation.measure import About, Interval, Measured
from engine.evaluation.pass_rate import ScoreSample
from engine.evaluation.triangle import place
from engine.models.omega import Omega
from engine.privacy.accounting.account import account
from engine.privacy.accounting.growth import growth
from engine.privacy.accounting.growth import tradeoff as every_t
from engine.privacy.plausibility.deniability import PlausibleDeniability

FIGURES = account(PlausibleDeniability(k=50, gamma=4, epsilon0=1.0), 10, 1e-9)
ABOUT = About("accuracy", "Accuracy", "How often.", 0, 1, "higher", "prediction")
RELEASED = {"released": Measured(0.5)}
SCORES = ScoreSample(Omega(low=1, high=1), np.full(300, 60), np.zeros(300, dtype=bool))
BOUNDED = bounds(SCORES, FIGURES.test)
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
    }
    plotly = {
        "heatmap": heatmap(["a", "b", "c"], halves, "released"),
        "pair": side_by_side(["a"], ["b", "c"], halves[:1, :2], halves[:1, :2], ("x", "y")),
        "graph": dependency_graph(["a", "b", "c"], ((), (0,), ()), (0, 1, 2), (1, 2)),
        "no graph": dependency_graph([], (), (), None),
    }
    specs = {name: chart.to_dict() for name, chart in altair.items()}
    for name, figure in plotly.items():
        # The page's theme takes the place of this template.
        figure.layout.template = None
        specs[name] = json.loads(figure.to_json())
    return specs


SPECS = every_spec()


@pytest.mark.parametrize("name", SPECS)
def test_no_colour_belongs_to_one_theme_only(name: str) -> None:
    assert not EITHER_END.search(json.dumps(SPECS[name]))


@pytest.mark.parametrize("name", SPECS)
def test_the_page_shows_through(name: str) -> None:
    spec = SPECS[name]
    behind = spec["layout"]["paper_bgcolor"] if "layout" in spec else spec["background"]
    assert behind in ("transparent", "rgba(0,0,0,0)")


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if "layer" in spec])
def test_no_axis_is_left_with_the_name_of_a_field(name: str) -> None:
    for layer in SPECS[name]["layer"]:
        for channel in ("x", "y"):
            axis = layer["encoding"].get(channel, {})
            if "axis" in axis:
                assert "title" in axis
                assert axis["title"] is None or " " in axis["title"]


def test_charts_do_not_need_streamlit() -> None:
    names = (
        "accounting",
        "bounds",
        "triangle",
        "passing",
        "network",
        "distances",
        "palette",
        "measured",
        "standing",
    )
    loads = "; ".join(f"import engine.charts.{name}" for name in names)
    check = f"import sys; {loads}; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
