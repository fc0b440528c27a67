"""What is kept of a seed's day: its key. Days of one key can be made into the same candidates, each
as likely as every other.

A key is a row of small whole numbers, a function of the schedule of the day: two keys are the same
where the rows are. What is not kept is 0 in every row.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import IntArray
from understudy.mechanisms.plausible_traces.schedules import NONE, Schedules
from understudy.models.mobility.stays import LETTERS, LONGEST
from understudy.table.positions.slots import SLOTS

Keeps = Literal["outline", "pattern", "departure", "hours"]
"""What is kept: an outline of the pattern, and whether one has a place of work; the pattern; also
in which three hours one first leaves; also the hour in which every stay begins."""

KEEPS: Final[tuple[Keeps, ...]] = get_args(Keeps)
SLOTS_AN_HOUR: Final = 3
SLOTS_AWAY: Final = 9
"""How many slots are one where only the three hours of the first departure are kept."""

WORKS: Final = 0
SORTS: Final = slice(1, 1 + LONGEST)
STARTS: Final = slice(1 + LONGEST, 2 * LONGEST)
WIDTH: Final = 2 * LONGEST
CARDINALITIES: Final = np.array(
    [3, *[len(LETTERS) + 1] * LONGEST, *[SLOTS // SLOTS_AN_HOUR + 1] * (LONGEST - 1)]
)

Codes = npt.NDArray[np.uint16]


def keys_of(told: Schedules, keeps: Keeps) -> Codes:
    """(n, WIDTH) the key of each schedule.

    The first number is 1 or 2 where it is kept whether one works; then a number for each stay, its
    sort and 1; then, for each stay after the first, the part of the day that it begins in, and 1.
    A schedule without stays has a key of zeros: nothing is made of it.
    """
    found = np.zeros((len(told), WIDTH), dtype=np.uint16)
    usable = told.usable
    if keeps == "outline":
        found[usable, WORKS] = 1 + told.works[usable]
        found[:, SORTS] = _outlines(told.sort) + 1
        return found
    found[:, SORTS] = told.sort + 1
    later = told.sort[:, 1:] != NONE
    if keeps == "hours":
        found[:, STARTS] = np.where(later, told.start[:, 1:] // SLOTS_AN_HOUR + 1, 0)
    if keeps == "departure":
        found[:, STARTS.start] = np.where(later[:, 0], told.start[:, 1] // SLOTS_AWAY + 1, 0)
    return found


def width_of_a_part(keeps: Keeps) -> int:
    """Return how many slots one kept part of the day has."""
    return SLOTS_AWAY if keeps == "departure" else SLOTS_AN_HOUR


def _outlines(sort: IntArray) -> IntArray:
    """(n, longest) the sorts of the outline of each pattern."""
    numbers = (sort + 1) @ (len(LETTERS) + 1) ** np.arange(LONGEST)
    _, first, of = np.unique(numbers, return_index=True, return_inverse=True)
    found = [
        sorts_of(outline("".join(LETTERS[each] for each in kind if each != NONE)))
        for kind in sort[first]
    ]
    return np.array(found, dtype=np.int64).reshape(-1, LONGEST)[of]


@cache
def outline(pattern: str) -> str:
    """Return a pattern where several stays elsewhere in a row count as one, and so do several ways
    from home, or from work, to elsewhere and back: HOOHOH and HOH are HOH. That of an outline is
    it."""
    return re.sub("(HO)+", "HO", re.sub("(WO)+", "WO", re.sub("O+", "O", pattern)))


@cache
def sorts_of(pattern: str) -> tuple[int, ...]:
    """Return the sorts of a pattern's stays, −1 beyond the last."""
    known = [LETTERS.index(letter) for letter in pattern]
    return (*known, *[NONE] * (LONGEST - len(known)))
