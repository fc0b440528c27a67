"""Days of people who know nothing but the map: the worst that is acceptable.

Each lives in a cell drawn evenly. A day begins and, where it is left, ends at home; between lie 0
to `MOST_AWAY` stays, evenly as many, in cells drawn evenly, at slots drawn evenly. Nothing in it is
learned, so that it is the same for every method and every table on one map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.table.positions.slots import SLOTS

MOST_AWAY: Final = 6


def uniform_days(
    where: Geography, people: int, weekend: Sequence[bool], random: np.random.Generator
) -> Days:
    """So many people, each with these days.

    Args:
        where: the map.
        people: how many.
        weekend: of each day in turn, whether it is a Saturday or a Sunday.
        random: where it is drawn from; nothing of it is released.
    """
    number = people * len(weekend)
    home = np.repeat(random.integers(0, where.cells, people), len(weekend))
    away = random.integers(0, MOST_AWAY + 1, number)
    elsewhere = random.integers(0, where.cells, (number, MOST_AWAY))
    # Of the slots after the first, the lowest few of a random order begin a stay.
    rank = random.random((number, SLOTS - 1)).argsort(axis=1).argsort(axis=1)
    begins = (rank < (away + 1)[:, None]) & (away > 0)[:, None]
    turn = np.c_[np.zeros(number, np.int64), begins.cumsum(axis=1)]
    at_home = (turn == 0) | (turn > away[:, None])
    place = np.clip(turn - 1, 0, MOST_AWAY - 1)
    cells = np.where(at_home, home[:, None], np.take_along_axis(elsewhere, place, axis=1))
    return Days(
        cells.astype(np.int64),
        np.tile(np.array(weekend, dtype=bool), people),
        np.repeat(np.arange(people), len(weekend)),
    )
