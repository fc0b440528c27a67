"""Expected utility of seedbased synthesis: losses, time, and the tables that it suits."""

from __future__ import annotations

from typing import Final

from understudy.core.numerals import count
from understudy.evaluation.excess import Stakes, stakes_foreseen
from understudy.mechanisms.expected_utility import (
    Foreseen,
    Known,
    Recommendation,
    SchemaShape,
    Suit,
)
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.mobility_plan import tells_of_days
from understudy.mechanisms.seedbased.foresight import (
    foresee_run,
    known_records,
    learning_time,
    unrelated_columns,
)
from understudy.mechanisms.seedbased.model_fit import promised_terms
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.proposal import Proposal, Wanted, whole_table
from understudy.table.schema import Schema


def stakes_of(decided: PlannedRun[Plan]) -> Stakes | None:
    """Foresee how much of what there is to keep a run's table will lose, from public numbers.

    A method's `stakes_of` is found by its name (`understudy.mechanisms.expected_utility`).

    Returns:
        None where the number of records is not public, and for a model of another's.
    """
    ahead = foresee_run(decided)
    return None if ahead is None else stakes_foreseen(ahead)


NOISE_ALONE: Final = 0.5
"""Where noise and chance put a typical column so far off, nothing of it is kept."""


def foreseen(schema: Schema, known: Known) -> Foreseen | None:
    """Foresee by the plan that the planner proposes for a whole table, under this (ε, δ); None
    where its model is another's."""
    proposal = whole_table(
        schema,
        Wanted(
            epsilon=known.epsilon,
            delta=known.delta,
            rows=known.rows,
            records=known.records,
            records_per_person=known.records_per_person,
        ),
    )
    found = proposal.predicted
    if found is None:
        return None
    if found.typical_column > NOISE_ALONE:
        return Foreseen(
            makes="nothing",
            said="",
            nothing="noise would leave nothing of a single column",
            remedy="A larger ε, more records, or fewer values in a column would leave some.",
        )
    pairs = len(schema) * (len(schema) - 1) // 2
    said = (
        f"It can count {found.counted:,} of {count(pairs, 'pair')} of columns, and counts those "
        "that are strong enough."
        if proposal.plan.model.about.relates
        else "So few records at this ε leave noise no room for pairs: relations between columns "
        "are lost."
    )
    lost = unrelated_columns(found, proposal.plan, schema)
    return Foreseen(
        makes=f"any number of rows, by {_name_model(proposal)}",
        said=f"{said} {lost}".strip(),
        column=found.column_at_most if found.sure else None,
        pair=found.pair_at_most if found.sure and found.counted else None,
        pairs=found.counted,
    )


def _name_model(proposal: Proposal) -> str:
    """Return the model, as part of a sentence."""
    model = MODELS[proposal.plan.model.kind].title
    return f"the {model}" if proposal.plan.model.about.relates else model


_FEW: Final = 50
"""Up to so many flags the calibrated model counts enough pairs at ε = 1."""


_MANY: Final = 100
"""From so many on it hardly counts any."""


def suits(schema: Schema) -> Suit | None:
    """Recommend it to begin with if there are categories or up to about 50 columns. Of more flags
    it counts ever fewer pairs; of people's days on a map, return None."""
    if tells_of_days(schema):
        return None
    shape = SchemaShape.of(schema)
    if shape.others or shape.columns <= _FEW:
        return Suit(
            Recommendation.BEST,
            "Its calibrated model is the closest that was measured here for a table with "
            "categories, or of up to about 50 columns.",
        )
    if shape.flags < _MANY:
        return Suit(
            Recommendation.GOOD,
            "Its calibrated model counts pairs of columns. The more columns there are, the smaller "
            "is the part of them that it can count.",
        )
    return Suit(
        Recommendation.POSSIBLE,
        f"Of {shape.flags:,} columns of two values its calibrated model can count hardly any pair "
        "unless there are very many records, so what they have to do with one another is lost.",
    )


def seconds(decided: PlannedRun[Plan]) -> float | None:
    """Return about how many seconds a plan takes; None for a model of another's, of which nothing
    is known beforehand."""
    plan, made = decided.plan, decided.guarantee.account_as(Promise)
    terms = promised_terms(plan, decided.schema, made)
    records = known_records(plan, made, None)
    found = plan.model.learner.foreseen(terms, records, plan.attempts)
    return None if found is None else learning_time(plan, decided.schema, made, found, records)
