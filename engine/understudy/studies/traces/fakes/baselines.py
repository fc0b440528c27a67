"""What else could be sent as a fake: places by chance, walks, and days of others (section 7.4)."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.profiles import Aggregate
from understudy.table.positions.slots import SLOTS


def uniform(traces: int, locations: int, source: RandomSource) -> IntArray:
    """(traces, 72) any location in each slot, alike."""
    return source.below(locations, traces * SLOTS).reshape(traces, SLOTS)


def by_popularity(traces: int, known: Aggregate, source: RandomSource) -> IntArray:
    """(traces, 72) a location by π̄ in each slot, whatever the one before."""
    return _drawn(known.shares, source.uniforms(traces * SLOTS)).reshape(traces, SLOTS)


def walks(traces: int, known: Aggregate, source: RandomSource) -> IntArray:
    """(traces, 72) walks that begin by π̄ and go on by p̄."""
    sums = np.cumsum(known.chances, axis=1)
    found = np.empty((traces, SLOTS), dtype=np.int64)
    found[:, 0] = _drawn(known.shares, source.uniforms(traces))
    for slot in range(1, SLOTS):
        rows = sums[found[:, slot - 1]]
        level = source.uniforms(traces)[:, None] * rows[:, -1:]
        found[:, slot] = (rows <= level).sum(axis=1)
    return found


def own_walks(traces: int, day: IntArray, source: RandomSource) -> IntArray:
    """(traces, 72) walks by one person's own profile: π and p of their day, (72,); from where they
    never went on, by π."""
    places, at = np.unique(day, return_inverse=True)
    shares = np.bincount(at, minlength=len(places)) / len(day)
    counts = np.zeros((len(places), len(places)))
    np.add.at(counts, (at[:-1], at[1:]), 1)
    total = counts.sum(axis=1, keepdims=True)
    chances = np.where(total > 0, counts / np.where(total > 0, total, 1), shares)
    return places[walks(traces, Aggregate(shares, chances), source)]


def others(days: IntArray, each: int, source: RandomSource) -> IntArray:
    """(n, each, 72) of each of n people, so many days of others among them, (n, 72)."""
    people = len(days)
    keys = source.uniforms(people * people).reshape(people, people)
    np.fill_diagonal(keys, 2)
    return days[np.argsort(keys, axis=1)[:, :each]]


def _drawn(shares: FloatArray, level: FloatArray) -> IntArray:
    sums = np.cumsum(shares)
    found: IntArray = np.searchsorted(sums, level * sums[-1], side="right")
    return found
