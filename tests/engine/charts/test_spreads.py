"""Box plots of distances: the numbers of a box, and the points behind it. Pass-rate curves: what
is drawn is what was given. Maps in kilometres, and nothing that a browser would have to fetch.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest

from tests.engine.charts.rules import RULES
from understudy.charts import maps, scales
from understudy.charts.pass_rate import pass_rate_curves, pass_rate_curves_table
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.charts.spreads import (
    FARTHEST,
    distance_boxes,
    distance_boxes_table,
    every_distance_table,
)
from understudy.evaluation.comparison import Compared, Distances
from understudy.models.mobility.geography import Geography

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]
Make = Callable[..., Compared]

NAMES = ["Age", "Education", "Sex"]


def points_of(chart: alt.LayerChart, layers: Layers) -> list[dict[str, Any]]:
    return layers(chart)[-1]["rows"]


def test_every_pair_is_a_point_with_its_name(table: Make, layers: Layers) -> None:
    one = table("released", 3)
    rows = points_of(distance_boxes([one], NAMES, "pairs"), layers)
    pairs = one.distances.pairs
    assert {row["what"]: row["distance"] for row in rows} == {
        "Age × Education": pairs[0, 1],
        "Age × Sex": pairs[0, 2],
        "Education × Sex": pairs[1, 2],
    }


def test_every_attribute_is_a_point_with_its_name(table: Make, layers: Layers) -> None:
    one = table("released", 3)
    rows = points_of(distance_boxes([one], NAMES, "single"), layers)
    assert [row["what"] for row in rows] == NAMES
    assert [row["distance"] for row in rows] == one.distances.single.tolist()


def test_a_box_is_the_middle_half(table: Make, layers: Layers) -> None:
    one = table("released", 8)
    names = [str(number) for number in range(8)]
    box = next(x for x in layers(distance_boxes([one], names, "pairs")) if x["mark"] == "bar")[
        "rows"
    ][0]
    values = one.distances.each_pair
    quartiles = np.quantile(values, [0.25, 0.5, 0.75])
    assert [box["lower"], box["median"], box["upper"]] == pytest.approx(quartiles)
    assert (box["low"], box["high"]) == (values.min(), values.max())


def test_the_table_has_the_numbers_of_the_boxes(table: Make) -> None:
    tables = [table("released", 3, 1), table("marginals", 3, 2)]
    summary = distance_boxes_table(tables, NAMES, "pairs")
    assert summary["Table"].tolist() == ["released", "marginals"]
    assert summary["Records looked at"].tolist() == [1234, 1234]
    assert summary["Pairs"].tolist() == [3, 3]
    for each, row in zip(tables, summary.to_dict("records"), strict=True):
        assert row["Median"] == pytest.approx(np.median(each.distances.each_pair))
        one, other = row["Farthest"].split(" × ")
        assert (
            each.distances.pairs[NAMES.index(one), NAMES.index(other)]
            == row["Largest"]
            == each.distances.each_pair.max()
        )


def test_every_distance_can_be_read(table: Make) -> None:
    tables = [table("released", 3, 1), table("marginals", 3, 2)]
    every = every_distance_table(tables, NAMES, "pairs")
    assert every["Pair"].tolist() == ["Age × Education", "Age × Sex", "Education × Sex"]
    assert every["marginals"].tolist() == tables[1].distances.each_pair.tolist()
    assert every_distance_table(tables, NAMES, "single")["Column"].tolist() == NAMES


def test_rows_keep_the_order_of_the_tables(table: Make, layers: Layers) -> None:
    names = ["other real records", "released", "ω = 9"]
    chart = distance_boxes([table(name, 3) for name in names], NAMES, "single")
    box = next(each for each in layers(chart) if each["mark"] == "bar")
    assert box["encoding"]["y"]["sort"] == names
    assert box["encoding"]["color"]["scale"]["domain"] == names


def test_medians_of_the_references_run_through_all_rows(table: Make, layers: Layers) -> None:
    real = table("other real records", 3)
    chart = distance_boxes([real, table("released", 3, 1)], NAMES, "single")
    lines = [
        each for each in layers(chart) if each["mark"] == "rule" and "y" not in each["encoding"]
    ]
    drawn = [row["median"] for line in lines for row in line["rows"]]
    assert drawn == [pytest.approx(np.median(real.distances.single))]
    assert all(each["rows"] for each in layers(chart))


def test_of_very_many_pairs_only_the_farthest_are_points(table: Make, layers: Layers) -> None:
    one = table("released", 40)
    chart = distance_boxes([one], [str(number) for number in range(40)], "pairs")
    rows = points_of(chart, layers)
    farthest = np.sort(one.distances.each_pair)[-FARTHEST:]
    assert sorted(row["distance"] for row in rows) == pytest.approx(farthest.tolist())
    assert any(str(FARTHEST) in line for line in chart.to_dict()["title"]["subtitle"])


def test_what_is_not_a_number_is_left_out(layers: Layers) -> None:
    pairs = np.array([[0.1, np.nan], [np.nan, 0.3]])
    odd = Compared("released", 60, Distances(np.array([0.1, np.nan]), pairs))
    rows = points_of(distance_boxes([odd], ["a", "b"], "single"), layers)
    assert [row["distance"] for row in rows] == [0.1]
    assert distance_boxes_table([odd], ["a", "b"], "pairs").empty
    assert every_distance_table([odd], ["a", "b"], "pairs")["released"].isna().all()


def test_a_table_with_nothing_known_has_no_row(table: Make, layers: Layers) -> None:
    nothing = Compared("marginals", 60, Distances(np.full(3, np.nan), np.full((3, 3), np.nan)))
    chart = distance_boxes([nothing, table("released", 3)], NAMES, "single")
    box = next(each for each in layers(chart) if each["mark"] == "bar")
    assert [row["table"] for row in box["rows"]] == ["released"]


def test_without_tables_a_sentence_takes_the_place(said: Said) -> None:
    assert "too few records" in said(distance_boxes([], NAMES, "pairs"))[0]


def test_the_axis_has_room_for_numbers_and_names_nothing_beyond_one(layers: Layers) -> None:
    apart = Compared("released", 60, Distances(np.ones(2), np.ones((2, 2))))
    chart = distance_boxes([apart], ["a", "b"], "single")
    across = layers(chart)[-1]["encoding"]["x"]
    assert across["scale"]["domain"] == [0, 1.25]
    assert across["axis"]["labelExpr"] == "datum.value <= 1.0 ? datum.label : ''"


def test_names_must_fit(table: Make) -> None:
    with pytest.raises(ValueError, match="name for each"):
        distance_boxes([table("released", 3)], ["a"], "single")


def test_it_carries_the_mark_of_internal_figures(table: Make) -> None:
    chart = distance_boxes([table("released", 3)], NAMES, "single")
    assert chart.to_dict()["title"]["text"] == NOT_FOR_RELEASE


KS = np.array([1, 10, 100, 1000])
CURVES = {
    "ω = 5-11": np.array([1.0, 0.9, 0.4, 0.01]),
    "ω = 9": np.array([1.0, 0.5, 0.05, 0.0]),
}


def test_every_curve_is_drawn_as_given(layers: Layers) -> None:
    rows = layers(pass_rate_curves(KS, CURVES, 50))[0]["rows"]
    for name, shares in CURVES.items():
        drawn = [(row["k"], row["share"]) for row in rows if row["name"] == name]
        assert drawn == list(zip(KS.tolist(), shares.tolist(), strict=True))


def test_the_table_says_what_is_drawn() -> None:
    table = pass_rate_curves_table(KS, CURVES)
    assert table["k"].tolist() == KS.tolist()
    for name, shares in CURVES.items():
        assert table[f"Share of attempts that pass, {name}"].tolist() == shares.tolist()


def test_hovering_reads_out_every_curve(layers: Layers) -> None:
    reader = layers(pass_rate_curves(KS, CURVES, 50))[1]
    titles = [each.get("title") for each in reader["encoding"]["tooltip"]]
    assert titles[1:] == ["Passing, ω = 5-11", "Passing, ω = 9"]
    assert reader["rows"][1] == {"k": 10, "curve0": "90 %", "curve1": "50 %"}


def test_the_present_k_is_marked(said: Said, layers: Layers) -> None:
    chart = pass_rate_curves(KS, CURVES, 5000)
    assert said(chart) == ["This plan: k = 5,000"]
    assert layers(chart)[0]["encoding"]["x"]["scale"]["domain"][1] >= 5000
    rule = layers(chart)[2]
    assert (rule["mark"], rule["rows"][0]["k"]) == ("rule", 5000)


def test_it_carries_the_mark_of_internal_figures_of_passing() -> None:
    assert pass_rate_curves(KS, CURVES, 50).to_dict()["title"]["text"] == NOT_FOR_RELEASE


def test_what_is_not_a_number_is_left_out_of_passing(layers: Layers) -> None:
    curves = {"ω = 9": np.array([0.5, np.nan, np.inf, 0.1])}
    chart = pass_rate_curves(KS, curves, 50)
    assert [row["k"] for row in layers(chart)[0]["rows"]] == [1, 1000]
    assert layers(chart)[1]["rows"][1]["curve0"] == "not known"
    assert pass_rate_curves_table(KS, curves).isna().to_numpy().sum() == 2


@pytest.mark.parametrize("curves", [{}, {"ω = 9": np.full(4, np.nan)}])
def test_without_a_curve_a_sentence_takes_the_place(curves: Any, said: Said) -> None:
    assert "no pass rate" in said(pass_rate_curves(KS, curves, 50))[0]


def test_rare_passing_fills_the_axis(layers: Layers) -> None:
    often = layers(pass_rate_curves(KS, CURVES, 50))[0]["encoding"]["y"]["scale"]["domain"]
    rare = pass_rate_curves(KS, {"ω = 9": np.full(4, 0.002)}, 50)
    assert often == [0, 1]
    assert layers(rare)[0]["encoding"]["y"]["scale"]["domain"][1] < 0.01


def test_a_single_k_is_shown_as_a_point() -> None:
    spec = pass_rate_curves(np.array([50]), {"ω = 9": np.array([0.3])}, 50).to_dict()
    assert spec["layer"][0]["mark"]["point"]


WHERE = Geography(rows=3, columns=4, cell_km=(1.0, 2.0), zones=2)
SHARES = np.array([0.5, 0, 0, 0.25, 0, 0.25, 0, 0, 0, 0, 0, 0])
FLOWS = np.array([[0.1, 0.3, 0, 0], [0.2, 0, 0, 0], [0, 0, 0, 0.4], [0, 0, 0, 0]])
NOTE = scales.note("")
DRAWN = {
    "density": maps.density(WHERE, SHARES, "Share of the time", 0.5, NOTE),
    "flows": maps.flows(WHERE, FLOWS, 0.5, NOTE),
    "path": maps.path(WHERE, [0, 5, 0], ["Home", "Work", "Home"], NOTE),
    "grid": maps.grid(WHERE, NOTE),
}


@pytest.mark.parametrize("name", DRAWN)
def test_it_keeps_the_rules_of_charts(name: str) -> None:
    spec: dict[str, Any] = DRAWN[name].to_dict()
    for rule in RULES:
        rule(spec)
    said = json.dumps({key: each for key, each in spec.items() if key != "$schema"})
    assert "http" not in said
    assert "projection" not in said


def test_a_cell_lies_where_its_row_and_column_say() -> None:
    spec = DRAWN["density"].to_dict()
    (rows,) = [each for each in spec["datasets"].values() if "share" in each[0]]
    assert len(rows) == 12
    sixth = rows[5]
    assert (sixth["south"], sixth["north"]) == (1.0, 2.0)
    assert (sixth["west"], sixth["east"]) == (2.0, 4.0)
    assert sixth["share"] == 0.25


def test_the_table_has_the_fullest_first_and_no_empty_ones() -> None:
    table = maps.density_table(WHERE, SHARES, "Share")
    assert table["Share (%)"].tolist() == [50.0, 25.0, 25.0]
    assert table["Row from the south"].tolist() == [1, 1, 2]
    assert table["Column from the west"].tolist() == [1, 4, 2]


def test_moves_either_way_are_one_line_and_those_within_a_zone_none() -> None:
    table = maps.flows_table(WHERE, FLOWS)
    assert table["Moves (%)"].tolist() == [50.0, 40.0]
    assert table.iloc[0, :2].tolist() == ["1.1", "1.2"]
    assert table.iloc[1, :2].tolist() == ["2.1", "2.2"]


def test_a_place_that_is_come_to_twice_has_both_numbers() -> None:
    spec = DRAWN["path"].to_dict()
    (labels,) = [
        each for each in spec["datasets"].values() if "number" in each[0]
    ]  # fmt: skip
    assert {each["number"] for each in labels} == {"1, 3", "2"}
