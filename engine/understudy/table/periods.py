"""Periods of the clock and of the calendar, on a line of days or of minutes.

Days and minutes are counted from the beginning of year 1 of the proleptic Gregorian calendar, or
from midnight. Weeks begin on Mondays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.table.date_spellings import MINUTES
from understudy.table.lattice import PlacedNumbers

FIXED: Final[Mapping[str, int]] = {
    "minute": 1, "5 minutes": 5, "15 minutes": 15, "hour": 60, "3 hours": 180, "6 hours": 360,
    "day": MINUTES, "week": 7 * MINUTES,
}  # fmt: skip
"""How many minutes a period has."""
MONTHS: Final[Mapping[str, int]] = {"month": 1, "quarter": 3, "year": 12}
"""How many months the others have."""
_LEAST_DAYS: Final[Mapping[str, int]] = {"month": 28, "quarter": 90, "year": 365}
EPOCH: Final = date(1970, 1, 1).toordinal()
"""The day that Arrow and NumPy count from."""


def starts_of_months(low: int, high: int, months: int) -> IntArray:
    """Return the day `low`, and the first day of every so many months after it up to `high`."""
    ends = np.array([low, high]) - EPOCH
    first, last = ends.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    # Months are counted from January 1970, so that those of a year or a decade begin together.
    begun = 1970 * 12 + np.array([first, last])
    turns = np.arange(begun[0] // months + 1, begun[1] // months + 1) * months - 1970 * 12
    days = turns.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return np.concatenate([[low], days + EPOCH])


def goes_into(fine: str, coarse: str) -> bool:
    """Return whether each of the one period is made of whole ones of the other."""
    if coarse in FIXED:
        return fine in FIXED and not FIXED[coarse] % FIXED[fine]
    if fine in FIXED:
        return not MINUTES % FIXED[fine]
    return not MONTHS[coarse] % MONTHS[fine]


@dataclass(frozen=True)
class Calendar(PlacedNumbers):
    """The moments that records may hold, rising, and the periods that are cells.

    Attributes:
        count: how many moments there are.
        first: the number of the first.
        apart: the distance of neighbours, where it is always the same.
        moments: (count,) the number of each, where it is not; empty where it is.
        firsts: (cells,) the place of the first moment of each cell.
    """

    count: int
    first: int
    apart: int
    moments: IntArray = field(repr=False, compare=False)
    firsts: IntArray = field(repr=False, compare=False)
    decimals: int = 0

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.firsts)

    def cells_of(self, places: IntArray) -> IntArray:
        """Return the cell of each place."""
        return np.searchsorted(self.firsts, places, side="right") - 1

    def lowest_in(self, cells: IntArray) -> IntArray:
        """Return the lowest place of each cell."""
        return np.asarray(self.firsts[cells])

    def held_by(self, cells: IntArray) -> IntArray:
        """Return how many places each cell holds."""
        return np.asarray(np.diff(self.firsts, append=self.count)[cells])

    def place(self, number: Decimal) -> int:
        """Return the place of the latest moment that is not after one."""
        return int(self.places(np.array([int(number)]))[0])

    def number(self, place: int) -> Decimal:
        """Return the number of the moment at a place."""
        return Decimal(int(self.whole_numbers(np.array([place]))[0]))

    def whole_numbers(self, places: IntArray) -> IntArray:
        """Return the number of the moment at each place."""
        if len(self.moments):
            return np.asarray(self.moments[places])
        return np.asarray(self.first + places * self.apart)

    def last_places(self, units: IntArray) -> IntArray:
        """Return the place of the latest moment that is not after each number."""
        return self.places(units)

    def numbers(self, places: IntArray) -> FloatArray:
        """Return the number of the moment at each place."""
        return self.whole_numbers(places).astype(np.float64)

    def holds(self, numbers: FloatArray) -> BoolArray:
        """Return whether each number is one of a moment."""
        low, high = self.numbers(np.array([0, self.count - 1]))
        inside = (low <= numbers) & (numbers <= high)
        kept = self.numbers(self.places(np.where(inside, numbers, low)))
        return np.asarray(inside & (kept == numbers))

    def places(self, numbers: FloatArray | IntArray) -> IntArray:
        """Return the place of the latest moment that is not after each number."""
        if len(self.moments):
            return np.searchsorted(self.moments, numbers, side="right") - 1
        return np.asarray((np.asarray(numbers) - self.first) // self.apart).astype(np.int64)


@dataclass(frozen=True)
class Timeline:
    """A line of days, or of minutes, that periods divide.

    Attributes:
        per_day: how many units a day has.
    """

    per_day: int

    def length(self, period: str) -> int:
        """Return how many units a period has at least."""
        if period in FIXED:
            return max(1, FIXED[period] * self.per_day // MINUTES)
        return _LEAST_DAYS[period] * self.per_day

    def _anchor(self, period: str) -> int:
        """Return the number of a moment with which such a period begins."""
        return self.per_day if period == "week" else 0

    def starts(self, low: int, high: int, period: str) -> IntArray:
        """Return a moment, and the first ones of all periods that begin after it up to another."""
        if period in FIXED:
            length = self.length(period)
            after = low - (low - self._anchor(period)) % length + length
            return np.concatenate([[low], np.arange(after, high + 1, length)])
        days = starts_of_months(low // self.per_day, high // self.per_day, MONTHS[period])
        return np.concatenate([[low], days[1:] * self.per_day])

    def begins(self, number: int, period: str) -> bool:
        """Return whether a period begins with a moment."""
        if period in FIXED:
            return (number - self._anchor(period)) % self.length(period) == 0
        if number % self.per_day:
            return False
        if number // self.per_day > date.max.toordinal():
            return True
        its = date.fromordinal(number // self.per_day)
        return its.day == 1 and (its.month - 1) % MONTHS[period] == 0

    def calendar(self, low: int, high: int, step: str, precision: str) -> Calendar:
        """Return the moments from one to another that are kept to a precision, and their cells."""
        starts = self.starts(low, high, step)
        if precision in FIXED:
            apart = self.length(precision)
            none = np.zeros(0, dtype=np.int64)
            return Calendar((high - low) // apart + 1, low, apart, none, (starts - low) // apart)
        moments = self.starts(low, high, precision)
        return Calendar(len(moments), low, 0, moments, np.searchsorted(moments, starts))
