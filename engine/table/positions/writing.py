"""The table that positions make, as a file."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from engine.table.positions.positions import Read


def write(found: Read, destination: Path) -> None:
    """Write the rows as CSV, all of them or no file.

    Raises:
        OSError: the file cannot be written.
    """
    unfinished = destination.with_name(destination.name + ".part")
    try:
        pa.csv.write_csv(pa.table(dict(found.rows)), unfinished)
        unfinished.replace(destination)
    finally:
        unfinished.unlink(missing_ok=True)
