"""A guarantee in sentences; what ε and δ mean stands in `understudy.privacy.budget`.

δ is *added*: Pr{S} ≤ e^ε·Pr′{S} + δ for every set S of outcomes. It is not the probability of an
outcome that is more than e^ε times likelier in one case than in the other. That probability is δ
for the pair of distributions that attains (ε, δ), and can be 57·δ and more for others. For single
outcomes there is the bound on beliefs, which is stated with its probability of failing
(`understudy.privacy.strength`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from understudy.core import numerals
from understudy.core.numerals import round_up
from understudy.privacy.budget import EPSILON_IN_SHORT, Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, PRIOR, Belief, belief, strength

_CERTAIN: Final = 0.9995
_MANY_DIGITS: Final = 14


def _at(epsilon: float) -> str:
    found = belief(PRIOR, Budget(epsilon), "value")
    return (
        "all but certain" if says_nothing(found) else f"{round_up(100 * found.at_most, 2)} % likely"
    )


def says_nothing(found: Belief) -> bool:
    """Return whether a belief may become all but certain, so that the bound on it says nothing."""
    return found.failing >= 1 or found.at_most > _CERTAIN


EPSILON: Final = (
    f"{EPSILON_IN_SHORT} Except for a small chance, a fact about somebody that was thought 10 % "
    f"likely may become, through their records, no more than {_at(0.5)} at ε = 0.5, {_at(1)} at "
    f"1, {_at(2)} at 2, and {_at(5)} at 5."
)
"""What ε is, and what it does to a belief."""


@dataclass(frozen=True)
class WordedPromise:
    """What somebody reads, as parts of a sentence.

    Attributes:
        read: as the object of “reading”.
        shows: with its verb, as in “the table shows”.
    """

    read: str
    shows: str

    @property
    def in_general(self) -> str:
        """The sentence about people in general, which no guarantee hides, nor should."""
        return (
            f"What {self.shows} of people in general may be learned, and applied to anybody, all "
            "the same."
        )


THIS_TABLE: Final = WordedPromise("this table", "the table shows")
THIS_RELEASE: Final = WordedPromise("what is released", "the release shows")
ALL_RELEASES: Final = WordedPromise("all that was released", "the releases show")


def belief_sentence(
    total: Budget,
    prior: float = PRIOR,
    of: WordedPromise = THIS_TABLE,
    neighbours: Neighbours = Neighbours.TABLES,
) -> str:
    """Return the bound on what somebody may come to believe about one person.

    Args:
        total: of the whole release, between tables that differ by the records of one person.
        prior: how likely they held it to be before.
        of: what is read.
        neighbours: how those tables differ.
    """
    if neighbours is Neighbours.REPLACEMENTS:
        return _describe_replaced(total, prior, of)
    presence, value = belief(prior, total), belief(prior, total, "value")
    before = _percent(prior)
    if says_nothing(presence):
        return (
            f"Reading {of.read} may make somebody all but certain whether a certain person is in "
            "the data, and of facts that stand there about them, whatever they believed before."
        )
    said = (
        f"Somebody who thinks it {before} likely that a certain person is in the data cannot come "
        f"to think it more than {at_most_in_words(presence)} likely by reading {of.read}, whatever "
        f"else they know.{_of_facts(value, before)}"
    )
    return f"{said}{chance_sentence(presence, value)} {of.in_general}"


@dataclass(frozen=True)
class Headline:
    """A total in one line, for somebody who reads nothing else.

    Attributes:
        before, after: a belief about one person before reading, and at most after it.
        said: what that means, with the probability that the bounds fail.
    """

    before: str
    after: str
    said: str


def headline(
    total: Budget,
    of: WordedPromise = THIS_TABLE,
    neighbours: Neighbours = Neighbours.TABLES,
    prior: float = PRIOR,
) -> Headline | None:
    """Return how far a release can move a belief about one person, in one line.

    Args:
        total: of the whole release, between tables that differ by the records of one person.
        of: what is read.
        neighbours: how those tables differ.
        prior: how likely it was held to be before.

    Returns:
        None where a belief may become all but certain.
    """
    replaced = neighbours is Neighbours.REPLACEMENTS
    found = belief(prior, total, "replaced" if replaced else "presence")
    if not total.bounded or says_nothing(found):
        return None
    before, after = _percent(prior), at_most_in_words(found)
    what, through = (
        ("a certain fact stands in the record of a certain person", ", through that record,")
        if replaced
        else ("a certain person is in the data", "")
    )
    said = (
        f"Somebody who thinks it {before} likely that {what} will think it{through} at most "
        f"{after} likely after reading {of.read}."
    )
    if replaced:
        return Headline(before, after, f"{said}{chance_sentence(found)}")
    fact = belief(prior, total, "value")
    said += _of_facts(fact, before) + chance_sentence(found, fact)
    return Headline(before, after, said)


def _of_facts(found: Belief, before: str) -> str:
    if says_nothing(found):
        return " Of facts in that person’s record they may become all but certain."
    return (
        f" A fact in that person’s record, thought {before} likely, becomes at most "
        f"{at_most_in_words(found)} likely through that record."
    )


def in_short(
    total: Budget, prior: float = PRIOR, neighbours: Neighbours = Neighbours.TABLES
) -> str:
    """Return the bound on a belief that a certain person is in the data, or of a fact in their
    record, and how much that is, for a choice between totals of tables that differ by the records
    of one person."""
    if neighbours is Neighbours.REPLACEMENTS:
        said = headline(total, THIS_RELEASE, neighbours, prior)
        much = AMOUNTS_TO[strength(total)]
        return much if said is None else f"{said.said} {much}"
    presence, fact = belief(prior, total), belief(prior, total, "value")
    if says_nothing(presence):
        return AMOUNTS_TO[strength(total)]
    return (
        f"Somebody who thinks it {_percent(prior)} likely that a certain person is in the table "
        f"will think it at most {at_most_in_words(presence)} likely afterwards. "
        f"{AMOUNTS_TO[strength(total)]}{chance_sentence(presence, fact)}"
    )


def _describe_replaced(total: Budget, prior: float, of: WordedPromise) -> str:
    """Return the same where records are replaced: about what stands there, and not who is in it."""
    found, before = belief(prior, total, "replaced"), _percent(prior)
    if says_nothing(found):
        return (
            f"Reading {of.read} may make somebody all but certain of facts that stand there about "
            f"a certain person, whatever they believed before. {_WHO}"
        )
    said = (
        f"Somebody who thinks it {before} likely that a certain fact stands in the record of a "
        f"certain person cannot come to think it more than {at_most_in_words(found)} likely "
        f"through that record by reading {of.read}, whatever else they know."
    )
    return f"{said}{chance_sentence(found)} {_WHO} {of.in_general}"


_WHO: Final = "Who is in the data, and how many records there are, is not hidden by this."


def membership_sentence(population: Budget, prior: float = PRIOR) -> str:
    """Return the bound on what somebody may come to believe about membership in the population.

    Args:
        population: the figure between populations that differ by one member.
        prior: how likely they held it to be before.
    """
    found = belief(prior, population)
    if says_nothing(found):
        return "They may become all but certain that a certain person is a member of it."
    return (
        f"If they think it {_percent(prior)} likely that a certain person is a member of it, they "
        f"cannot come to think it more than {at_most_in_words(found)} likely."
        f"{chance_sentence(found)}"
    )


def guarantee_sentence(
    total: Budget,
    records_per_person: int | None = 1,
    neighbours: Neighbours = Neighbours.TABLES,
    of: WordedPromise = THIS_TABLE,
) -> str:
    """Return ε and δ in a sentence.

    Args:
        total: of the whole release, between tables that differ by the records of one person.
        records_per_person: the most records of one person; None for any number.
        neighbours: how those tables differ.
        of: what is read.
    """
    said = _probability(total, of)
    if neighbours is Neighbours.REPLACEMENTS:
        which = "any one record" if records_per_person == 1 else _of_one(records_per_person)
        return f"{said}, had {which} said something else; {_BACK}"
    return f"{said}, had {_absent(records_per_person)} been in the data; {_BACK}"


def promise_sentence(
    total: Budget,
    records_per_person: int | None = 1,
    neighbours: Neighbours = Neighbours.TABLES,
    of: WordedPromise = THIS_TABLE,
) -> str:
    """Return what a bounded total promises: what a board asks first, how much that is, and ε and δ.

    Args:
        total: of the whole release, between tables that differ by the records of one person.
        records_per_person: the most records of one person; None for any number.
        neighbours: how those tables differ.
        of: what is read.
    """
    return " ".join(
        (
            belief_sentence(total, of=of, neighbours=neighbours),
            AMOUNTS_TO[strength(total)],
            guarantee_sentence(total, records_per_person, neighbours, of),
        )
    )


def population_sentence(population: Budget) -> str:
    """Return the guarantee between populations in a sentence."""
    said = _probability(population, THIS_TABLE)
    return (
        "For somebody who does not know whom the table took in, "
        f"{said[:1].lower()}{said[1:]}, were any one person not a member of it; {_BACK}"
    )


_BACK: Final = "and the other way round."


def _probability(total: Budget, of: WordedPromise) -> str:
    added = "" if total.delta == 0 else f", plus δ = {numerals.delta(total.delta)}"
    return (
        f"The probability of any conclusion drawn from {of.read} is at most "
        f"{factor_in_words(total.epsilon)} times what it would be{added}"
    )


def _absent(records_per_person: int | None) -> str:
    return (
        "any one record not"
        if records_per_person == 1
        else f"none of {_of_one(records_per_person)}"
    )


def _of_one(records_per_person: int | None) -> str:
    if records_per_person is None:
        return "the records of any one person"
    return f"the records of any one person, up to {records_per_person:,} of them,"


def factor_in_words(epsilon: float) -> str:
    """Return e^ε with its value, or with the number of its digits; never understated."""
    power = f"e^{numerals.epsilon(epsilon)}"
    if epsilon > _MANY_DIGITS:
        return f"{power}, a number with {math.floor(epsilon / math.log(10)) + 1:,} digits,"
    return f"{power} (about {round_up(math.exp(epsilon))})"


def at_most_in_words(found: Belief) -> str:
    """Return the upper bound on a belief, in per cent; never understated."""
    return f"{round_up(100 * found.at_most, 3)} %"


def _percent(share: float) -> str:
    return numerals.percent(share).replace(numerals.FIXED, " ")


def chance_sentence(*found: Belief) -> str:
    """Return the probability that a bound on these beliefs fails, as a sentence to add; “” where it
    is 0 or no belief is bounded."""
    chance = _likeliest(found)
    if chance is None:
        return ""
    return f" The chance of a release that moves a belief further is at most {chance}."


def _likeliest(found: tuple[Belief, ...]) -> str | None:
    likeliest = max((each.failing for each in found if not says_nothing(each)), default=0.0)
    return numerals.one_in(likeliest) if likeliest > 0 else None
