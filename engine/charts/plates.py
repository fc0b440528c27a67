"""What the Plotly figures share: clear backgrounds, named axes, and the mark of internal ones."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from engine.charts.lettering import NOT_FOR_RELEASE, escaped, shortened_apart
from engine.charts.palette import CLEAR, INTERNAL, QUIET


def dress(figure: go.Figure, height: int, **layout: Any) -> None:
    """Give a figure its height and leave every background and letter to the page's theme."""
    figure.update_layout(
        height=height,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        hoverlabel={"align": "left"},
        **layout,
    )


def mark_internal(figure: go.Figure, top: int = 44) -> None:
    """Put the mark of internal figures above a figure, where a saved picture keeps it."""
    figure.update_layout(
        title={
            "text": NOT_FOR_RELEASE,
            "font": {"size": 12, "color": INTERNAL, "weight": 700},
            "xref": "container",
            "yref": "container",
            "x": 0,
            "y": 1,
            "xanchor": "left",
            "yanchor": "top",
            "pad": {"l": 4, "t": 6},
        },
        margin={"t": top},
    )


def saying(sentence: str) -> go.Figure:
    """A sentence in the place of a figure that has nothing to draw."""
    figure = go.Figure()
    figure.add_annotation(text=escaped(sentence), showarrow=False, font={"size": 15})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    dress(figure, height=160)
    return figure


def short_labels(labels: Sequence[str], most: int) -> list[str]:
    """Labels for a category axis: cut, safe from markup, none empty and no two alike."""
    shown = [label if label.strip() else "(blank)" for label in labels]
    return [escaped(label) for label in shortened_apart(shown, most)]


def down(labels: Sequence[str]) -> dict[str, Any]:
    """A category axis that begins at the top."""
    return _categories(labels) | {"autorange": "reversed"}


def across(labels: Sequence[str], panels: int = 1) -> dict[str, Any]:
    """A category axis whose labels slant, or stand, where they are too long to lie."""
    return _categories(labels) | {"tickangle": -_slant(labels, panels)}


def room_under(labels: Sequence[str], panels: int = 1) -> int:
    """How many pixels the labels of `across` reach down."""
    longest = max((len(html.unescape(label)) for label in labels), default=0)
    return int(20 + 6.5 * longest * math.sin(math.radians(_slant(labels, panels))))


def _slant(labels: Sequence[str], panels: int) -> int:
    """Degrees."""
    if max((len(label) for label in labels), default=0) <= 3:
        return 0
    return 90 if len(labels) * panels > 20 else 40


def _categories(labels: Sequence[str]) -> dict[str, Any]:
    """Labels that look like numbers stay labels."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(labels),
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
    }


def colour_bar(title: str, tickformat: str, **place: Any) -> dict[str, Any]:
    """A slim scale of the colours."""
    return {
        "title": {"text": title, "side": "right"},
        "tickformat": tickformat,
        "thickness": 12,
        "outlinewidth": 0,
        "tickcolor": QUIET,
        **place,
    }
