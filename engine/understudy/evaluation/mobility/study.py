"""The input of measures of days: tables of as many people, each with as many days."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import IntArray
from understudy.evaluation.intervals import BLOCKS, deal
from understudy.evaluation.mobility.seen import Seen, first_days, people_of
from understudy.evaluation.study import Role, StudyOf


@dataclass(frozen=True, eq=False)
class DaysTable:
    """People's days that are measured.

    Attributes:
        name: to a reader.
        role: as of `Table`; a uniform model stands where marginals do.
        seen: the days.
    """

    name: str
    role: Role
    seen: Seen

    def __len__(self) -> int:
        """Return how many people there are."""
        return len(self.seen)


@dataclass(frozen=True, eq=False)
class DaysStudy(StudyOf[DaysTable, Seen]):
    """Everything that a measure of days may use. Confidential.

    Attributes:
        members: real people that the release was made from, as many days of each.
    """

    members: Seen

    def blocks(self, name: str, people: int, blocks: int = BLOCKS) -> IntArray:
        """(people,) the block that each person of a table is left out with."""
        return self.once(
            f"blocks {name} {blocks}", lambda: deal(people, self.random(f"blocks {name}"), blocks)
        )


def common_length(real: IntArray, made: int) -> int:
    """Return how many days are compared: no more than made people have, nor than half of the real
    ones.

    What is counted of a person, such as places, grows with the days, so all have equally many.

    Args:
        real: (people,) how many days each has, one or more people.
        made: of a made person.
    """
    half = -np.sort(-real)[(len(real) - 1) // 2]
    return int(min(made, half))


def cut_people(seen: Seen, length: int, most: int, random: np.random.Generator) -> Seen:
    """Return the first days of people who have as many, and of no more than so many people, chosen
    without replacement."""
    found = first_days(seen, length)
    if len(found) <= most:
        return found
    return people_of(found, random.choice(len(found), most, replace=False))
