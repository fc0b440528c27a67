"""Patterns of a day: the sorts of its stays in order, such as home, work, home.

The list is public: the commonest of the simulated city. `python -m benchmarks traces` says how many
of its days have one of them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.models.mobility.stays import Stays

LETTERS: Final = "HWO"
LONGEST: Final = 12
"""How many stays of a day a pattern tells of; later ones follow one another as any do."""
_LISTED: Final = """
HWH HOH H HOHOH HWOWH HWOH HOOH HOHOHOH HOHOOH HOOHOH HWHOH HWOWOH HWOOH HOWH HOHWH HOHOHOOH
HOOHOHOH HOHOOHOH HOOHOOH HWOWHOH HWOWOOH HWOHOH HOOOH HWOOOH HOWOWH HOWOH HOHOHOHOH HWHWH HOHOOOH
HOHOOHOOH HOOHOHOOH HOOOHOH HWOWOHOH HOWHOH HWOWOOOH HOOHOOHOH HOOOOH HOWOWOH HOWOOH HWOOOOH
HWOOHOH HOHOHOHOOH HOHWHOH HWHOHOH HOHWOH HWHOOH HOOHWH HOHOHWH
"""
LISTED: Final = tuple(_LISTED.split())
OTHER_PATTERN: Final = len(LISTED)
NONE: Final = -1


def sorts_of_listed() -> IntArray:
    """(patterns, longest) the sorts of stays of each listed pattern; −1 beyond its last."""
    found = np.full((len(LISTED), LONGEST), NONE)
    for number, text in enumerate(LISTED):
        found[number, : len(text)] = [LETTERS.index(letter) for letter in text]
    return found


def written(stays: Stays, days: int) -> list[str]:
    """Return the pattern of each day."""
    texts = np.array(list(LETTERS))[stays.sort]
    bounds = np.searchsorted(stays.day, np.arange(days + 1))
    return ["".join(texts[a:b]) for a, b in pairwise(bounds)]


def numbers(stays: Stays, days: int) -> IntArray:
    """(days,) the place of each day's pattern in the list; `OTHER_PATTERN` where it is not."""
    place = {text: number for number, text in enumerate(LISTED)}
    found = [place.get(text, OTHER_PATTERN) for text in written(stays, days)]
    return np.array(found, dtype=np.int64)
