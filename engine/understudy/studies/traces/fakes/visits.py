"""What fakes keep of visits, as section 7.3 measures it. Internal where traces are real."""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.studies.traces.fakes.profiles import Aggregate

TOP: Final = 50
_ZERO: Final = 0.1
_SANITY: Final = 0.001


def visits(traces: IntArray, locations: int) -> FloatArray:
    """(locations,) in how many slots of traces (n, slots) somebody is in each."""
    return np.bincount(traces.ravel(), minlength=locations).astype(np.float64)


def divergence(one: FloatArray, other: FloatArray) -> float:
    """Kullback–Leibler divergence of counts from others, in nats; a count of nothing is read as a
    tenth, as published."""
    p, q = (np.where(each > 0, each, _ZERO) for each in (one, other))
    p, q = p / p.sum(), q / q.sum()
    return float((p * np.log(p / q)).sum())


def sorted_divergence(one: FloatArray, other: FloatArray) -> float:
    """Return the same of counts from the largest to the least, whichever locations they are of."""
    return divergence(-np.sort(-one), -np.sort(-other))


def relative_error(one: FloatArray, other: FloatArray) -> float:
    """|n₁ − n₂| / max(n₁, a thousandth of all), the mean over locations."""
    return float((np.abs(one - other) / np.maximum(one, _SANITY * one.sum())).mean())


def top(counts: FloatArray, number: int = TOP) -> FloatArray:
    """(number,) the largest shares of the visits, from the largest down."""
    found: FloatArray = -np.sort(-counts)[:number] / counts.sum()
    return found


def in_common(first: FloatArray, other: FloatArray, number: int = TOP) -> FloatArray:
    """Return (number,) how many of the top 1, 2, … locations of a first day are among as many of
    others."""
    one, two = (np.argsort(-each, kind="stable")[:number] for each in (first, other))
    found: FloatArray = np.array(
        [len(np.intersect1d(one[:n], two[:n])) for n in range(1, number + 1)], dtype=np.float64
    )
    return found


def in_common_by_chance(locations: int, number: int = TOP) -> FloatArray:
    """Return (number,) the same, expected, if all locations are visited alike and so any are the
    top."""
    n = np.minimum(np.arange(1, number + 1), locations).astype(np.float64)
    found: FloatArray = n * n / locations
    return found


def relative(made: FloatArray, later: FloatArray) -> FloatArray:
    """Return min(made / later, 1), as coverage is published; NaN if a later day has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(later > 0, np.minimum(made / later, 1), np.nan)
    return found


def coverage(first: FloatArray, later: FloatArray, made: FloatArray, number: int = TOP) -> FloatArray:
    """(number,) how much of the visits of a later day the locations most visited on a first one
    take in, and how much of those of made traces: min(made / later, 1) for the top one, two, …"""
    order = np.argsort(-first, kind="stable")[:number]
    x, y = (np.cumsum(each[order]) / each.sum() for each in (made, later))
    found: FloatArray = np.minimum(x / np.maximum(y, 1e-12), 1)
    return found


def top_shares(traces: IntArray, ranks: int = 3) -> FloatArray:
    """(n, ranks) how much of the day each person spends in the location where they are most, in the
    second, and so on; 0 where there is none."""
    found = np.zeros((len(traces), ranks))
    for at, trace in enumerate(traces):
        counts = -np.sort(-np.unique(trace, return_counts=True)[1])[:ranks]
        found[at, : len(counts)] = counts / len(trace)
    return found


def top_divergences(seeds: IntArray, traces: IntArray, ranks: int = 3) -> FloatArray:
    """(ranks,) of each rank, the divergence of how its time is shared among people: person i of the
    seeds beside trace i."""
    one, other = (top_shares(each, ranks) * each.shape[1] for each in (seeds, traces))
    return np.array([divergence(one[:, rank], other[:, rank]) for rank in range(ranks)])


def alike(one: Aggregate, other: Aggregate) -> tuple[float, float]:
    """Return how alike two aggregates are, from 0 to 1: of steps Σ π̄ Σ min(p̄), of places Σ
    min(π̄)."""
    steps = (one.shares * np.minimum(one.chances, other.chances).sum(axis=1)).sum()
    return float(steps), float(np.minimum(one.shares, other.shares).sum())
