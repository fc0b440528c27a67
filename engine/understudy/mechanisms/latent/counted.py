"""How many flags of a record to count: fewer let less noise do, and more keep what full records
tell. Foreseen on people who do not exist, from public numbers alone.

Of simulated people, each of m flags is a one by itself with chance μ/m, so they have μ on average.
Of a record with K ones, min(K, c) are counted, each as likely; so a share p = μ/m comes out as
p·E min(K, c)/E K. Noise on a share, which is measured twice beside a noisy number of records, is
σ(c)·√(1/2 + p²)/n. The mean distance is that of a normal number with this mean and deviation from
0. Real people's flags come together more, so that more of them have many: then a larger c is worth
more than it is here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc, ndtr

from understudy.mechanisms.latent.models import Question
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.models.latent.features import Features, S
from understudy.privacy.accounting.guarantee import record_delta
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema

Real = npt.NDArray[np.float64]

MEANS: Final = (1, 4, 12)
"""How many flags simulated people have on average."""
MOST: Final = 40
"""No more flags are tried than this, or than there are."""


def tried(schema: Schema) -> range:
    """Return the numbers of flags that are tried."""
    return range(1, min(MOST, len(Features.of(schema).flags)) + 1)


def means(schema: Schema) -> tuple[int, ...]:
    """Return the means that so many flags leave room for."""
    return tuple(each for each in MEANS if 2 * each <= len(Features.of(schema).flags))


def off(plan: LatentPlan, schema: Schema, mean: int) -> tuple[float, ...]:
    """Return how far off a share is on average, for each number of flags that is tried.

    Args:
        plan: of which ε, δ and the public number of records are looked at.
        schema: the columns.
        mean: how many flags people have on average.
    """
    share = mean / len(Features.of(schema).flags)
    return expected(plan, schema, share, tried(schema))


def expected(
    plan: LatentPlan, schema: Schema, share: float, counts: Sequence[int]
) -> tuple[float, ...]:
    """Return how far off a flag's share is on average, for each number of flags that is counted.

    Args:
        plan, schema: as of `off`.
        share: of ones of every flag, each by itself.
        counts: the numbers that are asked for.
    """
    assert plan.public_records is not None
    records = (1 - plan.held_out) * plan.public_records
    lost = share * (1 - kept(len(Features.of(schema).flags), share, counts))
    deviations = np.array([_deviation(plan, schema, each) for each in counts])
    noise = deviations * math.sqrt(0.5 + share**2) / records
    return tuple(float(each) for each in _folded(lost, noise))


def best(plan: LatentPlan, schema: Schema, mean: int) -> int:
    """Return the number of flags with which a share is least off."""
    found = off(plan, schema, mean)
    return tried(schema)[found.index(min(found))]


def kept(flags: int, share: float, counts: Sequence[int]) -> Real:
    """E min(K, c)/E K for each c, K being binomial: the sum of Pr{K > j} over j < c."""
    upto = np.cumsum(bdtrc(np.arange(flags), flags, share))
    return np.asarray(upto[np.asarray(counts) - 1] / (flags * share))


def _deviation(plan: LatentPlan, schema: Schema, count: int) -> float:
    """Of the noise on a sum where so many flags are counted, in records."""

    def total_at(delta: float) -> Budget:
        return Budget(plan.epsilon, delta)

    budget = total_at(record_delta(total_at, plan.records_per_person, plan.delta))
    other = plan.model_copy(update={"most_ones": count})
    return Question.of(other, schema, budget).deviation / S**2


def _folded(mean: Real, deviation: Real) -> Real:
    """Return the mean absolute value of a normal number."""
    ratio = mean / deviation
    density = np.exp(-(ratio**2) / 2) * math.sqrt(2 / math.pi)
    return np.asarray(deviation * density + mean * (2 * ndtr(ratio) - 1))
