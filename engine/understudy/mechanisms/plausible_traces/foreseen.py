"""How many days come out of a plan, in sentences and figures."""

from __future__ import annotations

import numpy as np

from understudy.core.numerals import count, significant
from understudy.mechanisms.plausible_traces.attempts import Seeds
from understudy.mechanisms.plausible_traces.city_shares import CITY
from understudy.mechanisms.plausible_traces.forecast import expected, shares_of
from understudy.mechanisms.plausible_traces.keys import Keeps
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.mechanisms.plausible_traces.promise import Promise
from understudy.models.mobility.law import Law


def foreseen(plan: PlausiblePlan, made: Promise, keeps: Keeps | None = None) -> float:
    """Return how many days come out on average where people live as in the simulated city. Public.

    Args:
        plan: the settings.
        made: what they come to.
        keeps: what is kept; None for what the plan says.
    """
    shares = np.array(CITY[keeps or plan.keeps])
    return expected(shares, plan.likely_seeds, made.decision, plan.attempts)


def foreseen_of(plan: PlausiblePlan, made: Promise, law: Law, keeps: Keeps | None = None) -> float:
    """Return how many days come out on average where people live by a law that was fitted to noisy
    tables. As public as those are."""
    shares = shares_of(law, keeps or plan.keeps)
    return expected(shares, plan.likely_seeds, made.decision, plan.attempts)


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
        f"simulated city: {significant(foreseen(plan, made), 3)}."
    )
