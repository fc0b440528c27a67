"""Pareto-optimal settings: those that no other dominates."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.evaluation.measure import Direction


def pareto_front(epsilons: FloatArray, utility: FloatArray, better: Direction) -> BoolArray:
    """(P,) whether each point is on the Pareto front of ε and utility.

    One point dominates another if neither is worse and one is better; equal points do not dominate
    each other. A point with an ε or a utility that is not finite is never on the front.

    Args:
        epsilons: (P,) total ε; lower is better.
        utility: (P,) anything.
        better: which way utility is better.
    """
    cost = utility if better == "lower" else -utility
    there = np.flatnonzero(np.isfinite(epsilons) & np.isfinite(cost))
    order = there[np.lexsort((cost[there], epsilons[there]))]
    epsilon, sorted_cost = epsilons[order], cost[order]
    # In this order only earlier points can dominate one: those of a smaller ε with no more cost,
    # and of the same ε with less.
    first = np.searchsorted(epsilon, epsilon, side="left")
    before = np.concatenate([[np.inf], np.minimum.accumulate(sorted_cost)])[first]
    kept = (sorted_cost < before) & (sorted_cost == sorted_cost[first])
    found = np.zeros(len(epsilons), dtype=bool)
    found[order[kept]] = True
    return found


def pareto_optimal(costs: FloatArray) -> BoolArray:
    """(P,) whether each point is Pareto optimal in several costs.

    Equal points do not dominate each other. A point with a cost that is not finite is never
    optimal. The time grows with the square of the number of points.

    Args:
        costs: (P, d) lower is better.
    """
    found = np.zeros(len(costs), dtype=bool)
    there = np.flatnonzero(np.isfinite(costs).all(axis=1))
    finite = costs[there]
    for place, point in zip(there, finite, strict=True):
        beats = (finite <= point).all(axis=1) & (finite < point).any(axis=1)
        found[place] = not beats.any()
    return found
