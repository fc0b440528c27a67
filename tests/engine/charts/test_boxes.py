"""Box plots of distances: the numbers of a box, and the points behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest

from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.charts.spreads import (
    FARTHEST,
    distance_boxes,
    distance_boxes_table,
    every_distance_table,
)
from understudy.evaluation.comparison import Compared, Distances

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
