"""All texts of a table in memory or on disk, a block of records at a time.

A schema plays no part: of a table that is read piece by piece, these are the texts of all columns
of its file, those that no schema names included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.table.raw import RawTable
from understudy.table.records import Records, spell_column
from understudy.table.sources.arrow_texts import plain_values, texts_of
from understudy.table.sources.parquet_file import is_single
from understudy.table.sources.streamed_table import PIECE, StreamedTable, prefetch

AnyTable = RawTable | Records | StreamedTable


@dataclass(frozen=True, eq=False)
class Block:
    """A block of cells of one column. Confidential.

    Attributes:
        texts: different texts, which may repeat themselves and hold texts of no record.
        places: (n,) the place of each record's text.
    """

    texts: pa.Array
    places: npt.NDArray[np.integer]


def column_names(table: AnyTable) -> tuple[str, ...]:
    """Return the columns of `blocks`, in their order."""
    if isinstance(table, StreamedTable):
        return tuple(name.strip() for name in _list_single_columns(table))
    return table.names if isinstance(table, RawTable) else table.schema.names


def blocks(table: AnyTable) -> Iterator[Sequence[Block]]:
    """Yield block after block of records, column by column.

    Raises:
        Refusal: as of `StreamedTable.pieces`.
    """
    if isinstance(table, StreamedTable):
        yield from prefetch(_stream_blocks(table))
        return
    whole = _of_raw(table) if isinstance(table, RawTable) else _of_records(table)
    rows = table.rows if isinstance(table, RawTable) else len(table)
    for start in range(0, rows, PIECE):
        yield [Block(each.texts, each.places[start : start + PIECE]) for each in whole]


def _of_raw(table: RawTable) -> list[Block]:
    chunks = (table.arrow.column(name).chunk(0) for name in table.names)
    return [Block(chunk.dictionary, chunk.indices.to_numpy()) for chunk in chunks]


def _of_records(records: Records) -> list[Block]:
    """Return the texts that records are written with."""
    found = (spell_column(records, place) for place in range(len(records.schema)))
    return [Block(pa.array(texts, pa.string()), places) for texts, places in found]


def _list_single_columns(table: StreamedTable) -> list[str]:
    """Return the columns of its file that hold single values, as they are called there."""
    return [each.name for each in table.stored_schema() if is_single(each.type)]


def _stream_blocks(table: StreamedTable) -> Iterator[Sequence[Block]]:
    names = _list_single_columns(table)
    for batch in table.stored_batches(names):
        # A name also stands for columns whose name goes on after it with a full stop.
        columns = (batch.column(batch.schema.get_field_index(name)) for name in names)
        yield [_block(column) for column in columns]


def _block(column: pa.Array) -> Block:
    kept = pa.types.is_dictionary(column.type)
    encoded = column if kept else plain_values(column).dictionary_encode()
    texts = texts_of(encoded.dictionary)
    places = encoded.indices.fill_null(len(texts))
    return Block(pa.array([*texts, ""], pa.string()), places.to_numpy())
