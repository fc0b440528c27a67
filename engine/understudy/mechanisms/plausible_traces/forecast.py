"""Forecasts of how many days come out: by the seeds, by the model, and by a city's shares.

A day comes out where enough other seeds have its key, so it all depends on how large a share of
people's days has each key. Those shares are taken from what is public: the simulated city,
or a law that was fitted to noisy tables of these very people (`shares_of`).

`python -m benchmarks plausible` prints them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.numerals import count, significant
from understudy.mechanisms.plausible_traces.attempts import Decision, KeptSchedules, Seeds
from understudy.mechanisms.plausible_traces.guarantee import Promise
from understudy.mechanisms.plausible_traces.keys import (
    CARDINALITIES,
    SORTS,
    WIDTH,
    WORKS,
    Keeps,
    keys_of,
    sorts_of,
)
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.models.mobility.law import Law
from understudy.models.mobility.shrinkage import shares
from understudy.models.mobility.stays import LISTED
from understudy.models.mobility.tables import WEEKDAY, WORKDAY
from understudy.models.prefix_index import Prefixes
from understudy.privacy.randomness import RandomSource

_DRAWN: Final = 20_000
_FEW: Final = 200
_QUANTILES: Final = (np.arange(64) + 0.5) / 64


def expect_released(
    shares_of_keys: FloatArray, seeds: int, decision: Decision, attempts: int
) -> float:
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


def _others(shares_of_keys: FloatArray, seeds: int) -> tuple[IntArray, FloatArray]:
    """Return (keys, numbers) or (1, numbers) how many other seeds may have a key, and how likely
    that is: each has it by chance. Of many seeds, quantiles stand for all numbers."""
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
    made = KeptSchedules(law, "pattern").propose_schedules(keys, source).schedules
    counts = Prefixes.of(keys_of(made, keeps), CARDINALITIES).counts
    found: FloatArray = -np.sort(-counts / _DRAWN * min(1.0, float(chance.sum())))
    return found


def _patterns(law: Law) -> tuple[np.ndarray, np.ndarray, FloatArray]:
    """Return (kinds,) whether one works, (kinds,) the pattern of the list, (kinds,) how likely both
    are on a weekday. Somebody without a place of work is in no pattern with one."""
    listed = np.arange(len(LISTED))
    at_work = np.array(["W" in text for text in LISTED])
    without = shares(np.where(np.append(at_work, False), 0, law.patterns[WEEKDAY]))[:-1]
    within = law.patterns[WORKDAY][:-1]
    chance = np.concatenate([(1 - law.works) * without, law.works * within])
    works = np.repeat([0, 1], len(LISTED))
    return works, np.concatenate([listed, listed]), np.maximum(chance, 0)


CITY: Final[Mapping[Keeps, tuple[float, ...]]] = {
    "outline": (
        0.378,
        0.1784,
        0.1448,
        0.0988,
        0.05,
        0.0496,
        0.023,
        0.0158,
        0.0139,
        0.0136,
        0.009,
        0.0076,
        0.006,
        0.0041,
        0.0026,
    ),
    "pattern": (
        0.378,
        0.0981,
        0.0838,
        0.0834,
        0.0638,
        0.0513,
        0.0252,
        0.0228,
        0.0219,
        0.0205,
        0.0199,
        0.0155,
        0.0134,
        0.0131,
        0.0124,
        0.0076,
        0.0067,
        0.0058,
        0.0051,
        0.0049,
        0.0041,
        0.0039,
        0.0039,
        0.0033,
        0.0033,
        0.0027,
        0.0026,
    ),
    "departure": (
        0.288,
        0.0853,
        0.0675,
        0.0638,
        0.0506,
        0.04,
        0.0347,
        0.0275,
        0.0225,
        0.0215,
        0.0193,
        0.0182,
        0.0152,
        0.0145,
        0.0138,
        0.0134,
        0.0127,
        0.0124,
        0.012,
        0.0102,
        0.0091,
        0.0089,
        0.0078,
        0.0077,
        0.0065,
        0.006,
        0.0057,
        0.005,
        0.0042,
        0.004,
    ),
    "hours": (
        0.0638,
        0.0535,
        0.0379,
        0.0321,
        0.0312,
        0.0272,
        0.0242,
        0.0187,
        0.0145,
        0.0139,
        0.013,
        0.0122,
        0.0117,
        0.0116,
        0.0116,
        0.01,
        0.0096,
        0.0092,
        0.009,
        0.0089,
        0.0082,
        0.0081,
        0.0076,
        0.0074,
        0.0071,
        0.0069,
        0.0064,
        0.0063,
        0.006,
        0.0059,
    ),
}


def foresee_days(plan: PlausiblePlan, made: Promise, keeps: Keeps | None = None) -> float:
    """Return how many days come out on average where people live as in the simulated city. Public.

    Args:
        plan: the settings.
        made: what they come to.
        keeps: what is kept; None for what the plan says.
    """
    shares = np.array(CITY[keeps or plan.keeps])
    return expect_released(shares, plan.likely_seeds, made.decision, plan.attempts)


def foreseen_of(plan: PlausiblePlan, made: Promise, law: Law, keeps: Keeps | None = None) -> float:
    """Return how many days come out on average where people live by a law that was fitted to noisy
    tables. As public as those are."""
    shares = shares_of(law, keeps or plan.keeps)
    return expect_released(shares, plan.likely_seeds, made.decision, plan.attempts)


def passing(made: Promise, seeds: Seeds) -> float:
    """Return the chance that an attempt releases a day. Internal."""
    keys, sizes = seeds.distinct
    chances = made.decision.chance(keys, sizes)
    return float(sizes @ chances / len(seeds))


def from_the_seeds(plan: PlausiblePlan, made: Promise, seeds: Seeds) -> str:
    """Return how many come out on average of these seeds, in a sentence. Internal."""
    if not len(seeds):
        return "Nobody became a seed, so no attempt was made."
    sizes = seeds.distinct[1]
    mean = plan.attempts * passing(made, seeds)
    return (
        f"Of {count(plan.attempts, 'attempt')}, {significant(mean, 3)} release a day on average. "
        f"Different keys among the seeds: {len(sizes):,}; shared by more than "
        f"k = {made.test.k:,} seeds: {int((sizes > made.test.k).sum()):,}."
    )


def from_the_law(plan: PlausiblePlan, made: Promise, law: Law) -> str:
    """Return what the noisy model and public numbers foresaw, in a sentence."""
    return (
        f"Foreseen from the noisy tables: {significant(foreseen_of(plan, made, law), 3)}; from the "
        f"simulated city: {significant(foresee_days(plan, made), 3)}."
    )
