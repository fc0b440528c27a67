"""Records as files on disk, and the same records read from there."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from understudy.models.streamed_rows import StreamedSplit
from understudy.privacy.randomness import RandomSource
from understudy.table.encoding import decode
from understudy.table.records import Records
from understudy.table.sources.streamed import StreamedTable
from understudy.table.split import Shares, Split, assign


def as_parquet(records: Records, folder: Path, group: int) -> Path:
    """Records as texts in a Parquet file, in groups of so many rows."""
    path = folder / "table.parquet"
    pq.write_table(decode(records), path, row_group_size=group)
    return path


def both_ways(
    records: Records, folder: Path, group: int, source: RandomSource
) -> tuple[Split, StreamedSplit]:
    """The same records with the same parts, in memory and in a file of groups of rows."""
    table = StreamedTable.opened(as_parquet(records, folder, group), records.schema)
    parts = assign(len(records), Shares(), source)
    return Split.of(records, parts), StreamedSplit(table, parts)
