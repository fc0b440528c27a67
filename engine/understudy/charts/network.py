"""A network of columns, and where its nodes and edges are placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import altair as alt
import numpy as np
import pandas as pd
from scipy.interpolate import PchipInterpolator
from scipy.optimize import isotonic_regression

from understudy.charts import scales
from understudy.charts.palette import BLUE, GOLD, LETTERS, QUIET, VERMILLION
from understudy.charts.scales import ends_kept, two_lines
from understudy.core.arrays import FloatArray

# Layered layout of a dependency graph.
#
# Layers by dependency depth, long edges led through the layers they cross, crossings reduced by
# barycentres (Sugiyama, Tagawa and Toda, 1981), heights by least squares once the order is fixed.

Parents = Sequence[Sequence[int]]
Edge = tuple[int, int]
Layers = list[list[int]]

_SWEEPS = 10
_PASSING_ROOM = 0.45
_STEPS = 8
_FEWEST_ABREAST = 5
_SPACE_APART = 0.6


@dataclass(frozen=True)
class _Layout:
    """A drawing: x from left to right by depth, y downwards in rows of height 1.

    Attributes:
        nodes: (m, 2) the place of each attribute.
        edges: for each (parent, child) the (S, 2) points of its curve, from parent to child.
        columns: how many columns there are.
        rows: how many rows.
        apart: attributes linked to no other; they stand in rows of their own below.
    """

    nodes: FloatArray
    edges: dict[Edge, FloatArray]
    columns: int
    rows: float
    apart: tuple[int, ...]


def depths(parents: Parents, order: Sequence[int]) -> list[int]:
    """For each attribute, the length of the longest chain of attributes it depends on."""
    depth = [0] * len(parents)
    for child in order:
        depth[child] = max((depth[parent] + 1 for parent in parents[child]), default=0)
    return depth


def place_attributes(parents: Parents, order: Sequence[int]) -> _Layout:
    """Place every attribute; the same graph is drawn the same way each time."""
    depth = depths(parents, order)
    edges = [(parent, child) for child in order for parent in parents[child]]
    linked = {end for edge in edges for end in edge}
    layers: Layers = [[] for _ in range(max(depth, default=0) + 1)]
    for node in order:
        if node in linked:
            layers[depth[node]].append(node)
    stops = _route(edges, depth, layers, len(parents))
    segments = [segment for chain in stops.values() for segment in pairwise(chain)]
    layers = _fewest_crossings(layers, segments)
    place = _places(layers, segments, len(parents))
    apart = [node for node in order if node not in linked]
    columns = max(len(layers), min(_FEWEST_ABREAST, len(apart)), 1)
    rows = 1 + max((y for _, y in place.values()), default=-1.0)
    rows += _SPACE_APART if place and apart else 0
    for number, node in enumerate(apart):
        place[node] = (float(number % columns), rows + number // columns)
    rows += -(-len(apart) // columns)
    return _Layout(
        nodes=np.array([place[node] for node in range(len(parents))]).reshape(-1, 2),
        edges={
            edge: _curve(np.array([place[stop] for stop in chain])) for edge, chain in stops.items()
        },
        columns=columns,
        rows=rows,
        apart=tuple(apart),
    )


def _route(
    edges: Sequence[Edge], depth: Sequence[int], layers: Layers, free: int
) -> dict[Edge, list[int]]:
    """Return the stops of every edge, with a new one, numbered from `free`, in each layer it
    crosses."""
    stops = {}
    for parent, child in edges:
        chain = [parent]
        for level in range(depth[parent] + 1, depth[child]):
            layers[level].append(free)
            chain.append(free)
            free += 1
        stops[parent, child] = [*chain, child]
    return stops


def _fewest_crossings(layers: Layers, segments: Sequence[Edge]) -> Layers:
    """Sort each layer by its neighbours, to and fro, and keep the best order met."""
    before: dict[int, list[int]] = {}
    after: dict[int, list[int]] = {}
    for left, right in segments:
        before.setdefault(right, []).append(left)
        after.setdefault(left, []).append(right)
    best, fewest = layers, _crossings(layers, after)
    for sweep in range(_SWEEPS):
        layers, neighbours = (layers, before) if sweep % 2 == 0 else (layers[::-1], after)
        settled = [layers[0]]
        for layer in layers[1:]:
            settled.append(_by_barycentre(layer, settled[-1], neighbours))
        layers = settled if sweep % 2 == 0 else settled[::-1]
        if (crossings := _crossings(layers, after)) < fewest:
            best, fewest = layers, crossings
    return best


def _by_barycentre(
    layer: list[int], fixed: list[int], neighbours: dict[int, list[int]]
) -> list[int]:
    at = {node: place for place, node in enumerate(fixed)}
    own = {node: place * len(fixed) / len(layer) for place, node in enumerate(layer)}

    def centre(node: int) -> float:
        beside = [at[other] for other in neighbours.get(node, [])]
        return sum(beside) / len(beside) if beside else own[node]

    return sorted(layer, key=centre)


def _crossings(layers: Layers, after: dict[int, list[int]]) -> int:
    total = 0
    for left, right in pairwise(layers):
        at = {node: place for place, node in enumerate(right)}
        ends = np.array(
            [(place, at[o]) for place, node in enumerate(left) for o in after.get(node, [])]
        ).reshape(-1, 2)
        above = ends[:, None, 0] < ends[None, :, 0]
        total += int((above & (ends[:, None, 1] > ends[None, :, 1])).sum())
    return total


def _places(
    layers: Layers, segments: Sequence[Edge], attributes: int
) -> dict[int, tuple[float, float]]:
    """Heights close to those of the neighbours, with room between one and the next."""
    beside: dict[int, list[int]] = {}
    for one, other in segments:
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    rooms = [
        np.array([1.0 if node < attributes else _PASSING_ROOM for node in each]) for each in layers
    ]
    offsets = [
        np.concatenate([[0], np.cumsum((room[1:] + room[:-1]) / 2)]) for room in rooms if room.size
    ]
    y = {
        node: float(height - offset[-1] / 2)
        for layer, offset in zip(layers, offsets, strict=False)
        for node, height in zip(layer, offset, strict=True)
    }
    for _ in range(_SWEEPS):
        for layer, offset in zip(layers, offsets, strict=False):
            wanted = [np.mean([y[other] for other in beside[node]]) for node in layer]
            kept = isotonic_regression(np.array(wanted) - offset).x + offset
            y.update(zip(layer, kept.tolist(), strict=True))
    top = min(y.values(), default=0.0)
    return {
        node: (float(level), y[node] - top) for level, layer in enumerate(layers) for node in layer
    }


def _curve(stops: FloatArray) -> FloatArray:
    """Return points on a smooth curve through the stops that does not swing past them."""
    x = np.linspace(stops[0, 0], stops[-1, 0], _STEPS * (len(stops) - 1) + 1)
    return np.column_stack([x, PchipInterpolator(stops[:, 0], stops[:, 1])(x)])


# Chart of a dependency graph, and of the attributes that an attempt copies from its seed.

Kept = int | tuple[int, int] | None

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
_SIZE, _LINE, _BEFORE, _ROW = 17, 15, 14, 52
_SAME_ROW = 0.7
_ROOM_BELOW = 1.8
_MANY_EDGES = 30
_LETTERS_ACROSS = 150
_FEWEST, _MOST = 9, 26


def dependency_graph_table(
    titles: Sequence[str], parents: Parents, order: Sequence[int], kept: Kept
) -> pd.DataFrame:
    """Return one row for each attribute in dependency order; arguments as for
    `dependency_graph`."""
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
) -> alt.LayerChart:
    """Attributes in columns by the length of the chain they depend on, arrows from parents.

    Args:
        titles: (m,) what a reader calls the attributes.
        parents: for each attribute the indices of its parents.
        order: the dependency order, every attribute after its parents.
        kept: how many attributes, first in that order, an attempt copies from its seed: m − ω,
            or the (fewest, most) of a range of ω. None draws them all alike.
    """
    if not titles:
        return scales.saying("There are no columns to draw.")
    drawing = place_attributes(parents, order)
    becomes = dict(zip(order, _becomes(order, kept), strict=True))
    nodes = _frame(drawing, titles, parents, order, becomes)
    return scales.stack_layers(
        *_apart(drawing),
        *_edges(drawing),
        _nodes(nodes, drawing, legend=kept is not None),
        *_names(nodes, drawing),
        title=scales.internal_note(),
        description="A graph: columns as points, with arrows from those that they depend on.",
        height=int(np.clip(110 + _ROW * drawing.rows, 300, 3000)),
    )


def _becomes(order: Sequence[int], kept: Kept) -> list[str]:
    """Return what an attempt does with each attribute, in dependency order."""
    if kept is None:
        return [_UNSAID] * len(order)
    fewest, most = kept if isinstance(kept, tuple) else (kept, kept)
    return [
        ALWAYS_KEPT if place < fewest else SOMETIMES if place < most else ALWAYS_DRAWN
        for place in range(len(order))
    ]


def _frame(
    drawing: _Layout,
    titles: Sequence[str],
    parents: Parents,
    order: Sequence[int],
    becomes: dict[int, str],
) -> pd.DataFrame:
    """Return a row for each attribute in dependency order: where it stands, and what is said of
    it."""
    children: list[list[str]] = [[] for _ in titles]
    for child in order:
        for parent in parents[child]:
            children[parent].append(titles[child])
    labels, below = _labels(drawing, titles), _below(drawing)
    rows = [
        {
            "x": drawing.nodes[each, 0],
            "y": drawing.nodes[each, 1],
            "label": "\n".join(labels[each]),
            "lines": len(labels[each]),
            "below": below[each],
            "what": becomes[each],
            "title": titles[each],
            "place": f"{place} of {len(order)} in dependency order",
            "above": ", ".join(titles[parent] for parent in parents[each]) or "nothing",
            "under": ", ".join(children[each]) or "none",
        }
        for place, each in enumerate(order, 1)
    ]
    return pd.DataFrame(rows)


def _across(drawing: _Layout, field: str = "x") -> alt.X:
    ends = [-0.5, drawing.columns - 0.5]
    return alt.X(f"{field}:Q", axis=None, scale=alt.Scale(domain=ends, nice=False, zero=False))


def _down(drawing: _Layout, field: str = "y") -> alt.Y:
    ends = [drawing.rows - 0.4, -0.8]
    return alt.Y(f"{field}:Q", axis=None, scale=alt.Scale(domain=ends, nice=False, zero=False))


def _nodes(nodes: pd.DataFrame, drawing: _Layout, *, legend: bool) -> alt.Chart:
    shown = [what for what in _LOOKS if (nodes["what"] == what).any()]
    key = scales.key(shown) if legend else None
    shapes, colours = zip(*(_LOOKS[what] for what in shown), strict=True)
    said = [
        alt.Tooltip("title:N", title="Column"),
        alt.Tooltip("place:N", title="It is"),
        alt.Tooltip("above:N", title="Depends on"),
        alt.Tooltip("under:N", title="Others that depend on it"),
        *([alt.Tooltip("what:N", title="In an attempt")] if legend else []),
    ]
    drawn: alt.Chart = (
        alt.Chart(nodes)
        .mark_point(filled=True, opacity=1, size=_SIZE**2)
        .encode(
            x=_across(drawing),
            y=_down(drawing),
            color=alt.Color(
                "what:N", scale=alt.Scale(domain=shown, range=list(colours)), legend=key
            ),
            shape=alt.Shape(
                "what:N", scale=alt.Scale(domain=shown, range=list(shapes)), legend=key
            ),
            tooltip=said,
        )
    )
    return drawn


def _names(nodes: pd.DataFrame, drawing: _Layout) -> list[alt.Chart]:
    """Return the labels, those above their point and those below it, on one line or two."""
    drawn = []
    looks = sorted(set(zip(nodes["below"], nodes["lines"], strict=True)))
    for below, lines in looks:
        members = nodes.loc[(nodes["below"] == below) & (nodes["lines"] == lines)]
        off = _SIZE / 2 + _LINE / 2 + 1
        up = -off - _LINE * (lines - 1)
        text = alt.Chart(members).mark_text(
            fontSize=13,
            lineBreak="\n",
            lineHeight=_LINE,
            baseline="middle",
            dy=off if below else up,
            color=LETTERS,
            tooltip=None,
        )
        drawn.append(text.encode(x=_across(drawing), y=_down(drawing), text=alt.Text("label:N")))
    return drawn


def _labels(drawing: _Layout, titles: Sequence[str]) -> list[list[str]]:
    """Return every title on a line or two, in the room that its neighbours in the same row leave
    it."""
    rooms = [_room(drawing, each) for each in range(len(titles))]
    cut = [two_lines(title, room) for title, room in zip(titles, rooms, strict=True)]
    twins = Counter(map(tuple, cut))
    return [
        lines if twins[tuple(lines)] == 1 else ends_kept(title, room)
        for title, room, lines in zip(titles, rooms, cut, strict=True)
    ]


def _room(drawing: _Layout, attribute: int) -> int:
    """Return how many letters wide a label may be."""
    off = np.abs(drawing.nodes - drawing.nodes[attribute])
    beside = off[(off[:, 1] < _SAME_ROW) & (off[:, 0] > 0), 0]
    columns = float(beside.min(initial=drawing.columns))
    return int(np.clip(columns * _LETTERS_ACROSS / drawing.columns, _FEWEST, _MOST))


def _below(drawing: _Layout) -> list[bool]:
    """Return which labels stand below: where all arrows come and go above, and there is room."""
    steepness: list[list[float]] = [[] for _ in drawing.nodes]
    for (parent, child), curve in drawing.edges.items():
        steepness[parent].append(float(curve[1, 1] - curve[0, 1]))
        steepness[child].append(float(curve[-2, 1] - curve[-1, 1]))
    sides = []
    for each, slopes in enumerate(steepness):
        under = drawing.nodes[:, 1] - drawing.nodes[each, 1]
        same = drawing.nodes[:, 0] == drawing.nodes[each, 0]
        free = not (same & (under > 0) & (under < _ROOM_BELOW)).any()
        sides.append(bool(slopes) and max(slopes) < 0 and bool(free))
    return sides


def _edges(drawing: _Layout) -> list[alt.Chart]:
    """Return a curve for each edge, and an arrowhead before its child along the last stretch of
    it."""
    if not drawing.edges:
        return []
    curves = [
        pd.DataFrame({"x": curve[:, 0], "y": curve[:, 1], "edge": at, "step": range(len(curve))})
        for at, curve in enumerate(drawing.edges.values())
    ]
    ends = np.array([curve[-2:].ravel() for curve in drawing.edges.values()])
    heads = pd.DataFrame(ends, columns=["from_x", "from_y", "x", "y"])
    # Which way an arrow points on the screen depends on how wide the chart has become.
    wide, high = f"width / {drawing.columns}", f"height / {drawing.rows + 0.4}"
    turned = (
        alt.Chart(heads)
        .transform_calculate(
            across=f"(datum.x - datum.from_x) * {wide}", down=f"(datum.y - datum.from_y) * {high}"
        )
        .transform_calculate(
            long="max(sqrt(datum.across * datum.across + datum.down * datum.down), 1)"
        )
        .transform_calculate(
            angle="atan2(datum.down, datum.across) * 180 / PI",
            at_x=f"datum.x - {_BEFORE} * datum.across / datum.long / ({wide})",
            at_y=f"datum.y - {_BEFORE} * datum.down / datum.long / ({high})",
        )
    )
    return [
        alt.Chart(pd.concat(curves, ignore_index=True))
        .mark_line(
            color=QUIET,
            strokeWidth=1.3,
            opacity=0.85 if len(drawing.edges) <= _MANY_EDGES else 0.5,
            tooltip=None,
        )
        .encode(
            x=_across(drawing),
            y=_down(drawing),
            detail=alt.Detail("edge:N"),
            order=alt.Order("step:Q"),
        ),
        turned.mark_point(
            shape="triangle-right", filled=True, size=60, color=QUIET, opacity=1, tooltip=None
        ).encode(
            x=_across(drawing, "at_x"),
            y=_down(drawing, "at_y"),
            angle=alt.Angle("angle:Q", scale=None),
        ),
    ]


def _apart(drawing: _Layout) -> list[alt.Chart]:
    """Return a line above the attributes that are linked to no other, and words on it."""
    if not (drawing.apart and drawing.edges):
        return []
    at = drawing.nodes[drawing.apart[0], 1] - 0.75
    line = alt.Chart(pd.DataFrame({"y": [at], "said": ["not linked to any other"]}))
    return [
        line.mark_rule(color=QUIET, strokeDash=[2, 3], tooltip=None).encode(y=_down(drawing)),
        line.mark_text(align="left", dy=-8, fontSize=12, color=LETTERS, tooltip=None).encode(
            x=alt.XValue(0), y=_down(drawing), text=alt.Text("said:N")
        ),
    ]
