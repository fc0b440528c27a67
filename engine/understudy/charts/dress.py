"""Rendering settings of a chart for a themed page, or for a file on white.

The charts themselves leave background and text styles open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import altair as alt

from understudy.charts.palette import LETTERS, WARNING, themed
from understudy.charts.rows import in_rows

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
    spec["config"] = _joined(_INKS, spec.get("config", {}))
    if "hconcat" in spec:
        # Panels have widths of their own; the page's theme would fit them, which cannot be done.
        spec["autosize"] = "pad"
    rows = sum(len(each) for each in spec.get("datasets", {}).values())
    renderer = "svg" if rows <= _MOST_SVG else "canvas"
    if renderer == "canvas":
        spec = _inked(spec, dark=bool(dark))
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
    spec["config"] = {"font": FONT, **_joined(_joined(_PAPER, _INKS), spec.get("config", {}))}
    spec["background"] = "white"
    spec["padding"] = 16
    if "hconcat" not in spec:
        spec.setdefault("width", WIDTH)
    spec["title"] = _headed(spec.get("title"), heading, mark)
    return _inked(spec, dark=False)


def _headed(title: Any, heading: str, mark: str) -> dict[str, Any]:
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


def _joined(
    first: Mapping[str, Mapping[str, Any]], second: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return both configurations; of what both say, what the second says."""
    both = dict.fromkeys([*first, *second])
    return {name: {**first.get(name, {}), **second.get(name, {})} for name in both}


def _inked(spec: dict[str, Any], *, dark: bool) -> dict[str, Any]:
    """Return the same, with plain colours only, as what draws it knows no themes."""
    found: dict[str, Any] = json.loads(themed(json.dumps(spec), dark=dark))
    return found
