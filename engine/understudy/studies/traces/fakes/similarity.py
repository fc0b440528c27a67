"""How alike two people's lives are: in the same places, or in places that mean the same to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from understudy.core.arrays import FloatArray, IntArray
from understudy.studies.traces.fakes.profiles import PERIODS, Profile


@dataclass(frozen=True, eq=False)
class Matched:
    """How alike the lives of two people are, and which places mean the same to both.

    Attributes:
        similarity: sim_S, from 0 to 1.
        one, other: (m,) places of the first person, and what each is to the second; only pairs
            in which both spend time in the same period.
    """

    similarity: float
    one: IntArray
    other: IntArray


def geographic(one: Profile, other: Profile) -> float:
    """sim_G of (6.7), from 0 to 1: how far the second person moves from where the first is as the
    first does. The earth mover's distance is 1 − Σ min where any two places are equally far apart,
    so that no transport has to be solved. Not symmetric."""
    _, at, beside = np.intersect1d(one.keys, other.keys, assume_unique=True, return_indices=True)
    both = np.minimum(one.chance[at], other.chance[beside])
    return float((one.weight[at] * both).sum())


def semantic(one: Profile, other: Profile) -> Matched:
    """sim_S of (6.10), with one matching for all periods: the most time that both people spend in
    the same periods in matched places. It is symmetric, and exact by a linear assignment between
    the places where they were, as all others add nothing."""
    shared = together(one, other)
    at, beside = linear_sum_assignment(shared, maximize=True)
    matched = shared[at, beside]
    kept = matched > 0
    return Matched(float(matched.sum()), one.places[at[kept]], other.places[beside[kept]])


def together(one: Profile, other: Profile) -> FloatArray:
    """(m, m′) of every two places, the share of the time that both people spend there in the same
    periods."""
    found = np.zeros((len(one.places), len(other.places)))
    for mine, theirs in zip(one.visits, other.visits, strict=True):
        found += np.minimum(mine[:, None], theirs)
    return found / PERIODS
