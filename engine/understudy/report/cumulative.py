"""The total guarantee of all releases from the same records, in sentences.

The statement of a run is made from its plan alone, and counts that run alone. A packet is made
later and knows from the ledger of all runs. Wherever it says how much one release may tell a
reader, it says the same of all of them together.
"""

from __future__ import annotations

from understudy.core import numerals
from understudy.privacy import wording
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, strength
from understudy.report.ledger_extract import LedgerExtract

ALONE = "The ledger knows no other run on these data."


def cumulative_sentences(extract: LedgerExtract) -> str | None:
    """Return how much all releases from the same records may tell a reader; None for the only
    one."""
    if extract.runs == 1:
        return None
    runs = f"The ledger knows {numerals.count(extract.runs - 1, 'other run')} on the same data."
    if extract.unpromised:
        verb = "promise" if extract.unpromised > 1 else "promises"
        return (
            f"{runs} Nothing bounds what all of them together show, as {extract.unpromised:,} of "
            f"the {extract.runs:,} {verb} nothing."
        )
    if not extract.spent.bounded:
        return (
            f"{runs} Nothing bounds what all of them together show, as their sum promises nothing "
            "to a person who has so many records."
        )
    return (
        f"{runs} All {extract.runs:,} together come to "
        f"{spell_budget(extract.spent)}{_between(extract)}. For somebody who reads what "
        "all of them released, this stands in place of what is said of this table "
        f"alone: {_belief(extract)} "
        f"{AMOUNTS_TO[strength(extract.spent)]}"
    )


def _belief(extract: LedgerExtract) -> str:
    return wording.belief_sentence(
        extract.spent, of=wording.ALL_RELEASES, neighbours=extract.neighbours
    )


def _between(extract: LedgerExtract) -> str:
    """Between which tables, where those are not the usual ones."""
    if extract.neighbours is Neighbours.TABLES:
        return ""
    return f" between {extract.neighbours.compared(1)}"


def spell_budget(budget: Budget) -> str:
    """Return an (ε, δ) in words, rounded up."""
    if not budget.bounded:
        return "more than any ε"
    return f"ε = {numerals.epsilon(budget.epsilon)}, δ = {numerals.delta(budget.delta)}"
