"""Layered layout of a dependency graph.

Layers by dependency depth, long edges led through the layers they cross, crossings reduced by
barycentres (Sugiyama, Tagawa and Toda, 1981), heights by least squares once the order is fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import isotonic_regression

from understudy.core.arrays import FloatArray

Parents = Sequence[Sequence[int]]
Edge = tuple[int, int]
Layers = list[list[int]]

_SWEEPS = 10
_PASSING_ROOM = 0.45
_STEPS = 8
_FEWEST_ABREAST = 5
_SPACE_APART = 0.6


@dataclass(frozen=True)
class Layout:
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


def layout(parents: Parents, order: Sequence[int]) -> Layout:
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
    return Layout(
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
    """Points on a smooth curve through the stops that does not swing past them."""
    x = np.linspace(stops[0, 0], stops[-1, 0], _STEPS * (len(stops) - 1) + 1)
    return np.column_stack([x, PchipInterpolator(stops[:, 0], stops[:, 1])(x)])
