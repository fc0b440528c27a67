"""The hockey-stick divergence of two distributions, and lower confidence bounds on ε from
counts."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincinv

from understudy.assurance.check import TOLERANCE
from understudy.core.arrays import FloatArray, IntArray

_LARGEST = 700.0
"""A larger ε is replaced by this, as e^ε would overflow."""


def hockey_stick(first: FloatArray, second: FloatArray, epsilon: FloatArray | float) -> FloatArray:
    """Return Σ_y max(F(y) − e^ε·G(y), 0), or that of G and F where it is larger.

    (ε, δ)-differential privacy of the pair says that this is at most δ. A difference within
    `TOLERANCE` of the larger probability counts as none.

    Args:
        first, second: probabilities along the last axis, shape (…, Y), never negative.
        epsilon: ε, shape (…), or one for all.
    """
    bound = np.exp(np.minimum(epsilon, _LARGEST))[..., None]
    kept = 1 - TOLERANCE
    one_way = np.maximum(kept * first - bound * second, 0).sum(axis=-1)
    other_way = np.maximum(kept * second - bound * first, 0).sum(axis=-1)
    return np.asarray(np.maximum(one_way, other_way))


def over(divergence: FloatArray, delta: FloatArray | float) -> FloatArray:
    """Return a divergence as a multiple of the δ claimed; 0 where there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(divergence == 0, 0.0, divergence / delta))


def bound_below(hits: int, trials: int, miss: float) -> float:
    """Return a lower bound on a probability, wrong with probability at most `miss` (Clopper and
    Pearson 1934, one-sided)."""
    return 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, miss))


def at_most(hits: int, trials: int, miss: float) -> float:
    """Return an upper bound on a probability, wrong with probability at most `miss`."""
    return 1 - bound_below(trials - hits, trials, miss)


def epsilon_at_least(
    first: IntArray, second: IntArray, trials: int, delta: float, miss: float
) -> float:
    """Return a lower bound on the ε with which two laws are (ε, δ)-close, for an event chosen
    beforehand.

    Pr{F ∈ S} ≤ e^ε·Pr{G ∈ S} + δ gives ε ≥ ln((Pr{F ∈ S} − δ)/Pr{G ∈ S}).

    Args:
        first, second: how many trials of each law ended in S.
        trials: of each.
        delta: δ.
        miss: the chance that the bound is wrong.
    """
    low = bound_below(int(first), trials, miss / 2) - delta
    if low <= 0:
        return -math.inf
    return math.log(low / at_most(int(second), trials, miss / 2))


def bound_epsilon(first: IntArray, second: IntArray, delta: float, miss: float) -> float:
    """Return a lower bound on ε from outcomes, the event being chosen on one half and tried on the
    other.

    Args:
        first, second: how often each outcome came up under either law, shape (2, Y): a row for
            each half of the trials, which are as many in each.
        delta: δ.
        miss: the chance that the bound exceeds the smallest ε that holds.
    """
    trials = int(first[0].sum())
    best, event, turned = -math.inf, None, False
    for one, other, turn in ((first, second, False), (second, first, True)):
        # The outcomes that tell most come first; every leading few of them may make an event.
        order = np.argsort(-((one[0] + 0.5) / (other[0] + 0.5)), kind="stable")
        for size in range(1, len(order)):
            hits, others = one[0, order[:size]].sum(), other[0, order[:size]].sum()
            found = epsilon_at_least(hits, others, trials, delta, miss)
            if found > best:
                best, event, turned = found, order[:size], turn
    if event is None:
        return 0.0
    one, other = (second, first) if turned else (first, second)
    found = epsilon_at_least(one[1, event].sum(), other[1, event].sum(), trials, delta, miss)
    return max(0.0, found)
