"""What single fakes keep of visits, as section 7.3 measures it, and what they give away of
people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.adversaries import as_days
from understudy.studies.traces.fakes.profiles import (
    Aggregate,
    Profile,
    locations_of,
    profile,
    semantic,
)
from understudy.studies.traces.fakes.synthesizer import fakes, learn_days

TOP: Final = 50
_ZERO: Final = 0.1
_SANITY: Final = 0.001


def visits_of_traces(traces: IntArray, locations: int) -> FloatArray:
    """Return (locations,) in how many slots of traces (n, slots) somebody is in each."""
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


def count_error(one: FloatArray, other: FloatArray) -> float:
    """|n₁ − n₂| / max(n₁, a thousandth of all), the mean over locations."""
    return float((np.abs(one - other) / np.maximum(one, _SANITY * one.sum())).mean())


def top(counts: FloatArray, number: int = TOP) -> FloatArray:
    """Return (number,) the largest shares of the visits, from the largest down."""
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


def visit_coverage(
    first: FloatArray, later: FloatArray, made: FloatArray, number: int = TOP
) -> FloatArray:
    """Return (number,) how much of the visits of a later day the locations most visited on a first
    one take in, and how much of those of made traces: min(made / later, 1) for the top one, two,
    …"""
    order = np.argsort(-first, kind="stable")[:number]
    x, y = (np.cumsum(each[order]) / each.sum() for each in (made, later))
    found: FloatArray = np.minimum(x / np.maximum(y, 1e-12), 1)
    return found


def top_shares(traces: IntArray, ranks: int = 3) -> FloatArray:
    """Return (n, ranks) how much of the day each person spends in the location where they are most,
    in the second, and so on; 0 where there is none."""
    found = np.zeros((len(traces), ranks))
    for at, trace in enumerate(traces):
        counts = -np.sort(-np.unique(trace, return_counts=True)[1])[:ranks]
        found[at, : len(counts)] = counts / len(trace)
    return found


def top_divergences(seeds: IntArray, traces: IntArray, ranks: int = 3) -> FloatArray:
    """Return (ranks,) of each rank, the divergence of how its time is shared among people: person i
    of the seeds beside trace i."""
    one, other = (top_shares(each, ranks) * each.shape[1] for each in (seeds, traces))
    return np.array([divergence(one[:, rank], other[:, rank]) for rank in range(ranks)])


def aggregate_likeness(one: Aggregate, other: Aggregate) -> tuple[float, float]:
    """Return how alike two aggregates are, from 0 to 1: of steps Σ π̄ Σ min(p̄), of places Σ
    min(π̄)."""
    steps = (one.shares * np.minimum(one.chances, other.chances).sum(axis=1)).sum()
    return float(steps), float(np.minimum(one.shares, other.shares).sum())


@dataclass(frozen=True)
class Presence:
    """What cells that only one person was in give away.

    Attributes:
        shown: the share of the slots of fakes that lie in such cells.
        have: the share of people who have such a cell.
        proven: of these, the share of whom a release shows one. Fakes are hardly ever where nobody
            was, so it proves that they were among the people.
    """

    shown: float
    have: float
    proven: float


def presence(seeds: IntArray, made: IntArray, locations: int) -> Presence:
    """Return what one release gives away.

    Args:
        seeds: (n, 72) the days of all people that the fakes were learned and made from.
        made: (m, 72) the fakes of the release.
        locations: how many there are.
    """
    lonely = only_one(seeds, locations)
    shown = np.zeros(locations, dtype=bool)
    shown[made] = True
    own = [np.unique(each[lonely[each]]) for each in seeds]
    proven = [shown[each].any() for each in own if len(each)]
    return Presence(
        float(lonely[made].mean()),
        len(proven) / len(own),
        float(np.mean(proven)) if proven else 0.0,
    )


def only_one(traces: IntArray, locations: int) -> BoolArray:
    """Return (locations,) where exactly one of the people with these days (n, slots) was."""
    people = np.zeros(locations, dtype=np.int64)
    for each in traces:
        people[np.unique(each)] += 1
    found: BoolArray = people == 1
    return found


def shows_own(others: IntArray, made: IntArray, person: IntArray) -> bool:
    """Return whether fakes are in a cell where only one person was: a proof that they were among
    the people, or a false alarm where they were not.

    Args:
        others: (n, 72) the days of all other people.
        made: (m, 72) the fakes.
        person: (72,) the day of the person.
    """
    return bool(np.isin(np.setdiff1d(person, others), made).any())


def measure_naming(
    people: Sequence[Profile], made: IntArray, likeness: Callable[[Profile, Profile], float]
) -> float:
    """Return the share of fakes whose person's profile is the one that is most like them; one in
    the number of people is chance. Ties count in parts.

    Args:
        people: the profile of each person.
        made: (people, each, 72) fakes of each.
        likeness: of a person and a fake.
    """
    right = []
    for at, own in enumerate(made):
        for trace in own:
            its = profile(trace[None])
            scores = np.array([likeness(each, its) for each in people])
            best = scores >= scores.max() - 1e-12
            right.append(best[at] / best.sum())
    return float(np.mean(right))


def semantic_likeness(one: Profile, other: Profile) -> float:
    """Return sim_S, of whatever is matched."""
    return semantic(one, other).similarity


@dataclass(frozen=True)
class Told:
    """How well somebody does who knows all people's days, and says of one person that they were
    counted where a release is in a place in which that person alone was.

    Attributes:
        hits: the share of people of whom it is said where they were counted.
        alarms: the share of whom it is said where they were not.
    """

    hits: float
    alarms: float

    @property
    def right(self) -> float:
        """The share of right answers where a coin decides who is counted; .5 is by chance."""
        return (1 + self.hits - self.alarms) / 2


def told_present(days: IntArray, where: Geography, source: RandomSource) -> Told:
    """Release a fake of each person, and once more without each of them. Whoever guesses better
    than this simple rule is right more often.

    Args:
        days: (people, 72) one day of each person; simulated or public ones, as the figures are
            internal otherwise.
        where: the map.
        source: where chance comes from.
    """
    size = locations_of(as_days(days), where)
    all_of_them = _release_fakes(days, where, size, source)
    hits, alarms = [], []
    for at, person in enumerate(days):
        others = np.delete(days, at, axis=0)
        hits.append(shows_own(others, all_of_them, person))
        alarms.append(shows_own(others, _release_fakes(others, where, size, source), person))
    return Told(float(np.mean(hits)), float(np.mean(alarms)))


def _release_fakes(days: IntArray, where: Geography, size: int, source: RandomSource) -> IntArray:
    """Return (people, 72) a fake of each."""
    model = learn_days(as_days(days), where, source, locations=size)
    return fakes(days, model, 1, source)[:, 0]
