"""How many days will come out, before anything is spent.

A day comes out where enough other seeds have its key, so it all depends on how large a share of
people's days has each key. Those shares are taken from what is public: the simulated city
(`city_shares`), or a law that was fitted to noisy tables of these very people (`shares_of`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import FloatArray
from understudy.mechanisms.plausible_traces.attempts import Decision
from understudy.mechanisms.plausible_traces.keys import (
    CARDINALITIES,
    SORTS,
    WIDTH,
    WORKS,
    Keeps,
    keys_of,
    sorts_of,
)
from understudy.mechanisms.plausible_traces.proposing import KeptSchedules
from understudy.models.mobility.law import Law
from understudy.models.mobility.shrinkage import shares
from understudy.models.mobility.stays import LISTED
from understudy.models.mobility.tables import WEEKDAY, WORKDAY
from understudy.models.prefix_index import Prefixes
from understudy.privacy.randomness import RandomSource

_DRAWN: Final = 20_000
_FEW: Final = 200
_QUANTILES: Final = (np.arange(64) + 0.5) / 64


def expected(shares_of_keys: FloatArray, seeds: int, decision: Decision, attempts: int) -> float:
    """Return how many of so many attempts release a day, on average.

    Args:
        shares_of_keys: how likely a day has each key; what is missing to 1 has rare ones, of
            which nothing comes out.
        seeds: how many seeds there are.
        decision: the test.
        attempts: how many there are.
    """
    others, weights = _others(shares_of_keys, max(0, seeds - 1))
    passing = decision.test.coin.probability(decision.test.scores(others + 1))
    mean = (passing * weights).sum(axis=1)
    return float(attempts * (1 - decision.pass_cap) * (shares_of_keys @ mean))


def _others(shares_of_keys: FloatArray, seeds: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """(keys, numbers) or (1, numbers) how many other seeds may have a key, and how likely that is:
    each has it by chance. Of many seeds, quantiles stand for all numbers."""
    # It takes as long to load as all methods together.
    from scipy.stats import binom

    if seeds <= _FEW:
        numbers = np.arange(seeds + 1)
        weights: FloatArray = np.asarray(binom.pmf(numbers, seeds, shares_of_keys[:, None]))
        return numbers[None], weights
    found = binom.ppf(_QUANTILES, seeds, shares_of_keys[:, None])
    return np.asarray(found, dtype=np.int64), np.full((1, len(_QUANTILES)), 1 / len(_QUANTILES))


def shares_of(law: Law, keeps: Keeps) -> FloatArray:
    """Return how likely a made person's weekday has each key, the commonest first.

    Costs nothing: a law is made of noisy tables. Starts are drawn, by a known seed.
    """
    source = RandomSource.fixed(0)
    works, pattern, chance = _patterns(law)
    drawn = np.searchsorted(np.cumsum(chance), source.uniforms(_DRAWN) * chance.sum())
    drawn = np.minimum(drawn, len(chance) - 1)
    keys = np.zeros((_DRAWN, WIDTH), dtype=np.uint16)
    keys[:, WORKS] = 1 + works[drawn]
    keys[:, SORTS] = np.array([sorts_of(text) for text in LISTED])[pattern[drawn]] + 1
    # Whether one works is given here, and the pattern itself: it is its own outline or none is.
    made = KeptSchedules(law, "pattern").scheduled(keys, source).schedules
    counts = Prefixes.of(keys_of(made, keeps), CARDINALITIES).counts
    found: FloatArray = -np.sort(-counts / _DRAWN * min(1.0, float(chance.sum())))
    return found


def _patterns(law: Law) -> tuple[np.ndarray, np.ndarray, FloatArray]:
    """(kinds,) whether one works, (kinds,) the pattern of the list, (kinds,) how likely both are on
    a weekday. Somebody without a place of work is in no pattern with one."""
    listed = np.arange(len(LISTED))
    at_work = np.array(["W" in text for text in LISTED])
    without = shares(np.where(np.append(at_work, False), 0, law.patterns[WEEKDAY]))[:-1]
    within = law.patterns[WORKDAY][:-1]
    chance = np.concatenate([(1 - law.works) * without, law.works * within])
    works = np.repeat([0, 1], len(LISTED))
    return works, np.concatenate([listed, listed]), np.maximum(chance, 0)
