"""Parquet into texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.refusal import Refusal
from engine.table.cells import number_text, without_midnight
from engine.table.declared_reading import usual
from engine.table.header import check_rows, checked_names
from engine.table.raw import RawTable, table_of, text_column
from engine.table.source import Source


def read_parquet(source: Source) -> RawTable:
    """Read a Parquet file. Whole floats lose their ".0", days their midnight; null is empty.

    Raises:
        Refusal: it is damaged, a column is nested or binary, or see `reading.read_table`.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(source.data))
        names = checked_names(file.schema_arrow.names, source.name)
        check_types(file.schema_arrow, names)
        table = file.read()
    except (pa.ArrowException, OSError):
        raise unreadable(source.name) from None
    check_rows(table.num_rows, source.name)
    columns = (_texts(column) for column in table.columns)
    return RawTable(table_of(names, columns), usual("parquet"))


def unreadable(name: str) -> Refusal:
    """That a Parquet file cannot be read to its end."""
    return Refusal(
        f"{name} is a damaged or unreadable Parquet file.",
        "Write it again, or save the table as CSV.",
        field="table",
    )


def check_types(schema: pa.Schema, names: Sequence[str]) -> None:
    """Check that every column holds single values that can be written as text.

    Raises:
        Refusal: one does not.
    """
    for field, name in zip(schema, names, strict=True):
        if not is_single(field.type):
            kind = value_type(field.type)
            what = "nested" if pa.types.is_nested(kind) else "binary"
            raise Refusal(
                f"Column “{name}” holds {what} values ({kind}).",
                "Flatten the column or take it out of the file.",
                field=name,
            )


def is_single(kind: pa.DataType) -> bool:
    """Whether values of a type are single ones that can be written as text."""
    kind = value_type(kind)
    binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    binary |= pa.types.is_fixed_size_binary(kind) or pa.types.is_binary_view(kind)
    return not (pa.types.is_nested(kind) or binary or pa.types.is_interval(kind))


def value_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values, where they stand in a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _texts(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column as texts, each different value looked at once."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoded = column.dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    texts = texts_of(encoded.dictionary)
    if pa.types.is_temporal(column.type):
        texts = without_midnight(texts)
    places = encoded.indices.fill_null(len(texts)).to_numpy()
    return text_column(places.astype(np.int64), [*texts, ""])


def texts_of(values: pa.Array) -> list[str]:
    """Each value as a text; points in time with their midnights."""
    texts = [text or "" for text in pc.cast(values, pa.string()).to_pylist()]
    return [number_text(text) for text in texts] if pa.types.is_floating(values.type) else texts
