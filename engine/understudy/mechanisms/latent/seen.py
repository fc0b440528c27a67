"""Which correlation of two flags stands out of the noise of a plan, from public numbers alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from understudy.mechanisms.latent.models import Question
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.models.latent.factors import STRAYS
from understudy.models.latent.features import S
from understudy.privacy.accounting.guarantee import record_delta
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema

USUAL: Final = 0.1
"""The share of records that have a flag, of a usual one."""
SHARES: Final[Mapping[str, float]] = {
    "Yes in 2 % of records": 0.02,
    "Yes in 10 %": USUAL,
    "Yes in 30 %": 0.3,
}


def smallest(plan: LatentPlan, schema: Schema, epsilon: float) -> Mapping[str, float]:
    """Return the correlation of two independent flags that noise and chance reach in `STRAYS`
    standard deviations, by the name of their share.

    A covariance is s/n − p², of a noisy sum s and noisy shares p; see `NoisyMoments.deviations`,
    with the noise of this plan at this ε and the public number of records in the place of the
    noisy one.
    """

    def total_at(delta: float) -> Budget:
        return Budget(epsilon, delta)

    assert plan.public_records is not None
    records = (1 - plan.held_out) * plan.public_records
    budget = total_at(record_delta(total_at, plan.records_per_person, plan.delta))
    noise = Question.of(plan, schema, budget).deviation / S**2 / records
    found = {}
    for name, share in SHARES.items():
        variance = share * (1 - share)
        spread = math.sqrt(noise**2 * (1 + 2 * share**2) + variance**2 / records)
        found[name] = STRAYS * spread / variance
    return found
