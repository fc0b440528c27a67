"""Expected utility of a latent model, and the tables that it suits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from understudy.core.numerals import percent, significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.expected_utility import (
    Foreseen,
    Known,
    Recommendation,
    SchemaShape,
    Suit,
)
from understudy.mechanisms.latent.guarantee import Promise, guarantee
from understudy.mechanisms.latent.mechanism import MECHANISM
from understudy.mechanisms.latent.models import SumsQuery
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.models.latent.factors import STRAYS
from understudy.models.latent.features import Features, S
from understudy.models.latent.foreseen import foresee_rows
from understudy.privacy.accounting.guarantee import record_delta
from understudy.privacy.budget import Budget
from understudy.table.pictures.picture_schema import are_pictures
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
    noise = SumsQuery.of(plan, schema, budget).deviation / S**2 / records
    found = {}
    for name, share in SHARES.items():
        variance = share * (1 - share)
        spread = math.sqrt(noise**2 * (1 + 2 * share**2) + variance**2 / records)
        found[name] = STRAYS * spread / variance
    return found


_HIDDEN: Final = "noise on sums would hide every relation between two columns"
_ON_TOP: Final = "What a few hidden numbers cannot express comes on top."


def foreseen(schema: Schema, known: Known) -> Foreseen:
    """Foresee by the plan that a custodian begins with, under this (ε, δ)."""
    try:
        plan = LatentPlan.read({**MECHANISM.default_plan(schema).model_dump(), **_spending(known)})
        made = guarantee(plan, schema)
    except Refusal as refusal:
        return Foreseen(
            makes="nothing",
            said="",
            nothing=_HIDDEN if refusal.field == "epsilon" else _lower_first(refusal.problem),
            remedy=refusal.remedy,
        )
    asked = SumsQuery.of(plan, schema, made.account_as(Promise).budget)
    found = foresee_rows(
        Features.of(schema),
        tuple(map(int, schema.cardinalities)),
        asked.deviation,
        (1 - plan.held_out) * known.records,
        known.rows,
    )
    return Foreseen(
        makes="any number of rows",
        said=f"{_describe_seen(plan, schema)} {_ON_TOP}",
        pairs=found.counted,
    )


def _spending(known: Known) -> dict[str, float]:
    """Return the settings of a plan that spends so much on a person."""
    return {
        "epsilon": known.epsilon / known.records_per_person,
        "delta": known.delta,
        "records_per_person": known.records_per_person,
        "public_records": known.records,
    }


def _describe_seen(plan: LatentPlan, schema: Schema) -> str:
    """Say from which correlation on two flags are seen to go together; of numbers, that all pairs
    are measured."""
    if not Features.of(schema).flags:
        return "All pairs of numbers are measured at once."
    name = next(each for each, share in SHARES.items() if share == USUAL)
    least = smallest(plan, schema, plan.epsilon)[name]
    if least >= 1:
        return f"Of two flags that {percent(USUAL)} of records have, no relation can be told."
    return (
        "All pairs are measured at once, and of two flags that "
        f"{percent(USUAL)} of records have a relation is kept from a correlation of "
        f"{significant(least, 2)} on."
    )


def _lower_first(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


_SOME: Final = 50
_MANY: Final = 100
"""Flags: below the first the calibrated model counts the pairs and is closer; from the second on
sums of products, which cost the same for every pair, tell more."""


def suits(schema: Schema) -> Suit | None:
    """Recommend it to begin with for a hundred flags or more, and no category beside them. A flag
    for each code of a column is not what it is for: the codes exclude one another."""
    shape = SchemaShape.of(schema)
    if shape.others and not are_pictures(schema):
        return None
    if shape.flags >= _MANY:
        return Suit(
            Recommendation.BEST,
            f"Of {shape.flags:,} columns of two values it measures all pairs at once, and keeps "
            "those that stand out of the noise. It is for tables in which most records are yes in "
            "few of the columns: how many are counted of a record is set beforehand.",
        )
    if shape.flags >= _SOME:
        return Suit(
            Recommendation.GOOD,
            f"Of {shape.flags:,} columns of two values it measures all pairs at once, where a "
            "model that counts pairs has to choose among them.",
        )
    return Suit(
        Recommendation.POSSIBLE,
        "It measures how all columns vary together, and keeps what a few directions tell. Up to "
        "about 50 columns a model that counts pairs is closer.",
    )
