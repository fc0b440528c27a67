"""What a plan promises, in sentences a board member understands."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import read_of
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, Strength, strength
from understudy.table.people import People
from understudy_dashboard import words


def meaning(
    total: Budget,
    records_per_person: int | None = 1,
    neighbours: Neighbours = Neighbours.TABLES,
    of: wording.Reading = wording.THIS_TABLE,
) -> str:
    """Return what a total says: what a board asks first, how much that is, and ε and δ."""
    if not total.bounded:
        return AMOUNTS_TO[Strength.NONE]
    return words.unbroken(wording.promise(total, records_per_person, neighbours, of))


def promised(decided: PlannedRun) -> str:
    """Return what a total says, of all that a plan releases."""
    found, of = decided.guarantee, read_of(decided.outputs)
    return meaning(found.total, found.records_told, found.neighbours, of)


def in_paragraphs(statement: str) -> str:
    """Return a statement with what ε and δ mean in a paragraph of its own, after what a board
    asks."""
    return statement.replace(f" {_FORMALLY}", f"\n\n{_FORMALLY}", 1)


_FORMALLY: Final = "The probability of any conclusion"


def of_population(population: Budget | None) -> str | None:
    """Return what is promised to members of a population; None where the table is no sample of
    one."""
    if population is None:
        return None
    return (
        f"As the table is a secret sample, {words.budget(population)} between populations, "
        "for those who do not know whom it took in. That says nothing about who is in the table."
    )


def between(found: Guarantee) -> str:
    """Between which tables a total holds, as a sentence."""
    return f"It compares {found.compared}."


def large(total: Budget, advice: str = "Spend less.") -> str | None:
    """Return what to say, and advise, where a total promises next to nothing.

    Args:
        total: it.
        advice: where it is the ε that is too large.
    """
    if not total.bounded or strength(total) is not Strength.VERY_WEAK:
        return None
    if strength(Budget(total.epsilon)) is not Strength.VERY_WEAK:
        return (
            f"With δ = {words.delta(total.delta)}, next to nothing is promised to any one person, "
            "whatever ε is: a release that shows more than ε by itself allows is not unlikely. "
            "Choose a smaller δ, such as 1e-9."
        )
    return (
        f"With ε = {words.epsilon(total.epsilon)} in all, next to nothing is promised to any one "
        "person: the release allows conclusions about them that would be all but impossible "
        "without their record. " + advice
    )


def per_person(people: People) -> str:
    """Return that the records of a person are not asked, as the schema says how many are kept."""
    most = words.count(people.records_at_most, "row")
    return (
        f"One person counts with {most} at most, as the Data page says, and the promise is for all "
        "of them together."
    )
