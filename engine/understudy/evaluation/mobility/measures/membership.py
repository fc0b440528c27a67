"""Membership inference: telling people who were counted from others by means of made days."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.evaluation.finding import Measured
from understudy.evaluation.measure import About
from understudy.evaluation.measures.membership import attack, better_attack
from understudy.evaluation.mobility.measures.reidentification import peers
from understudy.evaluation.mobility.seen import Seen
from understudy.evaluation.mobility.study import DaysStudy
from understudy.evaluation.nearest import surroundings

NEAREST, AROUND = "nearest day", "days around"
"""The two attacks: by the distances to the nearest day, and by how many days are near."""

PEOPLE: Final = 500
DAYS_EACH: Final = 4
MOST_DAYS: Final = 10_000


@dataclass(frozen=True)
class Membership:
    """The advantage 2a − 1 of the better of two attacks.

    An attack gives each real person a score from up to `DAYS_EACH` of their days: the mean over
    them of how few slots the nearest of the table's days is elsewhere in, or of how many of the
    table's days are near. Thresholds are found on one half of the people and tried on the other.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, Measured]:
        """Return every table; parts are the attacks.

        Raises:
            Refusal: there are too few people of either kind.
        """
        sides = [_some_days(each, study.random("membership")) for each in peers(study, PEOPLE)]

        def of(name: str, seen: Seen) -> Measured:
            random = study.random(f"membership, {name}")
            rows = random.permutation(len(seen.days.cells))[:MOST_DAYS]
            days = seen.days.cells[rows].astype(np.uint16)
            (near, around), (far, apart) = (_scores(*each, days) for each in sides)
            found = [attack(NEAREST, near, far), attack(AROUND, around, apart)]
            best = better_attack(found)
            return Measured(best.value, best.interval, tuple(part for _, part in found))

        return study.each(lambda table: of(table.name, table.seen))


def _some_days(seen: Seen, random: np.random.Generator) -> tuple[CodeArray, IntArray]:
    """Up to `DAYS_EACH` days of each person, and whose they are."""
    shuffled = random.random(len(seen.days.cells))
    order = np.lexsort((shuffled, seen.days.person))
    person = seen.days.person[order]
    kept = np.arange(len(person)) - np.searchsorted(person, person) < DAYS_EACH
    return seen.days.cells[order[kept]].astype(np.uint16), person[kept]


def _scores(these: CodeArray, whose: IntArray, days: CodeArray) -> tuple[FloatArray, FloatArray]:
    around = surroundings(these, days)
    each = np.bincount(whose)
    nearest = np.bincount(whose, weights=around.nearest.astype(np.float64)) / each
    return -nearest, np.bincount(whose, weights=around.density) / each


MEASURE = Membership(
    About(
        key="membership-of-people",
        name="Guessing who was counted",
        sentence=(
            "Somebody holds the table and some days of a real person, and guesses whether the "
            "person was counted from how near the table's days come to theirs: how much more often "
            "right than wrong. 0 % is a coin, 100 % is never wrong; a little less than 0 % is "
            "chance."
        ),
        low=-1.0,
        high=1.0,
        better="lower",
        group="disclosure",
        parts="attack",
        ideal=0.0,
    )
)
