"""Heatmaps: all pairs at once, and one pair cell by cell. Numbers beside a bar of colours."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts import grids, pair_shares
from understudy.charts.grids import share_form
from understudy.charts.pair_shares import heatmap, heatmap_table, side_by_side, side_by_side_table
from understudy.charts.palette import SEQUENTIAL, ink_on
from understudy.charts.scales import NOT_FOR_RELEASE

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

TITLES = ["Age", "Education", "Sex"]
PAIRS = np.array([[0.01, 0.2, 0.3], [0.2, 0.02, 0.4], [0.3, 0.4, 0.03]])

FIRST, SECOND = ["<=50K", ">50K"], ["Married", "Widowed", "Never married or under fifteen"]
REAL = np.array([[0.1, 0.2, 0.0], [0.3, 0.4, 0.0]])
SYNTHETIC = np.array([[0.15, 0.15, 0.0], [0.3, 0.35, 0.05]])
BOTH = ("Income", "Marital status")


def cells(chart: alt.LayerChart) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of the coloured cells, by the labels of their row and column."""
    spec = chart.to_dict()
    name = spec["layer"][0].get("data", spec.get("data"))["name"]
    return {(row["row"], row["column"]): row for row in spec["datasets"][name]}


def ends(chart: alt.LayerChart) -> list[float]:
    domain: list[float] = chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]["domain"]
    return [domain[0], domain[-1]]


def panels(chart: alt.HConcatChart | alt.LayerChart) -> list[dict[str, Any]]:
    """Each panel: the encoding of its colours and the rows it draws."""
    spec = chart.to_dict()
    return [
        {
            "color": panel["encoding"]["color"],
            "title": panel["title"]["text"],
            "x": panel["encoding"]["x"],
            "y": panel["encoding"]["y"],
            "tooltip": panel["encoding"]["tooltip"],
            "rows": spec["datasets"][panel["data"]["name"]],
        }
        for panel in spec["hconcat"]
    ]


def test_the_heatmap_shows_what_was_given() -> None:
    chart = heatmap(TITLES, PAIRS, "released", 0.5)
    shown = cells(chart)
    for row, one in enumerate(TITLES):
        for column, other in enumerate(TITLES):
            assert shown[one, other]["distance"] == PAIRS[row, column]
    assert ends(chart) == [0, 0.5]


def test_hovering_names_the_pair() -> None:
    shown = cells(heatmap(TITLES, PAIRS, "released", 0.5))
    assert shown["Age", "Education"]["what"] == "Age × Education"
    assert shown["Sex", "Sex"]["what"] == "Sex on its own"


def test_the_heatmap_table_shows_what_is_drawn() -> None:
    table = heatmap_table(TITLES, PAIRS)
    assert table["Column"].tolist() == TITLES
    assert table[TITLES].to_numpy().tolist() == PAIRS.tolist()


def test_without_an_end_the_colours_reach_the_largest() -> None:
    assert ends(heatmap(TITLES, PAIRS, "released")) == [0, 0.4]


@pytest.mark.parametrize("most", [0.0, float("nan"), float("inf")])
def test_colours_always_have_a_width(most: float) -> None:
    assert 0 < ends(heatmap(TITLES, np.zeros((3, 3)), "released", most))[1] < 1


def test_what_is_not_a_number_stays_blank() -> None:
    odd = PAIRS.copy()
    odd[0, 1] = odd[1, 0] = np.inf
    chart = heatmap(TITLES, odd, "released")
    assert ("Age", "Education") not in cells(chart)
    assert len(cells(chart)) == 7
    assert ends(chart)[1] == 0.4


def test_long_titles_are_cut_and_told_in_full_when_hovering() -> None:
    titles = [f"A title that is much too long for an axis, {end}" for end in ("one", "two", "<b>")]
    shown = cells(heatmap(titles, PAIRS, "released"))
    labels = {row for row, _ in shown}
    assert len(labels) == 3
    assert all(len(label) < 40 for label in labels)
    assert any(each["what"] == f"{titles[0]} × {titles[1]}" for each in shown.values())


def test_equal_titles_keep_their_own_rows() -> None:
    shown = cells(heatmap(["Code", "Code"], PAIRS[:2, :2], "released"))
    assert {row for row, _ in shown} == {"Code", "Code (2)"}
    assert heatmap_table(["Code", "Code"], PAIRS[:2, :2]).shape == (2, 3)


def test_rows_and_columns_stand_in_the_order_given() -> None:
    encoding = heatmap(["b", "a", "c"], PAIRS, "released").to_dict()["layer"][0]["encoding"]
    assert encoding["x"]["scale"]["domain"] == ["b", "a", "c"]
    assert encoding["y"]["scale"]["domain"] == ["b", "a", "c"]


def test_many_attributes_are_shown_without_numbers(layers: Layers) -> None:
    few, many = (heatmap([str(each) for each in range(m)], np.eye(m), "released") for m in (11, 40))
    assert [each["mark"] for each in layers(few)] == ["rect", "text"]
    assert [each["mark"] for each in layers(many)] == ["rect"]


def test_each_number_stands_in_its_cell_in_the_ink_of_its_colour(layers: Layers) -> None:
    odd = PAIRS.copy()
    odd[0, 1] = np.nan
    numbers = layers(heatmap(TITLES, odd, "released", 0.4))[1]
    written = {(row["row"], row["column"]): row["number"] for row in numbers["rows"]}
    assert ("Age", "Education") not in written
    assert written["Education", "Age"] == "20.0"
    inks = {row["number"]: row["ink"] for row in numbers["rows"]}
    assert inks["1.0"] == ink_on(SEQUENTIAL, 0.025)
    assert inks["40.0"] == ink_on(SEQUENTIAL, 1.0) != inks["1.0"]
    assert inks["20.0"] == ink_on(SEQUENTIAL, 0.5) != ink_on(SEQUENTIAL, 0.2)
    assert numbers["encoding"]["color"]["scale"] is None


def test_nothing_to_compare_is_said(said: Said) -> None:
    for figure in (
        heatmap([], np.empty((0, 0)), "x"),
        heatmap(["a"], np.full((1, 1), np.nan), "x"),
    ):
        assert "too few records" in said(figure)[0]


def test_a_matrix_of_another_size_is_an_error() -> None:
    with pytest.raises(ValueError, match="row and a column"):
        heatmap(TITLES, PAIRS[:2], "released")


def test_the_panels_show_what_was_given() -> None:
    shown = panels(side_by_side(FIRST, SECOND, REAL, SYNTHETIC, BOTH))
    assert [each["title"] for each in shown] == [
        "Real records",
        "Synthetic records",
        "Synthetic minus real",
    ]
    fields = ("real", "synthetic", "more")
    for panel, field, cells_ in zip(
        shown, fields, (REAL, SYNTHETIC, SYNTHETIC - REAL), strict=True
    ):
        assert panel["color"]["field"] == field
        assert [row[field] for row in panel["rows"]] == pytest.approx(cells_.ravel().tolist())


def test_both_tables_share_a_scale_and_the_difference_is_balanced() -> None:
    scales = [
        each["color"]["scale"]
        for each in panels(side_by_side(FIRST, SECOND, REAL, SYNTHETIC, BOTH))
    ]
    assert scales[0] == scales[1]
    assert (scales[0]["domain"][0], scales[0]["domain"][-1]) == (0, 0.4)
    low, high = scales[2]["domain"][0], scales[2]["domain"][-1]
    assert high == pytest.approx(0.05)
    assert low == -high


def test_rare_cells_have_colours_of_their_own() -> None:
    domain = panels(side_by_side(FIRST, SECOND, REAL, SYNTHETIC, BOTH))[0]["color"]["scale"][
        "domain"
    ]
    steps = np.diff(domain)
    assert (np.diff(steps) > 0).all()


def test_the_pair_table_shows_what_is_drawn() -> None:
    table = side_by_side_table(FIRST, SECOND, REAL, SYNTHETIC, BOTH)
    assert len(table) == 6
    row = table[(table["Income"] == ">50K") & (table["Marital status"] == "Widowed")].iloc[0]
    assert row["Share of real records"] == 0.4
    assert row["Share of synthetic records"] == 0.35
    assert row["Difference"] == pytest.approx(-0.05)


def test_labels_are_names_even_where_they_look_like_numbers() -> None:
    first = panels(side_by_side(FIRST, ["1", "2", "10"], REAL, SYNTHETIC, BOTH))[0]
    assert (first["x"]["type"], first["y"]["type"]) == ("nominal", "nominal")
    assert first["x"]["scale"]["domain"] == ["1", "2", "10"]
    assert first["y"]["scale"]["domain"] == FIRST


def test_cut_labels_are_told_in_full_when_hovering() -> None:
    shown = panels(side_by_side(FIRST, SECOND, REAL, SYNTHETIC, BOTH))[2]
    assert shown["rows"][2]["other"] == SECOND[2] != shown["rows"][2]["column"]
    assert [each["title"] for each in shown["tooltip"][:2]] == list(BOTH)


def test_only_the_first_panel_names_its_rows() -> None:
    axes = [each["y"]["axis"] for each in panels(side_by_side(FIRST, SECOND, REAL, REAL, BOTH))]
    assert axes[0] is not None
    assert axes[1:] == [None, None]


def test_equal_or_missing_tables_still_have_colours() -> None:
    for real in (np.zeros((2, 3)), np.full((2, 3), np.nan), REAL):
        for panel in panels(side_by_side(FIRST, SECOND, real, real, BOTH)):
            assert panel["color"]["scale"]["domain"][-1] > 0


def test_no_cells_is_said(said: Said) -> None:
    none = np.empty((0, 3))
    figure = side_by_side([], SECOND, none, none, BOTH)
    assert isinstance(figure, alt.LayerChart)
    assert "no cell" in said(figure)[0]
    assert side_by_side_table([], SECOND, none, none, BOTH).empty


def test_shares_of_another_size_are_an_error() -> None:
    with pytest.raises(ValueError, match="row for each"):
        side_by_side(FIRST, SECOND, REAL.T, SYNTHETIC, BOTH)


@pytest.mark.parametrize(
    "figure",
    [
        heatmap(TITLES, PAIRS, "released", 0.5),
        side_by_side(FIRST, SECOND, REAL, SYNTHETIC, BOTH),
    ],
)
def test_they_carry_the_mark(figure: alt.LayerChart) -> None:
    assert figure.to_dict()["title"]["text"] == NOT_FOR_RELEASE


@pytest.mark.parametrize(
    ("labels", "panels", "angle"),
    [(["a", "b"], 1, 0), (["long name", "b"], 1, -40), (["long name"] * 21, 1, -90)],
)
def test_labels_slant_or_stand_where_they_are_long(
    labels: list[str], panels: int, angle: int
) -> None:
    axis = grids.column_axis(labels, panels=panels).to_dict()["axis"]
    assert axis["labelAngle"] == angle
    assert grids.label_height(labels, panels) >= 20


def test_blank_labels_have_a_name() -> None:
    assert grids.short_labels(["", "a", " "], 10) == ["(blank)", "a", "(blank) (2)"]


def test_squares_of_few_records_are_blank_and_those_far_out_are_at_the_edge() -> None:
    points = np.concatenate([np.full((40, 2), 0.1), np.full((19, 2), 1.1), np.full((30, 2), 9.0)])
    squares = pair_shares.plane_density(points)
    shares = squares.set_index(["x", "y"])["Share of records"]
    assert shares.tolist() == [round(40 / 89, 4), round(30 / 89, 4)]
    assert squares["x2"].max() == 3.0
    drawn = pair_shares.density_map(squares, pair_shares.most_of(squares)).to_dict()
    assert drawn["title"]["text"] == NOT_FOR_RELEASE


def test_nothing_is_drawn_of_nobody() -> None:
    squares = pair_shares.plane_density(np.zeros((0, 2)))
    assert squares.empty
    assert pair_shares.most_of(squares) == 0.0
    assert pair_shares.density_map(squares, 0.0).to_dict()


def test_a_ring_is_drawn_about_a_point_and_stays_on_the_plane() -> None:
    squares = pair_shares.plane_density(np.full((40, 2), 0.1))
    ring = (np.array([2.5, 0.0]), 1.0)
    drawn = pair_shares.density_map(squares, 1.0, ("a", "b"), ring).to_dict()
    values = [each for data in drawn["datasets"].values() for each in data]
    on_the_ring = [(each["x"], each["y"]) for each in values if "at" in each]
    assert max(x for x, _ in on_the_ring) == 3.0
    assert 1.5 <= min(x for x, _ in on_the_ring) < 1.51
    assert drawn["title"]["text"] == NOT_FOR_RELEASE
    assert pair_shares.density_map(
        pair_shares.plane_density(np.zeros((0, 2))), 0.0, ring=ring
    ).to_dict()


@given(st.floats(-1, 1), st.floats(1e-5, 1))
def test_no_two_numbers_beside_a_bar_are_alike(low: float, span: float) -> None:
    form = share_form(low, low + span)
    found = re.fullmatch(r"\.(\d)~%", form)
    assert found is not None
    places = int(found[1])
    shown = [f"{100 * each:.{places}f}" for each in np.linspace(low, low + span, 6)]
    assert len(set(shown)) == 6


def test_a_scale_of_one_point_is_written_plainly() -> None:
    assert share_form(0.0, 1.0) == ".0~%"
    assert share_form(0.0, 0.0015) == ".3~%"
    assert share_form(0.2, 0.2) == ".0~%"
