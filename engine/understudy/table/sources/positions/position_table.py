"""The table that positions make, as a file."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from understudy.table.positions.positions import PERSON
from understudy.table.raw import RawTable, table_of, text_column


def write_table(raw: RawTable, destination: Path) -> None:
    """Write the rows as CSV, all of them or no file. People are numbered in it, by who stands
    first, so that it holds no name or number of theirs.

    Raises:
        OSError: the file cannot be written.
    """
    texts, places = raw.distinct(PERSON)
    numbers = text_column(places.astype("int64"), [str(each + 1) for each in range(len(texts))])
    columns = [numbers if each == PERSON else raw.arrow.column(each).chunk(0) for each in raw.names]
    plain = [each.cast(pa.string()) for each in columns]
    unfinished = destination.with_name(destination.name + ".part")
    try:
        pa.csv.write_csv(
            table_of(raw.names, plain),
            unfinished,
            pa.csv.WriteOptions(quoting_style="none"),
        )
        unfinished.replace(destination)
    finally:
        unfinished.unlink(missing_ok=True)
