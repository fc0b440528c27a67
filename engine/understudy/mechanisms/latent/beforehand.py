"""What a latent model expects of itself before anything is spent."""

from __future__ import annotations

from typing import Final

from understudy.core.numerals import percent, significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.beforehand import Foreseen, Known
from understudy.mechanisms.latent.guarantee import Promise, guarantee
from understudy.mechanisms.latent.mechanism import MECHANISM
from understudy.mechanisms.latent.models import Question
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.latent.seen import SHARES, USUAL, smallest
from understudy.models.latent.features import Features
from understudy.models.latent.foreseen import foreseen as by_noise
from understudy.table.schema import Schema

_HIDDEN: Final = "noise on sums would hide every relation between two columns"
_ON_TOP: Final = "What a few hidden numbers cannot express comes on top."


def foreseen(schema: Schema, known: Known) -> Foreseen:
    """By the plan that a custodian begins with, under this (ε, δ)."""
    try:
        plan = LatentPlan.read({**MECHANISM.default_plan(schema).model_dump(), **_spending(known)})
        made = guarantee(plan, schema)
    except Refusal as refusal:
        return Foreseen(
            makes="nothing",
            said="",
            nothing=_HIDDEN if refusal.field == "epsilon" else _begun(refusal.problem),
            remedy=refusal.remedy,
        )
    asked = Question.of(plan, schema, made.account_as(Promise).budget)
    found = by_noise(
        Features.of(schema),
        tuple(map(int, schema.cardinalities)),
        asked.deviation,
        (1 - plan.held_out) * known.records,
        known.rows,
    )
    return Foreseen(
        makes="any number of rows",
        said=f"{_seen(plan, schema)} {_ON_TOP}",
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


def _seen(plan: LatentPlan, schema: Schema) -> str:
    """From which correlation on two flags are seen to go together; of numbers, that all pairs are
    measured."""
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


def _begun(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")
