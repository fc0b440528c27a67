"""Expected utility of scored candidates, and the tables that they suit.

No plan of this method can do better: k is at most the number of seeds that are certain, and the
cost of an attempt at that k is the least over every setting of both tests. A
model from noisy second moments is nothing but noise where their noise is larger than any relation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from understudy.core.numerals import count, epsilon
from understudy.mechanisms.expected_utility import (
    Foreseen,
    Known,
    Recommendation,
    SchemaShape,
    Suit,
)
from understudy.mechanisms.mobility_plan import tells_of_days
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.proposers import ONES
from understudy.models.latent.features import S
from understudy.models.latent.foreseen import records_for_relations
from understudy.models.latent.moments import entries
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.accounting.unit_counts import (
    MISS_SHARE,
    first_true,
    records_needed,
    seeds_from_records,
)
from understudy.privacy.budget import Budget
from understudy.privacy.planning.search import FEWEST, Reach, for_a_record, seeds_for_one
from understudy.table.schema import Schema

_A_TENTH: Final = 10
"""What is said of a k that so many times fewer seeds reach than there are."""
_SHARE: Final = float(ScoredPlan.model_fields["seeds"].default)
_LEARNED: Final = 1 - _SHARE - float(ScoredPlan.model_fields["held_out"].default)
"""The shares of records that become seeds, and that a proposer is learned from."""


@dataclass(frozen=True)
class Outlook:
    """What can be made of so many records.

    Attributes:
        known: what is publicly known, and may be spent.
        reach: the seeds that are certain, at the usual share of them.
    """

    known: Known
    reach: Reach

    @classmethod
    def of(cls, known: Known) -> Outlook:
        """Return that of a table of which this is known."""
        each = for_a_record(Budget(known.epsilon, known.delta), known.records_per_person)
        seeds = (
            0
            if each is None
            else seeds_from_records(known.records, _SHARE, MISS_SHARE * each.delta)
        )
        return cls(known, Reach(seeds, known.records_per_person, (1 - MISS_SHARE) * known.delta))

    @property
    def attempts(self) -> int:
        """How many attempts are paid for where every seed could have made each candidate."""
        return self.reach.most_attempts(self.known.epsilon, self.reach.seeds)

    @property
    def attempts_at_a_tenth(self) -> int:
        """The same where one seed in ten could have."""
        return self.reach.most_attempts(self.known.epsilon, self.reach.seeds // _A_TENTH)

    def records_for_one(self) -> int | None:
        """Return how many records one attempt needs; None where no table has so many."""
        known = self.known
        each = for_a_record(Budget(known.epsilon, known.delta), known.records_per_person)
        delta = self.reach.delta
        seeds = seeds_for_one(known.epsilon, delta, known.records_per_person)
        if each is None or seeds is None:
            return None
        return records_needed(seeds, _SHARE, MISS_SHARE * each.delta)

    def fewest_a_person(self) -> int | None:
        """Return the most records of one person with which one attempt is paid for; None for
        none."""

        def too_many(records: int) -> bool:
            return not Outlook.of(Known(**{**vars(self.known), "records_per_person": records})
                                  ).attempts  # fmt: skip

        return first_true(too_many, 1, 1) - 1 or None


def foreseen(schema: Schema, known: Known) -> Foreseen | None:
    """Foresee for any proposer; nothing of people's days on a map."""
    if tells_of_days(schema):
        return None
    found = Outlook.of(known)
    if not found.attempts:
        return Foreseen(
            makes="nothing",
            said="",
            nothing=_nothing(found),
            remedy=_remedy(found),
            enough=found.records_for_one(),
        )
    return Foreseen(
        makes=f"up to {count(found.attempts, 'record')}", said=_describe_outlook(found, schema)
    )


def _nothing(found: Outlook) -> str:
    seeds, least = found.reach.seeds, found.reach.least_epsilon()
    if seeds < FEWEST:
        return "not even two records are certain to become seeds that candidates are tested against"
    return (
        f"a single candidate that is tested, even if all of the {count(seeds, 'seed')} that "
        f"are certain could have made it, costs a person ε = {epsilon(least)} at least, whatever "
        "the settings"
    )


def _remedy(found: Outlook) -> str:
    ways = []
    needed, own = found.records_for_one(), found.fewest_a_person()
    if needed is not None:
        ways.append(f"{needed:,} records or more")
    if own is not None and own < found.known.records_per_person:
        ways.append(f"at most {count(own, 'record')} of one person")
    least = found.reach.least_epsilon()
    if found.known.epsilon < least < 100:
        ways.append(f"a little more than ε = {epsilon(least)}")
    if not ways:
        return "Records of more people are needed."
    return f"One attempt takes {', or '.join(ways)}."


def _describe_outlook(found: Outlook, schema: Schema) -> str:
    seeds, tenth = found.reach.seeds, found.attempts_at_a_tenth
    begun = (
        f"{count(seeds, 'seed')} are certain. At most {count(found.attempts, 'attempt')} can be "
        "made, where all of them could have made each candidate"
    )
    if not tenth:
        return f"{begun}; where one in ten could have, none."
    said = f"{begun}; where one in ten could have, {tenth:,}."
    if not _is_drowned(found, schema):
        return said
    return (
        f"{said} Directions learned from so few records would follow noise alone, so choose public "
        "ones, or the proposer redrawn."
    )


def _is_drowned(found: Outlook, schema: Schema) -> bool:
    """Return whether noise on second moments hides every relation, where proposers learn from
    them."""
    shape = SchemaShape.of(schema)
    if not shape.numbers and shape.others:
        return False
    budget = Budget(found.known.epsilon / found.known.records_per_person, found.known.delta)
    most = shape.numbers or min(int(ONES.usual), shape.flags)
    many = entries(most)
    deviation = Allowance.of(budget, many).scale(S**2 * many, S**2 * math.sqrt(many))
    return records_for_relations(deviation) > _LEARNED * found.known.records


def suits(schema: Schema) -> Suit | None:
    """Suit numbers, or flags alone, of which a few directions tell most; never as the one to begin
    with. Of people's days on a map, return None."""
    if tells_of_days(schema):
        return None
    shape = SchemaShape.of(schema)
    if not shape.others and not shape.numbers:
        return Suit(
            Recommendation.POSSIBLE,
            "Its proposer Latent noise makes rows near those of a group that differs from the "
            "rest, where its few directions hold what sets the group apart; other than that, a "
            "model of the whole table is closer.",
        )
    if not shape.numbers:
        return None
    return Suit(
        Recommendation.POSSIBLE,
        "Its proposer Projected makes a few hundred records near real ones, as of a group that "
        "differs from the rest: numbers are disturbed along the directions in which the table "
        "varies, and what those directions do not tell of the group is lost.",
    )
