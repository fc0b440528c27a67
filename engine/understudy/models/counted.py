"""What a learner may query of its records: their number, and tables of counts.

Both `Rows` in memory and records read piece by piece (`StreamedRows`) answer, and alike for the
same records in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from understudy.core.arrays import IntArray
from understudy.models import joint_tables
from understudy.models.views import Marginal, Rows, cells
from understudy.table.records import Records
from understudy.table.schema import Schema

_MOST_CELLS = 1 << 25


class Counted(Protocol):
    """Records that can be counted. Every answer is exact, and so internal."""

    @property
    def schema(self) -> Schema:
        """The columns."""

    def __len__(self) -> int:
        """Return how many records there are."""

    def tables(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """For each marginal, (cells,) the number of records in each cell, empty ones too."""

    def occupied(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """As `tables`, but only occupied cells, in order: for marginals with more cells than fit in
        memory."""


def as_counted(records: Records | Counted) -> Counted:
    """Records in memory as `Rows`; other counted records unchanged."""
    return Rows.of(records) if isinstance(records, Records) else records


def marginal_tables(
    records: Counted, marginals: Sequence[Marginal]
) -> Iterator[tuple[int, IntArray]]:
    """Return the index of each marginal and its table; see `joint_tables.marginal_tables`."""
    return joint_tables.marginal_tables(records.schema, marginals, len(records), records.tables)


def occupied_cells(
    records: Counted, marginals: Sequence[Marginal]
) -> Iterator[tuple[int, IntArray]]:
    """As `marginal_tables`, without the cells that no record is in. A table of many more cells than
    records, or of more than `_MOST_CELLS`, is never made."""
    most = min(4 * len(records) + (1 << 20), _MOST_CELLS)
    wide = [cells(records.schema, each) > most for each in marginals]
    narrow = [place for place, is_wide in enumerate(wide) if not is_wide]
    for place, counts in marginal_tables(records, [marginals[each] for each in narrow]):
        yield narrow[place], counts[counts > 0]
    rest = [place for place, is_wide in enumerate(wide) if is_wide]
    yield from zip(rest, records.occupied([marginals[each] for each in rest]), strict=True)
