"""Greedy correlation-based selection of parents (6.14–6.16). It sees noisy numbers only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.bayesnet.network import Structure
from understudy.models.marks import EVEN, Importance


@dataclass(frozen=True)
class Correlations:
    """The input of the selection.

    Attributes:
        child_parent: (m, m) the symmetrical uncertainty of child i and bkt of parent j,
            in [0, 1].
        parents: (m, m) that of bkt j and bkt k, in [0, 1].
    """

    child_parent: FloatArray
    parents: FloatArray


@dataclass(frozen=True)
class CostCap:
    """The limit on the size of a family.

    Attributes:
        cardinalities: (m,) codes of each child.
        bucket_counts: (m,) buckets of each parent.
        most_cells: the most cells a table may have.
    """

    cardinalities: IntArray
    bucket_counts: IntArray
    most_cells: float

    def allows(self, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether the child's table with these parents stays under the cap."""
        cells = float(self.cardinalities[child])
        for parent in parents:
            cells *= float(self.bucket_counts[parent])
        return cells <= self.most_cells


def merit(correlations: Correlations, child: int, parents: tuple[int, ...]) -> float:
    """score(par) = Σ corr(x_i, x_j) / √(|par| + Σ_{j≠k} corr(x_j, x_k)) (6.14)."""
    if not parents:
        return 0.0
    chosen = np.array(parents)
    among = correlations.parents[np.ix_(chosen, chosen)]
    shared = among.sum() - np.trace(among)
    together = correlations.child_parent[child, chosen].sum()
    return float(together / np.sqrt(len(parents) + shared))


def select(correlations: Correlations, cap: CostCap, importance: Importance = EVEN) -> Structure:
    """Greedily add, over all attributes, the edge that raises its child's merit most.

    What it raises it by counts for what the pair weighs, so that marked pairs come before others
    have used up the cap or closed the way.
    Ties go to the lower child, then the lower parent, so equal numbers give equal structures.
    """
    attributes = len(cap.cardinalities)
    parents: list[tuple[int, ...]] = [()] * attributes
    ancestors = np.eye(attributes, dtype=bool)
    gains = {child: _gains(correlations, cap, importance, child, ()) for child in range(attributes)}
    while True:
        best = _best_edge(gains, ancestors)
        if best is None:
            return Structure.of(parents, cap.cardinalities.tolist())
        child, parent = best
        parents[child] = (*parents[child], parent)
        descendants = ancestors[:, child]
        ancestors[descendants] |= ancestors[parent]
        gains[child] = _gains(correlations, cap, importance, child, parents[child])


def _gains(
    correlations: Correlations,
    cap: CostCap,
    importance: Importance,
    child: int,
    parents: tuple[int, ...],
) -> dict[int, float]:
    now = merit(correlations, child, parents)
    gains = {}
    for parent in range(len(cap.cardinalities)):
        if parent == child or parent in parents or not cap.allows(child, (*parents, parent)):
            continue
        gain = merit(correlations, child, (*parents, parent)) - now
        if gain > 0:
            gains[parent] = gain * importance.of(sorted((child, parent)))
    return gains


def _best_edge(gains: dict[int, dict[int, float]], ancestors: BoolArray) -> tuple[int, int] | None:
    best: tuple[float, int, int] | None = None
    for child, candidates in gains.items():
        for parent, gain in candidates.items():
            if ancestors[parent, child]:
                continue
            if best is None or gain > best[0]:
                best = (gain, child, parent)
    return None if best is None else best[1:]
