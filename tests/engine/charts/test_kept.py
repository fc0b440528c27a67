"""The story of a release in one chart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import pytest

from understudy.charts.kept import kept, kept_table
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED, Finding, Interval, Measured
from understudy.evaluation.relative_score import MEASURES, Aspect, aspects, way_in_words

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]


def measured(value: float) -> Measured:
    return Measured(value, Interval(value - 0.01, value + 0.01))


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
    shown = points(kept(found()), layers)
    for what in ("pairs", "prediction", "telling"):
        assert shown[what, MARGINALS]["at"] == 0
        assert shown[what, REALS]["at"] == 1
    assert shown["pairs", RELEASED]["at"] == pytest.approx(0.7)
    assert shown["prediction", RELEASED]["at"] == pytest.approx(0.8)


def test_the_numbers_on_it_need_no_explanation(layers: Layers) -> None:
    shown = points(kept(found()), layers)
    said = {where: row["value"].replace("\N{NO-BREAK SPACE}", " ") for where, row in shown.items()}
    assert said["pairs", RELEASED] == "8.0 % off"
    assert said["prediction", REALS] == "85.0 % right"
    assert said["telling", RELEASED] == "65 of 100 told"


def test_where_references_are_alike_there_is_no_scale_but_the_numbers(layers: Layers) -> None:
    chart = kept(found())
    assert ("columns", RELEASED) not in points(chart, layers)
    sentences = [row["said"] for each in layers(chart) for row in each["rows"] if "said" in row]
    assert any("cannot be told apart" in each and "1.1" in each for each in sentences)


@pytest.mark.parametrize(("released", "at"), [(0.9, -0.3), (0.0, 1.3)])
def test_what_lies_far_out_is_drawn_at_the_edge(released: float, at: float, layers: Layers) -> None:
    shown = points(kept(found(released)), layers)
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
    said = kept(found()).to_dict()["description"]
    assert "Pairs of columns: 70" in said
    assert "Single columns: no scale" in said


def test_nothing_known_is_said() -> None:
    assert "Too few records" in kept(()).to_dict()["description"]
    assert kept_table(()).empty


def test_rows_without_any_scale_are_drawn_as_words(layers: Layers) -> None:
    chart = kept(found()[:1])
    assert {each["mark"] for each in layers(chart)} == {"text"}
