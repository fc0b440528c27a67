"""Charts as files: what is in them, and that they say what they are. Rows for a browser, as Altair
itself would write them.
"""

from __future__ import annotations

import io
import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from altair.utils.data import to_values
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from understudy.charts import export
from understudy.charts.export import INTERNAL, ExportedChart, in_rows
from understudy.charts.network import dependency_graph
from understudy.charts.pair_shares import heatmap, heatmap_table, side_by_side
from understudy.charts.pass_rate import pass_rate_curves, pass_rate_curves_table
from understudy.charts.picture_sheet import sheet
from understudy.core.files import INTERNAL as FILES_INTERNAL
from understudy.core.refusal import Refusal
from understudy.table.pictures.grey import GreySet
from understudy.table.pictures.picture_schema import Pictures

KS = np.array([1, 10, 100])
CURVES = {"ω = 9": np.array([1.0, 0.5, 0.1])}
ORIGIN = "run 2026-11-21 · 21 November 2026"
HALVES = np.full((3, 3), 0.5)


def carried(figure: alt.TopLevelMixin | None = None, *, internal: bool = True) -> ExportedChart:
    chart = figure or pass_rate_curves(KS, CURVES, 10)
    table = pass_rate_curves_table(KS, CURVES)
    return ExportedChart(chart, table, "Who passes", ORIGIN, internal=internal)


def letters(svg: bytes) -> list[str]:
    """Every line of text in a picture."""
    root = ET.fromstring(svg)
    kinds = ("text", "tspan")
    return [
        each.text
        for kind in kinds
        for each in root.iter(f"{{http://www.w3.org/2000/svg}}{kind}")
        if each.text
    ]


CHARTS: dict[str, Callable[[], alt.TopLevelMixin]] = {
    "curves": lambda: pass_rate_curves(KS, CURVES, 10),
    "nothing": lambda: pass_rate_curves(KS, {}, 10),
    "heatmap": lambda: heatmap(["a", "b", "c"], HALVES, "released"),
    "panels": lambda: side_by_side(["a"], ["b", "c"], HALVES[:1, :2], HALVES[:1, :2], ("x", "y")),
    "graph": lambda: dependency_graph(["a", "b", "c"], ((), (0,), ()), (0, 1, 2), (1, 2)),
}


@pytest.mark.parametrize("name", CHARTS)
def test_every_picture_says_that_it_is_internal_what_it_shows_and_of_which_run(name: str) -> None:
    said = letters(carried(CHARTS[name]()).svg())
    assert f"{INTERNAL} · {ORIGIN}" in said
    assert "Who passes" in said


def test_pictures_are_drawn_in_the_letters_of_white_paper() -> None:
    svg = carried().svg().decode()
    assert "light-dark(" not in svg
    assert 'fill="white"' in svg
    assert "k: plausible seeds that a candidate needs" in svg


def test_the_picture_in_pixels_has_two_for_each_of_the_drawing() -> None:
    root = ET.fromstring(carried().svg())
    picture = Image.open(io.BytesIO(carried().png()))
    picture.load()
    assert picture.format == "PNG"
    assert picture.width == pytest.approx(2 * float(root.attrib["width"]), abs=2)
    assert len(picture.getcolors(1 << 24) or []) > 2


def test_the_numbers_are_the_tables_with_the_mark_on_every_line() -> None:
    read = pd.read_csv(io.BytesIO(carried().csv()))
    assert set(read.pop("INTERNAL")) == {f"{INTERNAL} · {ORIGIN}"}
    pd.testing.assert_frame_equal(read, pass_rate_curves_table(KS, CURVES))


def test_the_numbers_hold_no_formula() -> None:
    table = pd.DataFrame({"=HYPERLINK(1)": ["@SUM(A1)", "-a", "-1", "b"], "Share": [-0.5, 1, 2, 3]})
    read = pd.read_csv(io.BytesIO(ExportedChart(None, table, "Shares").csv()), dtype=str)
    assert list(read) == ["'=HYPERLINK(1)", "Share", "INTERNAL"]
    assert read["'=HYPERLINK(1)"].tolist() == ["'@SUM(A1)", "'-a", "-1", "b"]
    assert read["Share"].tolist() == ["-0.5", "1.0", "2.0", "3.0"]


def test_a_name_that_is_markup_stays_a_name() -> None:
    name = '"><script>alert(1)</script><a href="javascript:x">'
    found = ExportedChart(
        heatmap([name, "b"], HALVES[:2, :2], name), pd.DataFrame(), name, name
    ).svg()
    assert {each.tag.split("}")[1] for each in ET.fromstring(found).iter()} <= {
        "svg", "g", "path", "rect", "text", "tspan", "line", "defs", "linearGradient", "stop",
    }  # fmt: skip
    assert name in letters(found)


def test_a_column_of_that_name_is_not_written_over() -> None:
    marked = export.with_mark(pd.DataFrame({"INTERNAL": [1]}), "mark")
    assert marked.to_dict("list") == {"INTERNAL": [1], "INTERNAL_": ["mark"]}


def test_what_is_not_internal_does_not_say_so() -> None:
    public = carried(internal=False)
    assert not any("INTERNAL –" in each for each in letters(public.svg()))
    assert "INTERNAL" not in public.csv().decode()
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(public.csv())), public.table)
    assert public.name("passing", "svg") == "passing.svg"
    assert carried().name("passing", "svg") == "INTERNAL-passing.svg"


def test_letters_of_other_languages_survive() -> None:
    table = pd.DataFrame({"Größe × ω": ["naïve, “quoted”"]})
    chart = heatmap(["Größe", "ω"], HALVES[:2, :2], "released")
    found = ExportedChart(chart, table, "Größe")
    assert pd.read_csv(io.BytesIO(found.csv()))["Größe × ω"].tolist() == ["naïve, “quoted”"]
    assert "Größe" in letters(found.svg())


def test_without_a_font_no_unmarked_picture_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_letters", lambda: False)
    with pytest.raises(Refusal, match="no font"):
        carried().png()


def test_a_table_of_pairs_can_be_carried() -> None:
    table = heatmap_table(["a", "b", "c"], HALVES)
    found = ExportedChart(heatmap(["a", "b", "c"], HALVES, "released"), table, "Pairs", ORIGIN)
    read = pd.read_csv(io.BytesIO(found.csv()))
    assert read[["a", "b", "c"]].to_numpy().tolist() == HALVES.tolist()


def test_on_a_page_the_letters_follow_the_theme() -> None:
    spec = export.on_page(pass_rate_curves(KS, CURVES, 10), dark=None)
    assert spec["config"]["axis"]["labelColor"].startswith("light-dark(")
    assert spec["usermeta"]["embedOptions"] == {"actions": False, "renderer": "svg"}


@pytest.mark.parametrize("dark", [True, False])
def test_a_chart_of_very_many_marks_is_painted_in_the_letters_of_the_theme(dark: bool) -> None:
    many = heatmap([str(each) for each in range(90)], np.eye(90), "released")
    spec = export.on_page(many, dark=dark)
    assert spec["usermeta"]["embedOptions"]["renderer"] == "canvas"
    assert spec["config"]["axis"]["labelColor"] == ("#BFC7CF" if dark else "#48515A")


def test_a_charts_own_settings_are_kept() -> None:
    chart = pass_rate_curves(KS, CURVES, 10).configure_axis(labelAngle=7)
    axis = export.on_page(chart, dark=None)["config"]["axis"]
    assert axis["labelAngle"] == 7
    assert "labelColor" in axis


numbers = st.floats(allow_nan=True, allow_infinity=True)
rows = st.lists(
    st.tuples(
        st.integers(-(2**53), 2**53), numbers, st.text(), st.booleans(), st.none() | st.text()
    ),
    max_size=6,
)


@given(rows)
def test_they_are_those_of_altair(found: list[Any]) -> None:
    frame = pd.DataFrame(found, columns=["whole", "number", "text", "yes", "maybe"])
    if found:
        frame = frame.astype({"whole": np.int64, "number": np.float64, "yes": bool})
    ours = in_rows(frame)
    assert ours == to_values(frame)
    json.dumps(ours, allow_nan=False)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"at": pd.to_datetime(["2020-01-02"])}),
        pd.DataFrame({"of": pd.Categorical(["a", "b"])}),
        pd.DataFrame({"mixed": [1, "a", math.nan]}),
        pd.DataFrame({"narrow": np.array([1, 2], dtype=np.uint8)}),
        pd.DataFrame({"empty": []}),
    ],
    ids=lambda frame: str(frame.columns[0]),
)
def test_other_types_come_out_as_altair_has_them(frame: pd.DataFrame) -> None:
    assert in_rows(frame) == to_values(frame)


def test_what_is_no_data_frame_is_left_to_altair() -> None:
    assert in_rows({"url": "a.csv"}) == {"url": "a.csv"}


def some(level: int) -> GreySet:
    about = Pictures(height=2, width=2, levels=4)
    return GreySet(about, np.full((3, 2, 2), level, np.uint8), np.zeros(3, np.uint8))


def drawn(pictures: GreySet, *, internal: bool) -> Image.Image:
    return Image.open(io.BytesIO(sheet(pictures, 2, internal=internal)))


def test_the_scale_of_a_sheet_is_declared_and_not_what_occurs() -> None:
    assert {drawn(some(each), internal=False).getpixel((10, 10)) for each in (0, 2, 4)} == {
        0,
        127,
        255,
    }


def test_a_sheet_that_may_show_real_pictures_says_so() -> None:
    real, made = drawn(some(1), internal=True), drawn(some(1), internal=False)
    assert real.info["Comment"] == FILES_INTERNAL
    assert "Comment" not in made.info
    assert real.size[0] > made.size[0]
