"""Charts of measures: dots where the values are, whiskers, references, and the tables beside. How
values of measures are written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import altair as alt
import pytest

from understudy.charts.forest import (
    direction,
    form,
    interval_words,
    is_share,
    read_whole,
    value_range,
    value_text,
)
from understudy.charts.measures import (
    axis_of,
    by_column,
    chart_measures,
    column_dots,
    column_values,
    measured_table,
    subject_rows,
)
from understudy.charts.palette import MARGINALS as GOLD
from understudy.charts.palette import REAL as GREY
from understudy.charts.relative_score import MeasureStanding, standings, standings_table
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    RELEASED,
    About,
    BreakdownEntry,
    Interval,
    SubjectResult,
)
from understudy.evaluation.registry import abouts

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

PLAIN = About("distance", "Distance", "How far.", 0, 1, "lower", "distances", parts="column")
BY_CLASSIFIER = About(
    "accuracy", "Accuracy", "How often.", 0, 1, "higher", "prediction", parts="classifier"
)
TREE, FOREST = "classification tree", "random forest"


def found(value: float, reach: float = 0.01) -> SubjectResult:
    return SubjectResult(value, Interval(value - reach, value + reach))


def by_two(value: float) -> SubjectResult:
    parts = (
        BreakdownEntry((TREE,), value, Interval(value - 0.02, value + 0.02)),
        BreakdownEntry((FOREST,), value + 0.1, Interval(value + 0.08, value + 0.12)),
    )
    return SubjectResult(value, None, parts)


TABLES = {
    REALS: found(0.1),
    MARGINALS: found(0.3),
    RELEASED: found(0.15),
    "ω = 9": SubjectResult(0.2),
}
CLASSIFIED = {REALS: by_two(0.8), MARGINALS: by_two(0.6), RELEASED: by_two(0.7)}


def dots(chart: alt.LayerChart, layers: Layers) -> list[dict[str, Any]]:
    return next(each["rows"] for each in layers(chart) if each["mark"] == "point")


def rules(chart: alt.LayerChart) -> dict[str, list[dict[str, Any]]]:
    """The lines through all rows of a block, by their colour."""
    spec = chart.to_dict()
    return {
        layer["mark"]["color"]: spec["datasets"][layer["data"]["name"]]
        for layer in spec["layer"]
        if layer["mark"]["type"] == "rule" and "color" in layer["mark"]
    }


def drawn(about: About, tables: dict[str, SubjectResult]) -> alt.LayerChart:
    return chart_measures(about, subject_rows(about, tables))


def test_every_table_is_a_dot_with_its_number_beside_it(layers: Layers) -> None:
    rows = dots(drawn(PLAIN, TABLES), layers)
    assert [(row["row"], row["value"]) for row in rows] == [
        (name, each.value) for name, each in TABLES.items()
    ]
    assert rows[2]["beside"] == "15.0 %   (14.0 to 16.0 %)"
    assert rows[3]["beside"] == "20.0 %"


def test_whiskers_are_intervals_and_what_has_none_has_no_whisker(layers: Layers) -> None:
    whiskers = next(
        each["rows"]
        for each in layers(drawn(PLAIN, TABLES))
        if each["mark"] == "rule" and "yOffset" in each["encoding"]
    )
    assert {row["row"]: (row["low"], row["high"]) for row in whiskers} == {
        name: (each.interval.low, each.interval.high)
        for name, each in TABLES.items()
        if each.interval is not None
    }


def test_references_run_through_every_row_of_their_block_only() -> None:
    lines = rules(drawn(BY_CLASSIFIER, CLASSIFIED))
    # A heading, three tables, a heading, three tables: the forest's rows are the last three.
    # The forest's line is drawn last, so it is the one kept by colour here.
    assert [row["id"] for row in lines[GREY]] == ["5", "6", "7"]
    assert [row["value"] for row in lines[GREY]] == pytest.approx([0.9] * 3)
    assert [row["value"] for row in lines[GOLD]] == pytest.approx([0.7] * 3)


def test_classifiers_are_blocks_with_their_own_values(layers: Layers) -> None:
    rows = dots(drawn(BY_CLASSIFIER, CLASSIFIED), layers)
    assert [(row["block"], row["row"]) for row in rows] == [
        (block, table) for block in (TREE, FOREST) for table in CLASSIFIED
    ]
    assert rows[2]["value"] == pytest.approx(0.7)
    assert rows[5]["value"] == pytest.approx(0.8)


def test_the_table_has_what_is_drawn() -> None:
    table = measured_table(BY_CLASSIFIER, subject_rows(BY_CLASSIFIER, CLASSIFIED))
    assert list(table) == ["Classifier", "Table", "Accuracy (%)", "From (%)", "To (%)"]
    assert table["Accuracy (%)"].tolist() == pytest.approx([80, 60, 70, 90, 70, 80])
    assert table["From (%)"].tolist() == pytest.approx([78, 58, 68, 88, 68, 78])
    plain = measured_table(PLAIN, subject_rows(PLAIN, TABLES), "Method")
    assert plain.columns[0] == "Method"
    assert math.isnan(plain["From (%)"].iloc[3])


def test_the_axis_says_range_and_direction() -> None:
    across = axis_of(PLAIN, list(TABLES.values()))
    assert across.title == "Distance (from 0 % to 100 %; lower is better)"
    assert across.low == 0
    assert 0.31 < across.high < 0.4
    assert "higher is better" in axis_of(BY_CLASSIFIER, [found(0.7)]).title


def test_the_axis_stays_within_the_range_and_shows_the_ideal() -> None:
    assert axis_of(PLAIN, [found(0.999, 0.2)]).high == 1
    ratio = About("r", "Ratio", "s", 0, math.inf, "lower", "propensity", ideal=1, unit="number")
    across = axis_of(ratio, [found(3.0)])
    assert across.low < 1 < across.high


def test_an_axis_of_equal_values_has_a_length() -> None:
    across = axis_of(BY_CLASSIFIER, [SubjectResult(0.5), SubjectResult(0.5)])
    assert across.low < 0.5 < across.high


def test_what_is_not_a_number_is_left_out(layers: Layers) -> None:
    chart = drawn(PLAIN, {REALS: found(0.1), RELEASED: SubjectResult(math.nan)})
    assert [row["row"] for row in dots(chart, layers)] == [REALS]


def test_an_interval_without_ends_draws_no_whisker(layers: Layers) -> None:
    chart = drawn(PLAIN, {RELEASED: SubjectResult(0.2, Interval(math.nan, math.inf))})
    assert dots(chart, layers)[0]["low"] is None


def test_nothing_known_is_said(said: Said) -> None:
    assert "no value is known" in said(drawn(PLAIN, {RELEASED: SubjectResult(math.nan)}))[0]
    assert "no value is known" in said(column_dots(PLAIN, {}))[0]
    assert "No measure tells" in said(standings([]))[0]


def test_names_with_signs_in_them_stay_text() -> None:
    name = 'it\'s "ω" \\ </b>'
    chart = drawn(PLAIN, {name: found(0.2)})
    label = chart.to_dict()["layer"][-1]["encoding"]["y"]["axis"]["labelExpr"]
    listed, _, looked_up = label.rpartition("[")
    assert json.loads(listed) == [name]
    assert looked_up == "toNumber(datum.value)]"


def parts(value: float, names: tuple[str, ...]) -> SubjectResult:
    return SubjectResult(
        value, None, tuple(BreakdownEntry((n,), value + 0.001 * i) for i, n in enumerate(names))
    )


def test_columns_are_called_by_their_titles_in_the_schemas_order(layers: Layers) -> None:
    titles = {"a": "Age", "b": "Pay", "c": "Sex"}
    models = {"noisy": parts(0.5, ("c", "a")), "without noise": parts(0.7, ("a", "b", "c"))}
    each = by_column(models, titles)
    assert list(each["without noise"]) == ["Age", "Pay", "Sex"]
    assert each["noisy"]["Sex"].value == 0.5
    rows = dots(column_dots(PLAIN, each), layers)
    assert {(row["row"], row["name"]) for row in rows} == {
        ("Age", "noisy"),
        ("Sex", "noisy"),
        *((title, "without noise") for title in titles.values()),
    }
    table = column_values(PLAIN, each)
    assert sorted(table["Column"]) == ["Age", "Pay", "Sex"]
    assert math.isnan(table.set_index("Column").loc["Pay", "noisy (%)"])


def test_a_subject_without_a_breakdown_is_no_column_of_the_chart() -> None:
    assert by_column({"random guess": SubjectResult(0.2)}, {"a": "Age"}) == {}


@pytest.mark.parametrize("count", [11, 80])
def test_few_and_many_columns_stay_readable(count: int) -> None:
    names = tuple(f"column {place}" for place in range(count))
    models = {model: parts(0.5, names) for model in ("one", "two", "three", "four")}
    chart = column_dots(PLAIN, by_column(models, {name: name for name in names}))
    height = chart.to_dict()["height"]
    assert 15 <= (height - 195) / count <= 45
    assert height < 1800


def standing_of(value: float, heading: str = "Distances") -> MeasureStanding:
    placed = {RELEASED: found(value, 0.1), "ω = 9": SubjectResult(0.4)}
    return MeasureStanding(heading, PLAIN, TABLES, placed)


def test_on_the_scale_the_release_is_large_and_drawn_over_the_others(layers: Layers) -> None:
    rows = dots(standings([standing_of(0.75)]), layers)
    assert [(row["name"], row["faint"]) for row in rows] == [("ω = 9", True), (RELEASED, False)]
    assert rows[-1]["beside"] == "75 %"
    assert "75 % of the way; 15.0 %" in rows[-1]["said"]


def test_the_scale_has_a_line_at_each_reference() -> None:
    lines = rules(standings([standing_of(0.75)]))
    assert {row["value"] for row in lines[GREY]} == {1.0}
    assert {row["value"] for row in lines[GOLD]} == {0.0}


def test_what_is_far_off_is_drawn_at_the_edge_and_no_share_of_the_way(layers: Layers) -> None:
    chart = standings([standing_of(-14.0)])
    (row,) = [each for each in dots(chart, layers) if each["name"] == RELEASED]
    assert row["beside"] == "◂ worse"
    low = next(
        layer["encoding"]["x"]["scale"]["domain"][0]
        for layer in chart.to_dict()["layer"]
        if "scale" in layer["encoding"]["x"]
    )
    assert row["value"] >= low
    assert any("at the edge" in line for line in chart.to_dict()["title"]["subtitle"])
    inside = standings([standing_of(0.75)]).to_dict()["title"]["subtitle"]
    assert not any("at the edge" in line for line in inside)


def test_the_table_of_the_scale_has_every_table_of_every_measure() -> None:
    table = standings_table([standing_of(0.75), standing_of(0.5, "Prediction")])
    assert table["Table"].tolist() == [RELEASED, "ω = 9"] * 2
    assert table["Stands at (%)"].tolist() == pytest.approx([75, 40, 50, 40])
    assert table["From (%)"].iloc[0] == pytest.approx(65)


@pytest.mark.parametrize(
    "chart",
    [
        drawn(PLAIN, TABLES),
        column_dots(PLAIN, {"one": {"Age": found(0.3)}}),
        standings([standing_of(0.75)]),
    ],
    ids=["measured", "columns", "standings"],
)
def test_they_carry_the_mark_of_internal_figures(chart: alt.LayerChart) -> None:
    assert chart.to_dict()["title"]["text"] == NOT_FOR_RELEASE


SHARE = About("accuracy", "Accuracy", "How often.", 0, 1, "higher", "prediction")
NUMBER = About(
    "divergence", "Divergence", "How far.", 0, math.inf, "lower", "distances", unit="number"
)
RATIO = About(
    "x-ratio", "Ratio", "How many.", 0, math.inf, "lower", "propensity", ideal=1, unit="number"
)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.7621, "76.2 %"),
        (1.0, "100.0 %"),
        (0.0, "0 %"),
        (0.00934, "0.93 %"),
        (0.00001, "under 0.01 %"),
        (-0.0312, "−3.1 %"),
        (math.nan, "not known"),
    ],
)
def test_shares_are_per_cent(value: float, said: str) -> None:
    assert value_text(SHARE, value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (0.23456, "0.235"),
        (0.00123, "0.0012"),
        (0.005, "0.0050"),
        (0.00003, "under 0.0001"),
        (8.1049, "8.10"),
        (1234.5, "1,234"),
        (-1.5, "−1.50"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_numbers_have_three_digits_or_so(value: float, said: str) -> None:
    assert value_text(NUMBER, value) == said


def test_an_interval_has_its_unit_once() -> None:
    found = SubjectResult(0.76, Interval(0.75, 0.775))
    assert interval_words(SHARE, found.interval) == "75.0 to 77.5 %"
    assert read_whole(SHARE, found) == "76.0 % (75.0 to 77.5 %)"


@pytest.mark.parametrize(
    ("about", "value", "half", "said"),
    [
        (SHARE, 0.68341, 0.0021, "68.34 % (68.13 to 68.55 %)"),
        (SHARE, 0.68341, 0.012, "68.3 % (67.1 to 69.5 %)"),
        (SHARE, 0.68341, 0.05, "68 % (63 to 73 %)"),
        (NUMBER, 0.0123, 0.002, "0.0123 (0.0103 to 0.0143)"),
        (NUMBER, 12.34, 4.0, "12 (8 to 16)"),
    ],
)
def test_a_value_is_no_finer_than_its_interval(
    about: About, value: float, half: float, said: str
) -> None:
    found = read_whole(about, SubjectResult(value, Interval(value - half, value + half)))
    assert found.replace("\N{NO-BREAK SPACE}", " ") == said


def test_what_is_not_known_is_not_said() -> None:
    assert read_whole(SHARE, None) == ""
    assert read_whole(SHARE, SubjectResult(0.5)) == "50.0 %"
    assert interval_words(SHARE, Interval(math.nan, math.nan)) == ""


def test_range_and_direction_are_words() -> None:
    assert value_range(SHARE) == "from 0 % to 100 %"
    assert value_range(NUMBER) == "0 or more"
    assert value_range(About("k", "n", "s", -math.inf, 1, "higher", "models")) == "100 % or less"
    assert (
        value_range(About("k", "n", "s", -math.inf, math.inf, "lower", "models", unit="number"))
        == "any number"
    )
    assert value_range(abouts()["membership"]) == "from −100 % to 100 %"
    assert direction(SHARE) == "higher is better"
    assert direction(NUMBER) == "lower is better"
    assert direction(RATIO) == "best at 1.00"
    assert (form(SHARE), form(NUMBER)) == ("~%", "~g")


def test_every_measure_can_be_written() -> None:
    for about in abouts().values():
        assert value_text(about, 0.2)
        assert value_range(about)
        assert direction(about)


def test_distances_that_are_no_shares_are_no_per_cent() -> None:
    shares = {key for key, about in abouts().items() if is_share(about)}
    assert {"total-variation", "accuracy", "improvement", "distinguishing", "membership"} <= shares
    plain = {"hellinger", "kullback-leibler", "propensity-tree", "propensity-tree-ratio"}
    assert not plain & shares


def test_where_real_records_are_best_no_end_is() -> None:
    assert direction(abouts()["invented-records"]) == "best as other real records"
