"""The numbers of continuous columns in a release: each drawn evenly within its released cell, where
the method did not draw them itself.

A record is a row of codes, and the code of a continuous column stands for an interval, its cell.
The number is drawn after the privacy test, from the released codes and the run's own secret alone:
whatever is guaranteed of the codes is guaranteed of the numbers. It is drawn
evenly, and not put in the middle of the cell, so that the numbers spread over the range as the
model has them, with no heap at the middle of each cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import FloatArray
from understudy.privacy.randomness import Secret
from understudy.table.domain import range_of
from understudy.table.records import Records
from understudy.table.schema import Schema

_CELLS = 1 << 20
"""How many numbers are drawn at once."""


@dataclass(frozen=True)
class WithinCells:
    """Turns released codes into released records.

    Attributes:
        schema: their columns.
        number: of the table among those of the run; each has a stream of its own.
        secret: of the run. Every number has a word of its own in the stream of the run's numbers,
            by its place in the table, so that a run that goes on after a kill draws what it would
            have drawn.
    """

    schema: Schema
    secret: Secret = field(repr=False)
    number: int = 0

    def records(self, codes: npt.NDArray[np.uint16] | Records, first: int) -> Records:
        """Records with their numbers; without a continuous column, the codes are all there is.

        Args:
            codes: (n, columns) what is released; or records with their numbers, which stay.
            first: how many records of the table stand before them.
        """
        if isinstance(codes, Records):
            return codes
        if not self.schema.continuous:
            return Records(self.schema, codes)
        numbers = np.empty((len(codes), len(self.schema.continuous)))
        turn = max(1, _CELLS // numbers.shape[1])
        for start in range(0, len(codes), turn):
            stop = min(start + turn, len(codes))
            numbers[start:stop] = self._drawn(codes[start:stop], first + start)
        return Records(self.schema, codes, numbers)

    def _drawn(self, codes: npt.NDArray[np.uint16], first: int) -> FloatArray:
        """(n, continuous columns) numbers for some records, not a number where one is missing."""
        places = self.schema.continuous
        source = self.secret.source("numbers", self.number, position=first * len(places))
        words = source.words(len(codes) * len(places)).reshape(-1, len(places))
        drawn = [self._in_column(place, codes[:, place], words[:, turn])
                 for turn, place in enumerate(places)]  # fmt: skip
        return np.column_stack(drawn)

    def _in_column(
        self, place: int, codes: npt.NDArray[np.uint16], words: npt.NDArray[np.uint64]
    ) -> FloatArray:
        domain = range_of(self.schema.columns[place].domain)
        missing = codes == domain.size
        cells = np.where(missing, 0, codes).astype(np.int64)
        # A cell of c numbers takes each with probability 1/c, except for at most 2^-64 of it.
        offsets = words % domain.lattice.held_by(cells).astype(np.uint64)
        drawn = domain.lattice.lowest_in(cells) + offsets.astype(np.int64)
        return np.where(missing, np.nan, domain.lattice.numbers(drawn))
