"""All that a learner may ask of its records: how many there are, and counts.

`Rows` in memory answer it, and records that are read piece by piece (`StreamedRows`). From the
same records in the same order, both give the same answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.models import joint_tables
from engine.models.views import Marginal, Rows, cells
from engine.table.records import Records
from engine.table.schema import Schema

_MOST_CELLS = 1 << 25

Whole = npt.NDArray[np.int64]


class Counted(Protocol):
    """Records to be counted. Every answer is exact, and internal."""

    @property
    def schema(self) -> Schema:
        """The columns."""

    def __len__(self) -> int:
        """How many records there are."""

    def tables(self, marginals: Sequence[Marginal]) -> Iterator[Whole]:
        """Of each marginal, (cells,) how many records are in each cell, zeros too."""

    def occupied(self, marginals: Sequence[Marginal]) -> Iterator[Whole]:
        """As `tables`, but of those cells only that some record is in, in the order of the cells:
        for marginals of more cells than would fit in memory."""


def as_counted(records: Records | Counted) -> Counted:
    """Records in memory as they are counted; others as they are."""
    return Rows.of(records) if isinstance(records, Records) else records


def marginal_tables(records: Counted, marginals: Sequence[Marginal]) -> Iterator[tuple[int, Whole]]:
    """The place of each marginal and its table, those of one cover after those of another."""
    return joint_tables.marginal_tables(records.schema, marginals, len(records), records.tables)


def occupied_cells(records: Counted, marginals: Sequence[Marginal]) -> Iterator[tuple[int, Whole]]:
    """As `marginal_tables`, without the cells that no record is in. A table of many more cells than
    records, or of more than `_MOST_CELLS`, is never made."""
    most = min(4 * len(records) + (1 << 20), _MOST_CELLS)
    wide = [cells(records.schema, each) > most for each in marginals]
    narrow = [place for place, is_wide in enumerate(wide) if not is_wide]
    for place, counts in marginal_tables(records, [marginals[each] for each in narrow]):
        yield narrow[place], counts[counts > 0]
    rest = [place for place, is_wide in enumerate(wide) if is_wide]
    yield from zip(rest, records.occupied([marginals[each] for each in rest]), strict=True)
