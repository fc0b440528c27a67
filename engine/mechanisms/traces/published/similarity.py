"""How alike two people's lives are: in the same places, or in places that mean the same to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.mechanisms.traces.published.profiles import PERIODS, Floats, Profile
from engine.models.mobility.geography import Places
from engine.privacy.randomness import RandomSource

_PROPOSALS: Final = 2000
_WARM: Final = 0.02
_COLD: Final = 1e-4


@dataclass(frozen=True, eq=False)
class Matched:
    """How alike the lives of two people are, and which places mean the same to both.

    Attributes:
        similarity: sim_S, from 0 to 1.
        one, other: (m,) places of the first person, and what each is to the second; only pairs
            in which both spend time in the same period.
    """

    similarity: float
    one: Places
    other: Places


Alike = Callable[[Profile, Profile], Matched]
"""A semantic similarity."""


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


def together(one: Profile, other: Profile) -> Floats:
    """(m, m′) of every two places, the share of the time that both people spend there in the same
    periods."""
    found = np.zeros((len(one.places), len(other.places)))
    for mine, theirs in zip(one.visits, other.visits, strict=True):
        found += np.minimum(mine[:, None], theirs)
    return found / PERIODS


def annealed(
    one: Profile, other: Profile, source: RandomSource, proposals: int = _PROPOSALS
) -> Matched:
    """sim_S of (6.11), of steps between matched places, with one matching for all periods: a
    quadratic assignment, for which simulated annealing looks from the linear one on.

    Args:
        one, other: both people.
        source: where proposals come from.
        proposals: how many exchanges of two places are tried.
    """
    steps = Steps.of(one, other)
    size = max(len(one.places), len(other.places))
    shared = np.zeros((size, size))
    shared[: len(one.places), : len(other.places)] = together(one, other)
    at, matching = linear_sum_assignment(shared, maximize=True)
    matching = matching[np.argsort(at)]
    score = steps.score(matching)
    best, found = score, matching.copy()
    pairs = source.below(size, 2 * proposals).reshape(-1, 2)
    heat = np.geomspace(_WARM, _COLD, proposals)
    limits = heat * np.log(source.uniforms(proposals))
    for (first, second), limit in zip(pairs, limits, strict=True):
        if first == second:
            continue
        matching[[first, second]] = matching[[second, first]]
        now = steps.score(matching)
        if now - score < limit:
            matching[[first, second]] = matching[[second, first]]
            continue
        score = now
        if score > best:
            best, found = score, matching.copy()
    return steps.matched(found)


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of one person beside the chances of another's, with places counted among those
    where each was.

    Attributes:
        one, other: both people.
        start, end: (e,) of each step of the first, among `one.places`.
        chances: (changes, size, size) of the second, among `other.places`; the rest are 0.
    """

    one: Profile
    other: Profile
    start: Places
    end: Places
    chances: Floats

    @classmethod
    def of(cls, one: Profile, other: Profile) -> Steps:
        """Of two people."""
        size = max(len(one.places), len(other.places))
        chances = np.zeros((PERIODS**2, size, size))
        start, end = (np.searchsorted(other.places, each) for each in (other.start, other.end))
        chances[other.steps, start, end] = other.chance
        start, end = (np.searchsorted(one.places, each) for each in (one.start, one.end))
        return cls(one, other, start, end, chances)

    def score(self, matching: Places) -> float:
        """Σ min over steps, where matching says what each place of the first is to the second."""
        return float(self._each(matching).sum())

    def _each(self, matching: Places) -> Floats:
        theirs = self.chances[self.one.steps, matching[self.start], matching[self.end]]
        found: Floats = self.one.weight * np.minimum(self.one.chance, theirs)
        return found

    def matched(self, matching: Places) -> Matched:
        """The similarity, and pairs of places that steps of both begin or end in."""
        each = self._each(matching)
        used = np.unique(np.concatenate([self.start[each > 0], self.end[each > 0]]))
        return Matched(float(each.sum()), self.one.places[used], self.other.places[matching[used]])
