"""The settings of a plan of scored candidates: their kinds from the plan, their words from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from engine.mechanisms.derived import derived
from engine.mechanisms.fields import Table, Words
from engine.mechanisms.kinds import Choice
from engine.mechanisms.scored.plan import ScoredPlan
from engine.mechanisms.scored.proposers import OWN, installed

_WORDS: Final[Mapping[str, Words]] = {
    "proposer": Words(
        "Proposer",
        "What makes a candidate of each seed, and says how likely every other makes it.",
        "**Redrawn** keeps each column of a seed or draws it afresh, by a coin of its own. "
        "**Projected** is for numbers: it moves a seed along a few directions in which the table "
        "varies. Others are of packages that are installed, on their own word.",
    ),
    "numbers": Words(
        "Settings of the proposer",
        "By name; what is left out is as usual.",
        'Of redrawn: `{"redrawn": 0.5}`, the chance that a column is drawn afresh. Of projected: '
        '`{"directions": 2, "public": 0, "disturbed": 0.5, "redrawn": 0.5}`, how many directions, '
        "whether they are public (1) or learned (0), how strong the noise is beside what a "
        "coordinate varies by, and the chance that a category is drawn afresh.",
    ),
    "epsilon": Words(
        "ε of the proposer",
        "What learning the proposer may spend.",
        "It is learned from other records than the seeds, so the larger of this and what the "
        "attempts cost counts, not the sum.",
    ),
    "attempts": Words(
        "Attempts",
        "How many candidates are made, fixed before the run.",
        "Only those that pass the test are released. Every attempt adds to the total, whether it "
        "passes or not.",
    ),
    "delta": Words("δ", "The δ of the total, which every part stays within."),
    "records_per_person": Words(
        "Records per person", "The most records that one person may have in the table."
    ),
    "seeds_at_least": Words(
        "Seeds counted on",
        "How many seed records there are at least.",
        "The more there are for certain, the less each attempt costs.",
    ),
    "public_records": Words(
        "Records publicly known",
        "How many records everybody may know the table to have at least.",
        "As confirmed by you, whoever of its people is taken out.",
    ),
    "seeds": Words(
        "Share of the seeds",
        "The chance that a record is a seed.",
        "The proposer is learned from records that are neither seeds nor held out.",
    ),
    "held_out": Words("Share held out", "The chance that a record is only compared with."),
}


def fields() -> Table:
    """A field for each setting; the proposers are those that are there."""
    proposers = Choice({name: name for name in (*OWN, *installed())})
    kinds = {"proposer": proposers}
    found = derived(ScoredPlan)
    told = (
        replace(
            each,
            words=_WORDS.get(each.name, each.words),
            kind=kinds.get(each.name, each.kind),
        )
        for each in found
    )
    return Table(tuple(told), found.derived)
