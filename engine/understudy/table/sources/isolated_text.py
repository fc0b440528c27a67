"""The work of the process that reads text and Parquet files."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from understudy.table.sources.csv.csv_suggestion import Hints
from understudy.table.sources.isolation import AskedText, read_text_here, table_writer
from understudy.table.sources.source import open_source


def prepare() -> None:
    """Read a tiny file of each kind, so that what reads them is loaded before the process forks."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": ["1"], "b": [2]}), sink)
    for data, name in ((sink.getvalue(), "one.parquet"), (b"a,b\n1,2\n", "one.csv")):
        source = open_source(data, name, len(data))
        read_text_here(source, source.kind, None, Hints())


def work(asked: AskedText) -> Callable[[BinaryIO], None]:
    """Read a text or Parquet file, as of `isolation.read_text_apart`."""
    return table_writer(read_text_here(*asked))
