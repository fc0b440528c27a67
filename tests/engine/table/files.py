"""Records as files on disk."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from engine.table.encoding import decode
from engine.table.records import Records


def as_parquet(records: Records, folder: Path, group: int) -> Path:
    """Records as texts in a Parquet file, in groups of so many rows."""
    path = folder / "table.parquet"
    pq.write_table(decode(records), path, row_group_size=group)
    return path
