"""Columns of texts: built from values that arrive in blocks, and from typed Arrow values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from types import NoneType
from typing import Any, Final
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from understudy.core.arrays import ShortIntArray
from understudy.table.cells import NOT_A_VALUE, NOT_TEXT, cell_text, moment_text
from understudy.table.raw import table_of

# Building columns of texts from values that arrive in blocks.
#
# Each different value of a block becomes a text once, and each different text is kept once, so that
# a column of a million records takes four megabytes and its dictionary.

Speller = Callable[[Any], str]

_EQUAL_AS_WRITTEN = frozenset(
    {NoneType, str, int, float, Decimal, date, datetime, time, timedelta, UUID}
)
"""Types of which equal values are written alike, one type or several."""

_TRUTHS = frozenset({NoneType, bool})
"""True equals 1."""

_CODE_BYTES = 4
_TEXT_BYTES = 80


class TableBuilder:
    """Columns under construction.

    Attributes:
        rows: how many records there are so far.
    """

    def __init__(self, names: Sequence[str], spellers: Sequence[Speller] | None = None) -> None:
        """Begin with no record.

        Args:
            names: of the columns.
            spellers: per column, how a value is written; `cells.cell_text` where not given.
        """
        self.rows = 0
        self._names = tuple(names)
        self._columns = [_Column(spell) for spell in spellers or [cell_text] * len(names)]

    @property
    def size(self) -> int:
        """About how many bytes are held."""
        codes = self.rows * len(self._columns) * _CODE_BYTES
        return codes + sum(column.text_bytes for column in self._columns)

    def add(self, columns: Sequence[Sequence[Any]]) -> None:
        """Add a block of records, given column by column; what is not a single value that a text
        stands for is one of `unreadable`."""
        for column, values in zip(self._columns, columns, strict=True):
            column.add(values)
        self.rows += len(columns[0]) if columns else 0

    def table(self) -> pa.Table:
        """Return the records so far, as texts in one chunk."""
        return table_of(self._names, (column.texts() for column in self._columns))


class _Column:
    """One column: the texts found so far, and for each record the place of its text."""

    def __init__(self, spell: Speller) -> None:
        self._spell = spell
        self._places: dict[str, int] = {}
        self._blocks: list[ShortIntArray] = []
        self.text_bytes = 0

    def add(self, values: Sequence[Any]) -> None:
        boxed = np.fromiter(self._told_apart(values), dtype=object, count=len(values))
        codes, different = pd.factorize(boxed)
        # The last place is that of nothing, which is counted as −1.
        places = [self._place(self._text(value)) for value in different]
        places.append(self._place("") if (codes < 0).any() else 0)
        self._blocks.append(np.array(places, dtype=np.int32)[codes])

    def _told_apart(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return the same, but texts for what may equal a value that is written otherwise: which of
        two equal values is looked at would depend on which comes first."""
        kinds = set(map(type, values))
        if kinds <= _EQUAL_AS_WRITTEN or kinds <= _TRUTHS:
            return values
        return [each if type(each) in _EQUAL_AS_WRITTEN else self._text(each) for each in values]

    def _text(self, value: Any) -> str:
        try:
            return self._spell(value)
        except TypeError:
            return NOT_A_VALUE

    def _place(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self._places)
            self.text_bytes += len(text) + _TEXT_BYTES
        return self._places[text]

    def texts(self) -> pa.DictionaryArray:
        codes = np.concatenate(self._blocks) if self._blocks else np.zeros(0, np.int32)
        texts = pa.array(list(self._places), pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), texts)


_FEW_DIGITS = r"^-?([1-9][0-9]{0,6}|[0-9]\.[0-9]{0,5}[1-9]|[0-9]{2,3}\.[0-9]{0,3}[1-9])$"
"""Numbers of at most seven digits, written without an exponent."""

_FRACTION = r"^-?[0-9]+\.[0-9]+$"

_DAY = re.compile(r"(?!0000)\d{4}-\d\d-\d\d\b|\d\d:", re.ASCII)
"""How a day of the calendar begins, of the years 1 to 9999, and a time of day."""

_A_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def texts_of(values: pa.Array) -> list[str]:
    """Return each value as the text of `cells.cell_text`, whatever type it is kept as; nothing is
    empty.

    Args:
        values: single values, not in a dictionary.
    """
    kind = values.type
    for belongs, spell in _SPELLERS:
        if belongs(kind):
            return spell(values)
    return [text or "" for text in pc.cast(values, pa.string()).to_pylist()]


OLD_MOMENTS: Final = "us"
"""The unit in which points in time of the old kind of Parquet (INT96) are read, in which all of the
years 1 to 9999 can be said."""

# The types of pandas are known to Arrow from when this is loaded.
import_module("pandas.core.arrays.arrow.extension_types")


def _period_texts(column: pa.Array, unit: str) -> pa.Array:
    """Return periods of pandas as texts, such as 2024-01 for a month and 2024Q1 for a quarter.

    Args:
        column: the number of each, as pandas counts.
        unit: what is counted, as pandas calls it.
    """
    encoded = column.dictionary_encode()
    texts = [_period_text(number, unit) for number in encoded.dictionary.to_pylist()]
    spelt = pa.DictionaryArray.from_arrays(encoded.indices, pa.array(texts, pa.string()))
    return spelt.cast(pa.string())


def _period_text(number: int, unit: str) -> str:
    try:
        return str(pd.Period(ordinal=number, freq=unit))
    except (ValueError, OverflowError, KeyError):
        return NOT_A_VALUE


def is_period_type(kind: pa.DataType) -> bool:
    """Return whether values of a type are periods of pandas."""
    return getattr(kind, "extension_name", "") == "pandas.period"


def plain_values(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the values without dictionary or extension types, and of a type that Arrow can compute
    on."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_period_type(column.type):
        unit, stored = column.type.freq, column.cast(column.type.storage_type)
        if isinstance(stored, pa.Array):
            return _period_texts(stored, unit)
        chunks = [_period_texts(chunk, unit) for chunk in stored.chunks]
        return pa.chunked_array(chunks, pa.string())
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_decimal32(column.type) or pa.types.is_decimal64(column.type):
        column = column.cast(pa.decimal128(column.type.precision, column.type.scale))
    return column


def kind_of(stored: pa.DataType) -> pa.DataType:
    """Return the type of the single values of a column."""
    if pa.types.is_dictionary(stored):
        stored = stored.value_type
    return stored.storage_type if isinstance(stored, pa.BaseExtensionType) else stored


def is_text_type(kind: pa.DataType) -> bool:
    """Return whether values of a type are texts."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _words(values: pa.Array) -> list[str]:
    """Return texts; one that is not UTF-8, as Parquet requires, cannot be read."""
    try:
        return [text or "" for text in values.to_pylist()]
    except UnicodeDecodeError:
        return [_decode_bytes(data) for data in values.cast(pa.binary()).to_pylist()]


def _decode_bytes(data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError:
        return NOT_TEXT


def _doubles(values: pa.Array) -> list[str]:
    """Write numbers in floating point; Arrow writes most as `cells` does, and many times as
    fast."""
    doubles = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    with np.errstate(over="ignore"):
        singles = doubles.astype(np.float32)
    short = pa.array(singles.astype(np.float64) == doubles)
    written = pc.if_else(
        short, pc.cast(pa.array(singles), pa.string()), pc.cast(pa.array(doubles), pa.string())
    )
    alike = pc.if_else(
        short,
        pc.match_substring_regex(written, _FEW_DIGITS),
        pc.match_substring_regex(written, _FRACTION),
    )
    pairs = zip(written.to_pylist(), alike.to_pylist(), doubles.tolist(), strict=True)
    return [text if same else cell_text(value) for text, same, value in pairs]


def _numbers(values: pa.Array) -> list[str]:
    return [cell_text(value) for value in values.to_pylist()]


def _moments(values: pa.Array) -> list[str]:
    # Without its zone, a point in time stands as it is in UTC.
    return _write_times(values.cast(pa.timestamp(values.type.unit)))


def _write_times(values: pa.Array) -> list[str]:
    """As Arrow writes them; beyond the years 1 to 9999, they cannot be read."""
    return [_one_told(text) for text in pc.cast(values, pa.string()).to_pylist()]


def _one_told(text: str | None) -> str:
    if not text:
        return ""
    return moment_text(text) if _DAY.match(text) else NOT_A_VALUE


def _spans(values: pa.Array) -> list[str]:
    second = _A_SECOND[values.type.unit]
    return [_span(count, second) for count in values.cast(pa.int64()).to_pylist()]


def _span(count: int | None, second: int) -> str:
    if count is None:
        return ""
    whole, part = divmod(count, second)
    billionths = part * (_A_SECOND["ns"] // second)
    try:
        text = cell_text(timedelta(seconds=whole, microseconds=billionths // 1000))
    except OverflowError:
        return NOT_A_VALUE
    # Spans have no more than millionths here, but files do.
    return f"{cell_text(timedelta(seconds=whole))}.{billionths:09}" if billionths % 1000 else text


_SPELLERS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.Array], list[str]]], ...] = (
    (is_text_type, _words),
    (pa.types.is_floating, _doubles),
    (pa.types.is_decimal, _numbers),
    (pa.types.is_timestamp, _moments),
    (pa.types.is_date, _write_times),
    (pa.types.is_time, _write_times),
    (pa.types.is_duration, _spans),
)
