"""Heatmaps: all pairs at once, and one pair cell by cell."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from engine.charts.distances import heatmap, heatmap_table, side_by_side, side_by_side_table
from engine.charts.lettering import NOT_FOR_RELEASE
from engine.charts.palette import SEQUENTIAL, ink_on

TITLES = ["Age", "Education", "Sex"]
PAIRS = np.array([[0.01, 0.2, 0.3], [0.2, 0.02, 0.4], [0.3, 0.4, 0.03]])

FIRST, SECOND = ["<=50K", ">50K"], ["Married", "Widowed", "Never married or under fifteen"]
REAL = np.array([[0.1, 0.2, 0.0], [0.3, 0.4, 0.0]])
SYNTHETIC = np.array([[0.15, 0.15, 0.0], [0.3, 0.35, 0.05]])
BOTH = ("Income", "Marital status")


def test_the_heatmap_shows_what_was_given() -> None:
    trace = heatmap(TITLES, PAIRS, "released", 0.5).data[0]
    assert np.asarray(trace.z).tolist() == PAIRS.tolist()
    assert list(trace.x) == list(trace.y) == TITLES
    assert (trace.zmin, trace.zmax) == (0, 0.5)


def test_hovering_names_the_pair() -> None:
    said = heatmap(TITLES, PAIRS, "released", 0.5).data[0].customdata
    assert said[0][1] == "Age × Education"
    assert said[2][2] == "Sex on its own"


def test_the_heatmap_table_shows_what_is_drawn() -> None:
    table = heatmap_table(TITLES, PAIRS)
    assert table["Column"].tolist() == TITLES
    assert table[TITLES].to_numpy().tolist() == PAIRS.tolist()


def test_without_an_end_the_colours_reach_the_largest() -> None:
    assert heatmap(TITLES, PAIRS, "released").data[0].zmax == 0.4


@pytest.mark.parametrize("most", [0.0, float("nan"), float("inf")])
def test_colours_always_have_a_width(most: float) -> None:
    assert 0 < heatmap(TITLES, np.zeros((3, 3)), "released", most).data[0].zmax < 1


def test_what_is_not_a_number_stays_blank() -> None:
    odd = PAIRS.copy()
    odd[0, 1] = odd[1, 0] = np.inf
    assert np.isnan(np.asarray(heatmap(TITLES, odd, "released").data[0].z)[0, 1])
    assert heatmap(TITLES, odd, "released").data[0].zmax == 0.4


def test_long_titles_are_cut_and_told_in_full_when_hovering() -> None:
    titles = [f"A title that is much too long for an axis, {end}" for end in ("one", "two", "<b>")]
    trace = heatmap(titles, PAIRS, "released").data[0]
    assert len(set(trace.x)) == 3
    assert all(len(label) < 40 for label in trace.x)
    assert "much too long for an axis, two" in trace.customdata[0][1]
    assert "&lt;b&gt;" in trace.customdata[2][2]


def test_equal_titles_keep_their_own_rows() -> None:
    trace = heatmap(["Code", "Code"], PAIRS[:2, :2], "released").data[0]
    assert list(trace.x) == ["Code", "Code (2)"]
    assert heatmap_table(["Code", "Code"], PAIRS[:2, :2]).shape == (2, 3)


def test_many_attributes_are_shown_without_numbers() -> None:
    few, many = (heatmap([str(each) for each in range(m)], np.eye(m), "released") for m in (11, 40))
    assert len(few.data[1].text) == 11 * 11
    assert len(many.data) == 1


def test_each_number_stands_in_its_cell_in_the_ink_of_its_colour() -> None:
    odd = PAIRS.copy()
    odd[0, 1] = np.nan
    numbers = heatmap(TITLES, odd, "released", 0.4).data[1]
    written = dict(zip(zip(numbers.y, numbers.x, strict=True), numbers.text, strict=True))
    assert ("Age", "Education") not in written
    assert written["Education", "Age"] == "20.0"
    inks = dict(zip(numbers.text, numbers.textfont.color, strict=True))
    assert inks["1.0"] == ink_on(SEQUENTIAL, 0.025)
    assert inks["40.0"] == ink_on(SEQUENTIAL, 1.0) != inks["1.0"]


def test_nothing_to_compare_is_said() -> None:
    for figure in (
        heatmap([], np.empty((0, 0)), "x"),
        heatmap(["a"], np.full((1, 1), np.nan), "x"),
    ):
        assert "too few records" in figure.layout.annotations[0].text


def test_a_matrix_of_another_size_is_an_error() -> None:
    with pytest.raises(ValueError, match="row and a column"):
        heatmap(TITLES, PAIRS[:2], "released")


def test_the_panels_show_what_was_given() -> None:
    figure = side_by_side(FIRST, SECOND, REAL, SYNTHETIC, BOTH)
    shown = [np.asarray(trace.z) for trace in figure.data]
    assert shown[0].tolist() == REAL.tolist()
    assert shown[1].tolist() == SYNTHETIC.tolist()
    assert shown[2] == pytest.approx(SYNTHETIC - REAL)


def test_both_tables_share_a_scale_and_the_difference_is_balanced() -> None:
    figure = side_by_side(FIRST, SECOND, REAL, SYNTHETIC, BOTH)
    assert [trace.coloraxis for trace in figure.data] == ["coloraxis", "coloraxis", "coloraxis2"]
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 0.4)
    assert figure.layout.coloraxis2.cmax == pytest.approx(0.05)
    assert figure.layout.coloraxis2.cmin == -figure.layout.coloraxis2.cmax


def test_the_pair_table_shows_what_is_drawn() -> None:
    table = side_by_side_table(FIRST, SECOND, REAL, SYNTHETIC, BOTH)
    assert len(table) == 6
    row = table[(table["Income"] == ">50K") & (table["Marital status"] == "Widowed")].iloc[0]
    assert row["Share of real records"] == 0.4
    assert row["Share of synthetic records"] == 0.35
    assert row["Difference"] == pytest.approx(-0.05)


def test_labels_are_text_even_where_they_look_like_markup_or_numbers() -> None:
    figure = side_by_side(FIRST, ["1", "2", "3"], REAL, SYNTHETIC, BOTH)
    assert list(figure.data[0].y) == ["&lt;=50K", "&gt;50K"]
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "category"


def test_cut_labels_are_told_in_full_when_hovering() -> None:
    trace = side_by_side(FIRST, SECOND, REAL, SYNTHETIC, BOTH).data[2]
    assert trace.text[0][2] == (
        "Income: &lt;=50K<br>Marital status: Never married or under fifteen"
    )
    assert "%{text}" in trace.hovertemplate


def test_short_labels_are_not_sent_twice() -> None:
    trace = side_by_side(FIRST, ["a", "b", "c"], REAL, SYNTHETIC, ("Pay %{x}", "Kind")).data[0]
    assert trace.text is None
    assert "Pay %&#123;x}: %{y}<br>Kind: %{x}" in trace.hovertemplate


def test_equal_or_missing_tables_still_have_colours() -> None:
    for real in (np.zeros((2, 3)), np.full((2, 3), np.nan), REAL):
        layout = side_by_side(FIRST, SECOND, real, real, BOTH).layout
        assert layout.coloraxis.cmax > 0
        assert layout.coloraxis2.cmax > 0


def test_no_cells_is_said() -> None:
    none = np.empty((0, 3))
    assert "no cell" in side_by_side([], SECOND, none, none, BOTH).layout.annotations[0].text
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
def test_they_carry_the_mark_and_leave_the_page_its_background(figure: go.Figure) -> None:
    assert figure.layout.title.text == NOT_FOR_RELEASE
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert figure.layout.font.color is None
