"""Reading Parquet files as texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible
from understudy.table.date_spellings import KEPT_IN_UTC
from understudy.table.declared_reading import usual
from understudy.table.raw import Labels, RawTable, table_of, text_column
from understudy.table.sources.arrow_texts import (
    OLD_MOMENTS,
    is_text_type,
    kind_of,
    plain_values,
    texts_of,
)
from understudy.table.sources.header import check_rows, checked_names
from understudy.table.sources.source import Source, check_held, check_unpacked


def read_parquet(source: Source) -> RawTable:
    """Read a Parquet file, each value by itself; null is empty.

    Raises:
        Refusal: it is damaged, a column is nested or binary, or see `reading.read_table`.
    """
    try:
        _check_size(source, pq.read_metadata(pa.BufferReader(source.data)))
        whole = pq.read_schema(pa.BufferReader(source.data))
        # A long text that stands in every record is to be held once.
        file = pq.ParquetFile(
            pa.BufferReader(source.data),
            read_dictionary=[each.name for each in whole if is_text_type(each.type)],
            coerce_int96_timestamp_unit=OLD_MOMENTS,
        )
        names = checked_names(file.schema_arrow.names, source.name)
        check_types(file.schema_arrow, names)
        table = file.read()
    except MemoryError:
        # Arrow's is an error of Arrow too, and says nothing against the file.
        raise
    except (pa.ArrowException, OSError):
        raise unreadable_parquet(source.name) from None
    check_rows(table.num_rows, source.name)
    columns = (text_column_of(column) for column in table.columns)
    raw = RawTable(table_of(names, columns), usual("parquet"))
    zones = {
        name: escape_invisible(zone)
        for name, column in zip(names, table.columns, strict=True)
        if (zone := _zone_of(column.type))
    }
    notes = (*raw.unreadable_notes(), *(_note_zone(*each) for each in zones.items()))
    texts = tuple(
        name
        for name, column in zip(names, table.columns, strict=True)
        if is_text_type(kind_of(column.type))
    )
    return replace(raw, notes=notes, labels=Labels(zones=zones, texts=texts))


def _zone_of(kind: pa.DataType) -> str:
    """Return the time zone that points in time of a type are kept with; "" for others."""
    return (kind_of(kind).tz or "") if pa.types.is_timestamp(kind_of(kind)) else ""


def _note_zone(name: str, zone: str) -> str:
    return (
        f"Points in time of column “{name}” are kept with the time zone {zone}, and are instants. "
        f"If it is one of dates with times, they are read on the clock of {zone} where its time "
        f"zone is “{zone}{KEPT_IN_UTC}”, and as they are in UTC where that says less."
    )


def _check_size(source: Source, about: pq.FileMetaData) -> None:
    """Check how large a table the file says that it holds, before taking memory for it.

    Raises:
        Refusal: it is far too large for such a file.
    """
    check_held(source, about.num_rows, about.num_columns)
    groups = (about.row_group(place) for place in range(about.num_row_groups))
    check_unpacked(source, sum(group.total_byte_size for group in groups))


def unreadable_parquet(name: str) -> Refusal:
    """Return the refusal of a damaged Parquet file."""
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
            if pa.types.is_fixed_size_binary(kind_of(field.type)) and _is_uuid(field.type):
                raise Refusal(
                    f"Column “{name}” holds UUIDs.",
                    "Save them as texts, or take the column out of the file.",
                    field=name,
                )
            kind = kind_of(field.type)
            what = "nested" if pa.types.is_nested(kind) else "binary"
            raise Refusal(
                f"Column “{name}” holds {what} values ({kind}).",
                "Flatten the column or take it out of the file.",
                field=name,
            )


def _is_uuid(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.BaseExtensionType) and kind.extension_name == "arrow.uuid"


def is_single(kind: pa.DataType) -> bool:
    """Return whether values of a type are single ones that can be written as text."""
    kind = kind_of(kind)
    binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    binary |= pa.types.is_fixed_size_binary(kind) or pa.types.is_binary_view(kind)
    return not (pa.types.is_nested(kind) or binary or pa.types.is_interval(kind))


def text_column_of(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column of Arrow values as texts; each different value is looked at once."""
    if pa.types.is_dictionary(column.type) and is_text_type(column.type.value_type):
        encoded = column.unify_dictionaries().combine_chunks()
    else:
        encoded = plain_values(column).dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    texts = texts_of(encoded.dictionary)
    places = encoded.indices.fill_null(len(texts)).to_numpy()
    return text_column(places.astype(np.int64), [*texts, ""])
