"""What a whole table from the best model expects of itself before anything is spent."""

from __future__ import annotations

from typing import Final

from understudy.core.numerals import count
from understudy.mechanisms.beforehand import Foreseen, Known
from understudy.mechanisms.seedbased.foresight import unrelated_columns
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.proposal import Proposal, Wanted, whole_table
from understudy.table.schema import Schema

NOISE_ALONE: Final = 0.5
"""Where noise and chance put a typical column so far off, nothing of it is kept."""


def foreseen(schema: Schema, known: Known) -> Foreseen | None:
    """By the plan that the planner proposes for a whole table, under this (ε, δ); None where its
    model is another's."""
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
        makes=f"any number of rows, by {_named(proposal)}",
        said=f"{said} {lost}".strip(),
        column=found.column_at_most if found.sure else None,
        pair=found.pair_at_most if found.sure and found.counted else None,
        pairs=found.counted,
    )


def _named(proposal: Proposal) -> str:
    """Return the model, as part of a sentence."""
    model = MODELS[proposal.plan.model.kind].title
    return f"the {model}" if proposal.plan.model.about.relates else model
