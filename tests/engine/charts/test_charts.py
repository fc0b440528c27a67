"""What holds for every chart that all methods share."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest

from tests.engine.charts.rules import RULES, Spec
from understudy.charts.accounting import epsilon_against_count, tradeoff
from understudy.charts.kept import kept
from understudy.charts.measured import Row, columns, measured
from understudy.charts.network import dependency_graph
from understudy.charts.pair_shares import heatmap, side_by_side
from understudy.charts.passing import pass_rate_curves
from understudy.charts.spreads import distance_boxes
from understudy.charts.standing import Standing, beside, standings
from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import About, Finding, Interval, Measured
from understudy.evaluation.relative_score import aspects
from understudy.evaluation.run_comparison import MeasureOfRuns
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.growth import growth
from understudy.privacy.accounting.growth import tradeoff as every_t
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability

FIGURES = account(PlausibleDeniability(k=50, gamma=4, epsilon0=1.0), 10, 1e-9)
ABOUT = About("accuracy", "Accuracy", "How often.", 0, 1, "higher", "prediction")
RELEASED = {"released": Measured(0.5)}
VALUES = {"marginals": 0.5, "other real records": 0.9, "released": 0.8}
FINDING = Finding("accuracy", {name: Measured(value) for name, value in VALUES.items()})
ASPECTS = aspects((), Evaluation((), 9, "pay", (FINDING,)))
RUNS = {name: Measured(0.7) for name in "AB"}
BESIDE = [MeasureOfRuns(ABOUT, RUNS, RUNS, RUNS, RUNS)]


HALVES = np.full((3, 3), 0.5)
COMPARED = [Compared("released", 99, Distances(np.diag(HALVES).copy(), HALVES))]
CHARTS: dict[str, Callable[[], Any]] = {
    "growth": lambda: epsilon_against_count(growth(FIGURES, [1, 10, 100]), 10),
    "tradeoff": lambda: tradeoff(*every_t(FIGURES), 20, 1e-12),
    "passing": lambda: pass_rate_curves(np.array([1, 10]), {"ω = 9": np.array([1.0, 0.5])}, 10),
    "boxes": lambda: distance_boxes(COMPARED, ["a", "b", "c"], "pairs"),
    "nothing": lambda: distance_boxes([], [], "pairs"),
    "measured": lambda: measured(ABOUT, [Row("", "released", Measured(0.5, Interval(0.4, 0.6)))]),
    "columns": lambda: columns(ABOUT, {"released": {"Age": Measured(0.5)}}),
    "standings": lambda: standings([Standing("All", ABOUT, RELEASED, RELEASED)]),
    "heatmap": lambda: heatmap(["a", "b", "c"], HALVES, "released"),
    "pair": lambda: side_by_side(["a"], ["b", "c"], HALVES[:1, :2], HALVES[:1, :2], ("x", "y")),
    "graph": lambda: dependency_graph(["a", "b", "c"], ((), (0,), ()), (0, 1, 2), (1, 2)),
    "no graph": lambda: dependency_graph([], (), (), None),
    "kept": lambda: kept(ASPECTS),
    "beside": lambda: beside(BESIDE, ["A", "B"]),
}
"""What draws each chart."""


@cache
def spec(name: str) -> Spec:
    """The specification of a chart, drawn when first asked for."""
    drawn: Spec = CHARTS[name]().to_dict()
    return drawn


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart(name: str, rule: Callable[[Spec], None]) -> None:
    rule(spec(name))


@pytest.mark.thorough("engine/test_rooms.py::test_nothing_of_the_page_is_imported")
def test_charts_do_not_need_streamlit() -> None:
    """Nor do those of any method."""
    found = importlib.import_module("understudy")
    names = [each.name for each in walk_packages(found.__path__, "understudy.")]
    charts = [name for name in names if ".charts." in name]
    assert {"understudy.charts.pair_shares", "understudy.mechanisms.seedbased.charts.triangle"} <= {
        *charts
    }
    loads = "; ".join(f"import {name}" for name in charts)
    check = f"import sys; {loads}; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
