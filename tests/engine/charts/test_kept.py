"""The story of a release in one chart. What holds for every chart that all methods share. Pictures
from public numbers that a method brings.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from tests.engine.charts.rules import RULES, Spec
from tests.support import category_schema
from understudy.charts.accounting import chart_unit_tradeoff, epsilon_against_count
from understudy.charts.kept import chart_kept, kept_table
from understudy.charts.measures import MeasuredRow, column_dots
from understudy.charts.measures import chart_measures as measured_chart
from understudy.charts.network import dependency_graph
from understudy.charts.pair_shares import heatmap, side_by_side
from understudy.charts.pass_rate import pass_rate_curves
from understudy.charts.public import PublicPicture, public_pictures
from understudy.charts.relative_score import MeasureStanding, chart_beside, standings
from understudy.charts.spreads import distance_boxes
from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    RELEASED,
    About,
    Finding,
    Interval,
    SubjectResult,
)
from understudy.evaluation.relative_score import MEASURES, Aspect, aspects, way_in_words
from understudy.evaluation.run_comparison import MeasureOfRuns
from understudy.mechanisms import companions
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.registry import method_named, opening_plan, plan_run
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.growth import grow_guarantee
from understudy.privacy.accounting.growth import unit_tradeoff as every_t
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]


def measured(value: float) -> SubjectResult:
    return SubjectResult(value, Interval(value - 0.01, value + 0.01))


def found(released: float = 0.08) -> tuple[Aspect, ...]:
    """All four aspects; of single columns the references cannot be told apart."""
    values = {
        "columns": (0.010, 0.011, 0.012),
        "pairs": (released, 0.05, 0.15),
        "prediction": (0.80, 0.85, 0.60),
        "telling": (0.30, 0.01, 0.60),
    }
    findings = tuple(
        Finding(
            MEASURES[what],  # type: ignore[index]
            {
                RELEASED: measured(values[what][0]),
                REALS: measured(values[what][1]),
                MARGINALS: measured(values[what][2]),
            },
        )
        for what in values
    )
    return aspects((), Evaluation((), 99, "pay", findings))


def points(chart: alt.LayerChart, layers: Layers) -> dict[tuple[str, str], dict[str, Any]]:
    """What stands on the tracks, by the row and the table."""
    (layer,) = (each for each in layers(chart) if "shape" in each["encoding"])
    return {(row["id"], row["name"]): row for row in layer["rows"]}


def test_each_row_runs_from_the_marginals_to_real_records(layers: Layers) -> None:
    shown = points(chart_kept(found()), layers)
    for what in ("pairs", "prediction", "telling"):
        assert shown[what, MARGINALS]["at"] == 0
        assert shown[what, REALS]["at"] == 1
    assert shown["pairs", RELEASED]["at"] == pytest.approx(0.7)
    assert shown["prediction", RELEASED]["at"] == pytest.approx(0.8)


def test_the_numbers_on_it_need_no_explanation(layers: Layers) -> None:
    shown = points(chart_kept(found()), layers)
    said = {where: row["value"].replace("\N{NO-BREAK SPACE}", " ") for where, row in shown.items()}
    assert said["pairs", RELEASED] == "8.0 % off"
    assert said["prediction", REALS] == "85.0 % right"
    assert said["telling", RELEASED] == "65 of 100 told"


def test_where_references_are_alike_there_is_no_scale_but_the_numbers(layers: Layers) -> None:
    chart = chart_kept(found())
    assert ("columns", RELEASED) not in points(chart, layers)
    sentences = [row["said"] for each in layers(chart) for row in each["rows"] if "said" in row]
    assert any("cannot be told apart" in each and "1.1" in each for each in sentences)


@pytest.mark.parametrize(("released", "at"), [(0.9, -0.3), (0.0, 1.3)])
def test_what_lies_far_out_is_drawn_at_the_edge(released: float, at: float, layers: Layers) -> None:
    shown = points(chart_kept(found(released)), layers)
    assert shown["pairs", RELEASED]["at"] == pytest.approx(at)
    assert shown["pairs", RELEASED]["way"][0] in "◂▸"


def test_a_value_beyond_both_ends_is_said_plainly() -> None:
    assert way_in_words(-2.0) == "◂ worse than marginals"
    assert way_in_words(0.5) == "50\N{NO-BREAK SPACE}% of the way"
    assert way_in_words(1.4) == "▸ all of the way"


def test_the_table_has_the_same() -> None:
    table = kept_table(found()).set_index("What")
    assert table.loc["Pairs of columns", "Stands at (%)"] == 70.0
    assert table.loc["Pairs of columns", "Released"].startswith("8.0")
    assert table["Stands at (%)"].isna().tolist() == [True, False, False, False]


def test_its_description_says_all_of_it() -> None:
    said = chart_kept(found()).to_dict()["description"]
    assert "Pairs of columns: 70" in said
    assert "Single columns: no scale" in said


def test_nothing_known_is_said() -> None:
    assert "Too few records" in chart_kept(()).to_dict()["description"]
    assert kept_table(()).empty


def test_rows_without_any_scale_are_drawn_as_words(layers: Layers) -> None:
    chart = chart_kept(found()[:1])
    assert {each["mark"] for each in layers(chart)} == {"text"}


FIGURES = account(PlausibleDeniability(k=50, gamma=4, epsilon0=1.0), 10, 1e-9)
ABOUT = About("accuracy", "Accuracy", "How often.", 0, 1, "higher", "prediction")
CHARTS_RELEASED = {"released": SubjectResult(0.5)}
VALUES = {"marginals": 0.5, "other real records": 0.9, "released": 0.8}
FINDING = Finding("accuracy", {name: SubjectResult(value) for name, value in VALUES.items()})
ASPECTS = aspects((), Evaluation((), 9, "pay", (FINDING,)))
RUNS = {name: SubjectResult(0.7) for name in "AB"}
BESIDE = [MeasureOfRuns(ABOUT, RUNS, RUNS, RUNS, RUNS)]

HALVES = np.full((3, 3), 0.5)
COMPARED = [Compared("released", 99, Distances(np.diag(HALVES).copy(), HALVES))]
CHARTS: dict[str, Callable[[], Any]] = {
    "growth": lambda: epsilon_against_count(grow_guarantee(FIGURES, [1, 10, 100]), 10),
    "tradeoff": lambda: chart_unit_tradeoff(*every_t(FIGURES), 20, 1e-12),
    "passing": lambda: pass_rate_curves(np.array([1, 10]), {"ω = 9": np.array([1.0, 0.5])}, 10),
    "boxes": lambda: distance_boxes(COMPARED, ["a", "b", "c"], "pairs"),
    "nothing": lambda: distance_boxes([], [], "pairs"),
    "measured": lambda: measured_chart(
        ABOUT, [MeasuredRow("", "released", SubjectResult(0.5, Interval(0.4, 0.6)))]
    ),
    "columns": lambda: column_dots(ABOUT, {"released": {"Age": SubjectResult(0.5)}}),
    "standings": lambda: standings(
        [MeasureStanding("All", ABOUT, CHARTS_RELEASED, CHARTS_RELEASED)]
    ),
    "heatmap": lambda: heatmap(["a", "b", "c"], HALVES, "released"),
    "pair": lambda: side_by_side(["a"], ["b", "c"], HALVES[:1, :2], HALVES[:1, :2], ("x", "y")),
    "graph": lambda: dependency_graph(["a", "b", "c"], ((), (0,), ()), (0, 1, 2), (1, 2)),
    "no graph": lambda: dependency_graph([], (), (), None),
    "kept": lambda: chart_kept(ASPECTS),
    "beside": lambda: chart_beside(BESIDE, ["A", "B"]),
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
    assert {"understudy.charts.pair_shares", "understudy.mechanisms.seedbased.charts.bounds"} <= {
        *charts
    }
    loads = "; ".join(f"import {name}" for name in charts)
    check = f"import sys; {loads}; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


SCHEMA = category_schema(3, 4)
FLAGS = category_schema(2, 2, 2)


def _pictures(asked: PlannedRun) -> list[PublicPicture]:
    table = pd.DataFrame({"ε": [asked.guarantee.total.epsilon], "rows": [1]})
    figure = alt.Chart(table).mark_point().encode(x=alt.X("ε"), y=alt.Y("rows"))
    return [
        PublicPicture("cost", "What it costs", "It costs that.", lambda: figure, table, "A point.")
    ]


def test_the_pictures_of_a_method_are_found_in_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("charts.public")
    vars(module)["pictures"] = _pictures
    asked = plan_run(opening_plan("scored", SCHEMA), SCHEMA)
    name = f"{type(method_named('scored')).__module__.rpartition('.')[0]}.charts.public"
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(
        companions, "_import_if_there", lambda wanted: module if wanted == name else None
    )
    (found,) = public_pictures(asked)
    assert found.table["ε"][0] == asked.guarantee.total.epsilon
    exported = found.export("a plan")
    assert not exported.internal
    assert b"<svg" in exported.svg()
    assert "INTERNAL" not in exported.name(found.name, "svg")


def test_a_plan_of_which_nothing_is_known_has_none() -> None:
    alone = opening_plan("latent", FLAGS, {"model": "principal"})
    assert tuple(public_pictures(plan_run(alone, FLAGS))) == ()
