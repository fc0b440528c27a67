"""Charts as files, dressed for where they are shown, and enlarged for slides."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, Final

import altair as alt
import pandas as pd
from altair.utils.data import to_values

from understudy.charts.palette import LETTERS, WARNING, apply_theme
from understudy.core.refusal import Refusal
from understudy.table.formula_safety import escape_formula

# Data frames as inline data of Vega-Lite.
#
# Altair's conversion takes longer than the rest of serialising a chart, as it supports every type
# of a data frame; ours hold numbers, texts and truth values only.

_OURS: Final = (str, int, float, type(None))


def in_rows(data: Any) -> Any:
    """Return a data frame as Vega-Lite's inline values, what is not a number as nothing.

    Args:
        data: a data frame, or whatever else Altair takes, which is left to it.
    """
    if not isinstance(data, pd.DataFrame):
        return data if isinstance(data, dict) else to_values(data)
    columns = [_column(data.iloc[:, place]) for place in range(data.shape[1])]
    known = [each for each in columns if each is not None]
    if len(known) < len(columns) or not all(isinstance(name, str) for name in data.columns):
        return to_values(data)
    names = list(data.columns)
    return {"values": [dict(zip(names, row, strict=True)) for row in zip(*known, strict=True)]}


def _column(column: pd.Series[Any]) -> list[Any] | None:
    """Return the values of a column; None where they are of a type that is not ours."""
    kind = column.dtype.kind
    if kind == "f":
        return [each if math.isfinite(each) else None for each in column.tolist()]
    if kind in "iub":
        return list(column.tolist())
    if kind != "O" or isinstance(column.dtype, pd.CategoricalDtype):
        return None
    values = [None if _lacking(each) else each for each in column.tolist()]
    return values if all(type(each) in _OURS for each in values) else None


def _lacking(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


# Rendering settings of a chart for a themed page, or for a file on white.
#
# The charts themselves leave background and text styles open.

WIDTH: Final = 760
"""The width of a picture in a file, in pixels."""

FONT: Final = "Arial, DejaVu Sans, Liberation Sans, sans-serif"
_MOST_SVG = 6_000
_GRID: Final = "#E1E5E9"

_INKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "axis": {"labelColor": LETTERS, "titleColor": LETTERS},
    "header": {"labelColor": LETTERS, "titleColor": LETTERS},
    "legend": {"labelColor": LETTERS, "titleColor": LETTERS},
    "title": {"color": LETTERS, "subtitleColor": LETTERS},
    "text": {"color": LETTERS},
}

_PAPER: Final[Mapping[str, Mapping[str, Any]]] = {
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": _GRID,
        "labelFontSize": 12,
        "labelFontWeight": "normal",
        "labelPadding": 8,
        "titleFontSize": 12.5,
        "titleFontWeight": "normal",
        "titlePadding": 12,
        "labelLimit": 320,
    },
    "axisDiscrete": {"grid": False},
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
    "title": {"subtitleFontSize": 12},
    "view": {"stroke": None},
}


# Altair’s own takes longer, and refuses more than 5,000 rows for the sake of notebooks; a heatmap
# of a hundred columns has twice as many.
alt.data_transformers.register("understudy", in_rows)
alt.data_transformers.enable("understudy")


def on_page(figure: Any, *, dark: bool | None) -> dict[str, Any]:
    """Return what draws an Altair chart on a page, in the letters of its theme.

    Args:
        figure: the chart.
        dark: the page's theme, as far as the server knows; it matters only for charts of so
            many marks that they are painted on a canvas, which does not follow the theme.
    """
    # Checking a chart against its schema takes longer than drawing it; tests do that.
    spec: dict[str, Any] = figure.to_dict(validate=False)
    spec["config"] = _join_configs(_INKS, spec.get("config", {}))
    if "hconcat" in spec:
        # Panels have widths of their own; the page's theme would fit them, which cannot be done.
        spec["autosize"] = "pad"
    rows = sum(len(each) for each in spec.get("datasets", {}).values())
    renderer = "svg" if rows <= _MOST_SVG else "canvas"
    if renderer == "canvas":
        spec = _use_plain_colours(spec, dark=bool(dark))
    # A figure of confidential records is for looking at, not for carrying away unmarked.
    spec["usermeta"] = {"embedOptions": {"actions": False, "renderer": renderer}}
    return spec


def on_paper(figure: Any, heading: str, mark: str) -> dict[str, Any]:
    """Return what draws an Altair chart by itself on white, for a file.

    Args:
        figure: the chart.
        heading: what it shows.
        mark: what has to be said of it wherever it is carried; "" for nothing.
    """
    spec: dict[str, Any] = figure.to_dict(validate=False)
    spec["config"] = {
        "font": FONT,
        **_join_configs(_join_configs(_PAPER, _INKS), spec.get("config", {})),
    }
    spec["background"] = "white"
    spec["padding"] = 16
    if "hconcat" not in spec:
        spec.setdefault("width", WIDTH)
    spec["title"] = _add_head(spec.get("title"), heading, mark)
    return _use_plain_colours(spec, dark=False)


def _add_head(title: Any, heading: str, mark: str) -> dict[str, Any]:
    """Return the mark above everything, then what the chart shows, then its own notes."""
    notes = title.get("subtitle", []) if isinstance(title, Mapping) else []
    notes = [notes] if isinstance(notes, str) else list(notes)
    if not mark and isinstance(title, Mapping):
        own = title.get("text", [])
        notes = [*([own] if isinstance(own, str) else own), *notes]
    said: dict[str, Any] = {
        "text": mark or heading,
        "subtitle": [heading, *notes] if mark else notes,
        "anchor": "start",
        "fontSize": 12 if mark else 14,
        "fontWeight": "bold",
        "subtitlePadding": 5,
        "offset": 12,
    }
    said["subtitle"] = [each for each in said["subtitle"] if each]
    return said | ({"color": WARNING} if mark else {})


def _join_configs(
    first: Mapping[str, Mapping[str, Any]], second: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return both configurations; of what both say, what the second says."""
    both = dict.fromkeys([*first, *second])
    return {name: {**first.get(name, {}), **second.get(name, {})} for name in both}


def _use_plain_colours(spec: dict[str, Any], *, dark: bool) -> dict[str, Any]:
    """Return the same, with plain colours only, as what draws it knows no themes."""
    found: dict[str, Any] = json.loads(apply_theme(json.dumps(spec), dark=dark))
    return found


# Exporting a chart and its numbers: SVG, PNG and CSV without a browser; HTML for 3-D figures.
#
# What is internal says so inside each file: in the picture above everything, and in a column of the
# numbers, which stays with every row that is copied.

INTERNAL: Final = "INTERNAL – computed from confidential records without noise"
_MARKED: Final = "INTERNAL"
_SCALE: Final = 2.0


@dataclass(frozen=True, eq=False)
class ExportedChart:
    """A chart to be exported.

    Attributes:
        figure: an Altair chart; or a Plotly figure, which is exported as a page only.
        table: its numbers.
        heading: what it shows.
        origin: the run it is of and when that was, or whatever else it comes from; "" for
            nothing.
        internal: whether it was computed from confidential records without noise.
    """

    figure: Any
    table: pd.DataFrame
    heading: str
    origin: str = ""
    internal: bool = True

    @property
    def mark(self) -> str:
        """What stands in every file of internal figures; "" for others."""
        return " · ".join(filter(None, (INTERNAL, self.origin))) if self.internal else ""

    def name(self, of: str, kind: str) -> str:
        """Return the name of a file, such as “INTERNAL-standings.svg”."""
        return f"INTERNAL-{of}.{kind}" if self.internal else f"{of}.{kind}"

    def svg(self) -> bytes:
        """Return the picture, as scalable as its letters."""
        return svg(on_paper(self.figure, self.heading, self.mark)).encode()

    def png(self) -> bytes:
        """Return the picture in pixels, two for each of the SVG.

        Raises:
            Refusal: this computer has no font for the mark.
        """
        return png(on_paper(self.figure, self.heading, self.mark))

    def page(self) -> bytes:
        """Return a page in which a Plotly figure is turned about; it holds all that it needs."""
        titled = self.figure.__class__(self.figure)
        said = {"text": escape(self.heading), "subtitle": {"text": escape(self.mark)}}
        titled.update_layout(title=said)
        return str(titled.to_html(include_plotlyjs=True, config={"displaylogo": False})).encode()

    def csv(self) -> bytes:
        """Return the numbers, in UTF-8, no cell of which a spreadsheet takes for a formula; see
        `with_mark`."""
        shown = with_mark(self.table, self.mark) if self.internal else self.table
        return table_csv(shown).encode()


def with_mark(table: pd.DataFrame, mark: str) -> pd.DataFrame:
    """Return the table with a last column that holds the mark in every row."""
    named = _MARKED
    while named in table.columns:
        named += "_"
    return table.assign(**{named: mark})


def table_csv(table: pd.DataFrame) -> str:
    """Return a small table as CSV, its texts as `escape_formula` writes them; numbers stay
    numbers."""
    cells = table.map(lambda cell: escape_formula(cell) if isinstance(cell, str) else cell)
    names = [escape_formula(str(name)) for name in table.columns]
    text: str = cells.set_axis(names, axis="columns").to_csv(index=False, lineterminator="\n")
    return text


def svg(spec: dict[str, Any]) -> str:
    """Return a Vega-Lite description as SVG."""
    import vl_convert  # slow to import, and needed only when something is carried away

    return str(vl_convert.vegalite_to_svg(spec))


def png(spec: dict[str, Any]) -> bytes:
    """Return a Vega-Lite description as PNG.

    Raises:
        Refusal: this computer has no font, so that the picture would not say what it is.
    """
    import vl_convert

    if not _letters():
        raise Refusal(
            "There is no font on this computer to write letters in a picture with.",
            "Save the figure as SVG, or install a font such as DejaVu Sans.",
        )
    return bytes(vl_convert.vegalite_to_png(spec, scale=_SCALE))


@cache
def _letters() -> bool:
    """Return whether text is drawn at all: whether a word changes a picture of a fixed size."""
    import vl_convert

    word, none = (
        bytes(
            vl_convert.vegalite_to_png(
                {
                    "data": {"values": [{"said": said}]},
                    "width": 80,
                    "height": 30,
                    "autosize": "none",
                    "mark": "text",
                    "encoding": {"text": {"field": "said", "type": "nominal"}},
                }
            )
        )
        for said in ("INTERNAL", "")
    )
    return word != none


# Enlarging a chart for presentations.

_LENGTHS: Final = frozenset(
    {
        "fontSize", "labelFontSize", "titleFontSize", "subtitleFontSize", "labelLimit", "limit",
        "height", "strokeWidth", "symbolStrokeWidth", "dx", "dy", "offset", "labelPadding",
        "titlePadding", "subtitlePadding", "rowPadding", "columnPadding",
    }
)  # fmt: skip
_AREAS: Final = frozenset({"size", "symbolSize"})

# What a chart says nothing of, it takes from the page, whose letters are small.
_LETTERS: Final = 12.0

_ABREAST: Final = 92
"""So many letters stand side by side above a chart on a slide."""


def enlarge(chart: alt.LayerChart, by: float) -> alt.TopLevelLayerSpec:
    """Return the same chart with letters, lines, marks and height larger by a factor.

    Args:
        chart: as it stands on a page, as wide as its place.
        by: the factor, above 0.
    """
    spec = _scale_part(chart.to_dict(validate=False), by)
    letters = {"labelFontSize": _LETTERS * by, "titleFontSize": _LETTERS * by}
    if isinstance(spec.get("title"), dict):
        spec["title"] = {name: _wrap_words(value) for name, value in spec["title"].items()}
    config = spec.setdefault("config", {})
    for part in ("axis", "legend"):
        config[part] = {**letters, **config.get(part, {})}
    # As it stands: to make objects of all its parts takes longer than all else here.
    return alt.TopLevelLayerSpec(**spec)


def _wrap_words(lines: Any) -> Any:
    """Return words above a chart, in lines that its width holds."""
    if not isinstance(lines, list):
        return lines
    return [part for line in lines for part in textwrap.wrap(line, _ABREAST)]


def _scale_part(part: Any, by: float) -> Any:
    if isinstance(part, dict):
        return {name: _entry(name, value, by) for name, value in part.items()}
    return [_scale_part(each, by) for each in part] if isinstance(part, list) else part


def _entry(name: str, value: Any, by: float) -> Any:
    if name in ("datasets", "data"):
        return value
    if name == "size" and isinstance(value, dict) and "scale" in value:
        return {**value, "scale": _areas(value["scale"], by)}
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and name in _LENGTHS:
        return value * by
    if number and name in _AREAS:
        return value * by**2
    return _scale_part(value, by)


def _areas(scale: dict[str, Any] | None, by: float) -> dict[str, Any]:
    """Return a scale of areas; without one, they stand in the data as they are."""
    if scale is None:
        return {"domain": [0, 1], "range": [0, by**2], "clamp": False, "zero": True}
    return {**scale, "range": [end * by**2 for end in scale.get("range", [])]}
