"""A data frame of pandas as texts, each value as it would be read from a Parquet file of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import pandas as pd
import pyarrow as pa

from understudy.core.refusal import Refusal
from understudy.table.cells import NOT_A_VALUE, cell_text
from understudy.table.declared_reading import Reading, usual
from understudy.table.raw import RawTable, table_of
from understudy.table.sources.arrow_texts import TableBuilder, is_period_type
from understudy.table.sources.header import check_rows, checked_names
from understudy.table.sources.parquet_file import is_single, text_column_of
from understudy.table.sources.positions.reading import read_positions

_CALLED = "the data frame"


def read_data_frame(frame: pd.DataFrame, reading: Reading | None = None) -> RawTable:
    """Return the texts of a data frame; what is missing is empty. Its index is no column.

    Args:
        frame: the table.
        reading: how its records are read, as declared for typed values; suggested if left out.

    Raises:
        Refusal: it has one column, no record, names that cannot be used, or a value that cannot be
            written as text; `field` is the column then.
    """
    try:
        names = checked_names([_name(name) for name in frame.columns], _CALLED)
        check_rows(len(frame), _CALLED)
    except Refusal as refusal:
        problem = refusal.problem[:1].upper() + refusal.problem[1:]
        raise Refusal(problem, refusal.remedy, field=refusal.field) from None
    columns = [_texts(frame.iloc[:, place], name) for place, name in enumerate(names)]
    raw = RawTable(table_of(names, columns), usual("parquet"), _note_index(frame))
    raw = replace(raw, notes=raw.notes + raw.unreadable_notes())
    if reading is not None and reading.positions is not None:
        return read_positions(raw, reading.positions).raw
    return raw


def _name(name: Hashable) -> str:
    """Return the name of a column as text.

    Raises:
        Refusal: it is none, as those of several levels are.
    """
    if isinstance(name, tuple):
        raise Refusal(
            f"{_CALLED} has columns with names of several levels.",
            "Give each column one name.",
            field="table",
        )
    try:
        return cell_text(name)
    except TypeError:
        raise Refusal(
            f"{_CALLED} has a column whose name is no text.", "Rename it.", field="table"
        ) from None


def _note_index(frame: pd.DataFrame) -> tuple[str, ...]:
    named = [str(name) for name in frame.index.names if name is not None]
    if not named:
        return ()
    return (f"The index ({', '.join(named)}) is no column; reset_index() makes it one.",)


def _texts(series: pd.Series, name: str) -> pa.DictionaryArray:
    """Return a column as texts.

    Raises:
        Refusal: a value cannot be written as text.
    """
    try:
        values = pa.array(series, from_pandas=True)
        column = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
        # Values of a type of their own, such as UUIDs, are looked at one by one.
        plain = not isinstance(column.type, pa.BaseExtensionType) or is_period_type(column.type)
        if is_single(column.type) and plain:
            return text_column_of(column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    return _singly(series, name)


def _singly(series: pd.Series, name: str) -> pa.DictionaryArray:
    """Return a column whose values are of several types as texts.

    Raises:
        Refusal: one cannot be written as text.
    """
    builder = TableBuilder([name])
    builder.add([series.astype(object).tolist()])
    texts = builder.table().column(name).chunk(0)
    if NOT_A_VALUE in texts.dictionary.to_pylist():
        kinds = sorted({type(value).__name__ for value in series if not _is_written(value)})
        raise Refusal(
            f"Column “{name}” holds values that cannot be written as text ({', '.join(kinds)}).",
            "Turn them into texts, numbers or dates, or drop the column.",
            field=name,
        )
    return texts


def _is_written(value: object) -> bool:
    try:
        cell_text(value)
    except TypeError:
        return value is pd.NA
    return True
