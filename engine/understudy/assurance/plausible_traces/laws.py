"""The exact law of attempts, over people and their coins, by enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from understudy.assurance.plausible_traces.town import (
    Person,
    Universe,
    keys_of_person,
)
from understudy.core.arrays import FloatArray, IntArray
from understudy.mechanisms.plausible_traces.attempts import Seeds
from understudy.mechanisms.plausible_traces.keys import Codes, Keeps
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity

Days = Callable[[Person, Keeps], Sequence[Codes]]
"""From somebody to the sets of seeds that their coin may make of them, each as likely."""
Score = Callable[[Codes], tuple[Codes, IntArray]]
"""From seeds to their different keys, and how many share each."""

_WHOLE = 1 << 128


def one_day(person: Person, keeps: Keeps) -> Sequence[Codes]:
    """Return the keys that seeds can get, one day of the person being a seed."""
    return [key[None] for key in keys_of_person(tuple(person), keeps)]


def sharers(seeds: Codes) -> tuple[Codes, IntArray]:
    """As a run counts them."""
    return Seeds(seeds).distinct


def by_kind(test: RelativeSensitivity, seeds: Codes, keys: Codes, score: Score = sharers) -> FloatArray:
    """(kinds + 1,) how likely one attempt releases a candidate of each key, and none.

    Args:
        test: the privacy test.
        seeds: (S, WIDTH) the key of each.
        keys: (kinds, WIDTH) the different ones there can be; seeds without a usable day have none.
        score: what is counted.
    """
    found = np.zeros(len(keys) + 1)
    distinct, sizes = Seeds(seeds).distinct
    counted = dict(zip(map(bytes, score(seeds)[0]), score(seeds)[1].tolist(), strict=True))
    place = {bytes(key): at for at, key in enumerate(keys)}
    for key, size in zip(distinct, sizes.tolist(), strict=True):
        drawn = size / len(seeds)
        sharing = np.array([counted[bytes(key)]])
        passes, fails = _odds(test, int(test.scores(sharing)[0]))
        if bytes(key) in place:
            found[place[bytes(key)]] = drawn * passes
            found[-1] += drawn * fails
        else:
            found[-1] += drawn
    return found


@cache
def _odds(test: RelativeSensitivity, score: int) -> tuple[float, float]:
    passing = test.coin.threshold(score)
    return passing / _WHOLE, (_WHOLE - passing) / _WHOLE


def capped(law: FloatArray, rho: float) -> FloatArray:
    """Return the same where every candidate is turned away with probability ρ after the test."""
    found = law * (1 - rho)
    found[..., -1] = law[..., -1] + rho * law[..., :-1].sum(axis=-1)
    return found


def spread(law: FloatArray, over: Universe) -> FloatArray:
    """(Y + 1,) the law of candidates, from that of their keys."""
    return np.append(law[over.kind] * over.chance, law[-1])


def of_people(
    people: Sequence[Person],
    keeps: Keeps,
    law: Callable[[Codes], FloatArray],
    days: Days = one_day,
) -> FloatArray:
    """Return the law of what is made of people, over everybody's coin.

    Args:
        people: the seeds.
        keeps: what is kept.
        law: of what is made of their days.
        days: what becomes of somebody's days.
    """
    options = [days(person, keeps) for person in people]
    chance = 1 / math.prod(len(each) for each in options)
    return sum(
        (chance * law(np.concatenate(chosen)) for chosen in itertools.product(*options)),
        start=np.zeros(()),
    )


def together(law: FloatArray, count: int) -> FloatArray:
    """Return the law of so many independent outcomes, (Y,) to (Y^count,)."""
    joint = law
    for _ in range(count - 1):
        joint = np.outer(joint, law).ravel()
    return joint
