"""What single fakes give away: that somebody was there, and whose they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, IntArray
from understudy.studies.traces.fakes.profiles import Profile, profile
from understudy.studies.traces.fakes.similarity import semantic


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
    """(locations,) where exactly one of the people with these days (n, slots) was."""
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


def named(
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
    """sim_S, of whatever is matched."""
    return semantic(one, other).similarity
