"""Building columns of texts from values that arrive in blocks.

Each different value of a block becomes a text once, and each different text is kept once, so that a
column of a million records takes four megabytes and its dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import NoneType
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from understudy.table.cells import cell_text
from understudy.table.raw import table_of
from understudy.table.unreadable import NOT_A_VALUE

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
        self._blocks: list[npt.NDArray[np.int32]] = []
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
