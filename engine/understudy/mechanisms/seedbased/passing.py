"""How many candidates will pass at least, before any record is looked at.

At a fixed ω a candidate has as many plausible seeds as there are seeds with its copied values. Let
these have N combinations, let there be n seeds, and let j be such that N·(j−1) < n. Then not every
combination has fewer than j seeds, so N−1 of them have at most, of j−1 each at most: a seed that is
drawn by chance is one of j or more alike with probability 1 − (N−1)·(j−1)/n or more, however the
seeds are spread. So a candidate passes with probability

    max over j of (1 − (N−1)·(j−1)/n) · (1 − ρ) · P(the test passes | j plausible seeds)

at least, as more of them never make it pass more rarely. More seeds than n only help.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.plausibility.privacy_test import PrivacyTest
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.table.schema import Schema

TELLING: Final = 0.001
"""The least share that says something."""

_TRIED: Final = 400
"""How many j are looked at; each gives a bound, so none of them is needed."""


def surely_passing(
    plan: Plan, schema: Schema, made: Promise, ks: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64] | None:
    """Return the share of candidates that passes at least, for each k, the rest of the test as
    given.

    It counts on the columns that come first as a rule (`Learner.most_prefixes`), and on the seeds
    that are certain.

    Args:
        plan: with seeds.
        schema: what it was made for.
        made: what it promises.
        ks: (K,) each 1 or more.

    Returns:
        (K,) shares from 0 to 1; None where ω is a range, or nothing can be said.
    """
    if not plan.omega.fixed:
        return None
    kept = len(schema) - plan.omega.high
    prefixes = learner_of(plan.model.kind).most_prefixes(schema, kept)
    found = at_least(plan.test, ks, prefixes, plan.seeds_at_least, made.pass_cap)
    return found if found.max() >= TELLING else None


def at_least(
    test: PrivacyTest, ks: npt.NDArray[np.int64], prefixes: int, seeds: int, pass_cap: float
) -> npt.NDArray[np.float64]:
    """(K,) the share that passes at least, for each k.

    Args:
        test: either test; its own k is not looked at.
        ks: (K,) each 1 or more.
        prefixes: N, how many combinations the copied values have at most.
        seeds: n, how many seeds there are at least.
        pass_cap: ρ.
    """
    most = (seeds - 1) // prefixes + 1
    j = np.unique(np.geomspace(1, most, _TRIED).round().astype(np.int64))
    holding = 1 - (prefixes - 1) * (j - 1) / seeds
    scores = test.scores(j)
    coins = (PassCoin(int(k), test.epsilon0, test.noise) for k in ks)
    return np.array([(1 - pass_cap) * (holding * coin.probability(scores)).max() for coin in coins])
