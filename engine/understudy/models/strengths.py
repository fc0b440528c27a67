"""How far the pairs of a usual table are from independent, as publicly taken beforehand.

A table has pairs of very unequal strength: a few are far from independent, and most are not.
Whatever is decided or foreseen of pairs before they are looked at follows from such pairs. None is
drawn: strengths are dealt evenly from their law, to a table of few pairs several times.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import FloatArray

TYPICAL: Final = 0.047
"""How far the typical pair of a usual table is from independent …"""
_UNEQUAL: Final = 1.25
"""… and to which power of an exponential the others are: one in ten is 4.5 times as far. About so
it is in the simulated census, in Adult, in the American Community Survey and in
`understudy.samples.shapes`."""
USUAL: Final = TYPICAL * math.gamma(1 + _UNEQUAL) / math.log(2) ** _UNEQUAL
"""How far they are on average (.084): what is taken of two columns that are named, as nobody knows
whether they are of the strong ones."""
_DEALT: Final = 3_000
"""How many pairs are dealt at least: to a table of fewer, several times …"""
_MOST_DEALS: Final = 24
"""… but no more often."""
_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_SILVER: Final = math.sqrt(2) - 1
"""Multiples of either are spread evenly over 0 to 1, and of both together by twos."""
_CLOSE: Final = 1e-9


def deals_of(pairs: int) -> int:
    """Return how often strengths are dealt to so many pairs."""
    return min(_MOST_DEALS, math.ceil(_DEALT / max(1, pairs)))


def usual_strengths(pairs: int, deals: int) -> FloatArray:
    """Deal strengths to the pairs of a usual table: of every size in each deal, and to each pair
    over the deals.

    Returns:
        (deals, pairs) how far each is from independent.
    """
    places: FloatArray = (np.arange(pairs) + 0.5) * _GOLDEN + np.arange(deals)[:, None] / deals
    halvings = -np.log2(1 - _inside(places))
    return np.asarray(np.minimum(1.0, TYPICAL * halvings**_UNEQUAL))


def evenly_spread(many: int, deals: int) -> FloatArray:
    """Return (deals, many) numbers between 0 and 1, spread evenly beside `usual_strengths`."""
    return _inside((np.arange(deals * many) + 0.5) * _SILVER).reshape(deals, many)


def _inside(places: npt.NDArray[np.floating]) -> FloatArray:
    return np.asarray(np.clip(np.modf(places)[0], _CLOSE, 1 - _CLOSE))
