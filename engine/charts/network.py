"""Which attribute depends on which, and which of them an attempt copies from its seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from engine.charts import plates
from engine.charts.layering import Layout, layout
from engine.charts.lettering import ends_kept, escaped, listed, two_lines
from engine.charts.palette import BLUE, GOLD, QUIET, VERMILLION

Kept = int | tuple[int, int] | None
Parents = Sequence[Sequence[int]]

ALWAYS_KEPT: Final = "always copied from the seed"
SOMETIMES: Final = "sometimes copied, sometimes drawn"
ALWAYS_DRAWN: Final = "always drawn from the model"
_UNSAID: Final = "column"

_LOOKS: Final = {
    ALWAYS_KEPT: ("square", BLUE),
    SOMETIMES: ("diamond", GOLD),
    ALWAYS_DRAWN: ("circle", VERMILLION),
    _UNSAID: ("circle", BLUE),
}
_SIZE = 17
_SAME_ROW = 0.7
_ROOM_BELOW = 1.8
_MANY_EDGES = 30
_LETTERS_ACROSS = 150
_FEWEST, _MOST = 9, 26


def dependency_graph_table(
    titles: Sequence[str], parents: Parents, order: Sequence[int], kept: Kept
) -> pd.DataFrame:
    """One row for each attribute in dependency order; arguments as for `dependency_graph`."""
    table = pd.DataFrame(
        {
            "Place in order": np.arange(1, len(order) + 1),
            "Column": [titles[each] for each in order],
            "Depends on": [", ".join(titles[one] for one in parents[each]) for each in order],
        }
    )
    if kept is None:
        return table
    return table.assign(**{"In an attempt": _becomes(order, kept)})


def dependency_graph(
    titles: Sequence[str], parents: Parents, order: Sequence[int], kept: Kept
) -> go.Figure:
    """Attributes in columns by the length of the chain they depend on, arrows from parents.

    Args:
        titles: (m,) what a reader calls the attributes.
        parents: for each attribute the indices of its parents.
        order: the dependency order, every attribute after its parents.
        kept: how many attributes, first in that order, an attempt copies from its seed: m − ω,
            or the (fewest, most) of a range of ω. None draws them all alike.
    """
    if not titles:
        return plates.saying("There are no columns to draw.")
    drawing = layout(parents, order)
    figure = go.Figure([_lines(drawing), _heads(drawing)])
    becomes = dict(zip(order, _becomes(order, kept), strict=True))
    said = _said(titles, parents, order, becomes)
    labels, sides = _labels(drawing, titles), _sides(drawing)
    for what in _LOOKS:
        members = [each for each in order if becomes[each] == what]
        if members:
            figure.add_trace(_nodes(drawing, members, what, labels, sides, said))
    _frame(figure, drawing, legend=kept is not None)
    return figure


def _becomes(order: Sequence[int], kept: Kept) -> list[str]:
    """What an attempt does with each attribute, in dependency order."""
    if kept is None:
        return [_UNSAID] * len(order)
    fewest, most = kept if isinstance(kept, tuple) else (kept, kept)
    return [
        ALWAYS_KEPT if place < fewest else SOMETIMES if place < most else ALWAYS_DRAWN
        for place in range(len(order))
    ]


def _said(
    titles: Sequence[str], parents: Parents, order: Sequence[int], becomes: dict[int, str]
) -> list[str]:
    """What hovering over each attribute says."""
    children: list[list[str]] = [[] for _ in titles]
    for child in order:
        for parent in parents[child]:
            children[parent].append(titles[child])
    said = []
    for each, title in enumerate(titles):
        above = [titles[parent] for parent in parents[each]]
        lines = [
            f"<b>{listed([title], '')}</b>",
            f"{order.index(each) + 1} of {len(order)} in dependency order",
            f"depends on: {listed(above, 'nothing')}",
            f"others that depend on it: {listed(children[each], 'none')}",
        ]
        if becomes[each] != _UNSAID:
            lines.append(becomes[each])
        said.append("<br>".join(lines))
    return said


def _nodes(
    drawing: Layout,
    members: Sequence[int],
    what: str,
    labels: Sequence[str],
    sides: Sequence[str],
    said: Sequence[str],
) -> go.Scatter:
    symbol, colour = _LOOKS[what]
    return go.Scatter(
        x=drawing.nodes[list(members), 0],
        y=drawing.nodes[list(members), 1],
        mode="markers+text",
        name=what,
        text=[labels[each] for each in members],
        textfont={"size": 13},
        textposition=[sides[each] for each in members],
        customdata=[said[each] for each in members],
        hovertemplate="%{customdata}<extra></extra>",
        marker={"symbol": symbol, "color": colour, "size": _SIZE},
        cliponaxis=False,
    )


def _labels(drawing: Layout, titles: Sequence[str]) -> list[str]:
    """Every title on a line or two, in the room that its neighbours in the same row leave it."""
    rooms = [_room(drawing, each) for each in range(len(titles))]
    cut = [two_lines(title, room) for title, room in zip(titles, rooms, strict=True)]
    twins = Counter(map(tuple, cut))
    return [
        "<br>".join(
            escaped(line)
            for line in (lines if twins[tuple(lines)] == 1 else ends_kept(title, room))
        )
        for title, room, lines in zip(titles, rooms, cut, strict=True)
    ]


def _room(drawing: Layout, attribute: int) -> int:
    """How many letters wide a label may be."""
    off = np.abs(drawing.nodes - drawing.nodes[attribute])
    beside = off[(off[:, 1] < _SAME_ROW) & (off[:, 0] > 0), 0]
    columns = float(beside.min(initial=drawing.columns))
    return int(np.clip(columns * _LETTERS_ACROSS / drawing.columns, _FEWEST, _MOST))


def _sides(drawing: Layout) -> list[str]:
    """Labels stand above, or below where all arrows come and go above and there is room."""
    steepness: list[list[float]] = [[] for _ in drawing.nodes]
    for (parent, child), curve in drawing.edges.items():
        steepness[parent].append(float(curve[1, 1] - curve[0, 1]))
        steepness[child].append(float(curve[-2, 1] - curve[-1, 1]))
    sides = []
    for each, slopes in enumerate(steepness):
        under = drawing.nodes[:, 1] - drawing.nodes[each, 1]
        same = drawing.nodes[:, 0] == drawing.nodes[each, 0]
        free = not (same & (under > 0) & (under < _ROOM_BELOW)).any()
        sides.append("bottom center" if slopes and max(slopes) < 0 and free else "top center")
    return sides


def _lines(drawing: Layout) -> go.Scatter:
    """Every edge as one trace, with gaps between."""
    gap = np.full((1, 2), np.nan)
    points = [part for curve in drawing.edges.values() for part in (curve, gap)]
    track = np.concatenate(points) if points else gap
    return go.Scatter(
        x=track[:, 0],
        y=track[:, 1],
        mode="lines",
        line={"color": QUIET, "width": 1.3},
        opacity=0.85 if len(drawing.edges) <= _MANY_EDGES else 0.5,
        hoverinfo="skip",
        showlegend=False,
    )


def _heads(drawing: Layout) -> go.Scatter:
    """An arrowhead before each child, pointing along the last stretch of its edge."""
    ends = [curve[-2:] for curve in drawing.edges.values()]
    track = np.concatenate(ends) if ends else np.empty((0, 2))
    return go.Scatter(
        x=track[:, 0],
        y=track[:, 1],
        mode="markers",
        marker={
            "symbol": "arrow",
            "angleref": "previous",
            "standoff": _SIZE / 2 + 1,
            "size": [0, 10] * len(ends),
            "color": QUIET,
            "line": {"width": 0},
        },
        hoverinfo="skip",
        showlegend=False,
    )


def _frame(figure: go.Figure, drawing: Layout, legend: bool) -> None:
    hidden = {"visible": False, "fixedrange": False}
    figure.update_xaxes(range=[-0.5, drawing.columns - 0.5], **hidden)
    figure.update_yaxes(range=[drawing.rows - 0.4, -0.8], **hidden)
    if drawing.apart and drawing.edges:
        first = drawing.nodes[drawing.apart[0], 1]
        figure.add_hline(y=first - 0.75, line={"color": QUIET, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=first - 0.75,
            yanchor="bottom",
            text="not linked to any other",
            showarrow=False,
        )
    plates.dress(
        figure,
        height=int(np.clip(110 + 52 * drawing.rows, 300, 3000)),
        margin={"l": 8, "r": 8, "t": 36, "b": 8},
        showlegend=legend,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1.0,
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
        },
        dragmode="pan",
    )
