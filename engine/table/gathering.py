"""Values that arrive in blocks, gathered into columns of texts.

Each different value of a block becomes a text once, and each different text is kept once, so that a
column of a million records takes four megabytes and its dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from engine.table.cells import cell_text
from engine.table.raw import table_of

Speller = Callable[[Any], str]

_CODE_BYTES = 4
_TEXT_BYTES = 80


class Gathering:
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
        """Add a block of records, given column by column.

        Raises:
            Unwritable: a column holds something that is not a single value.
        """
        for name, column, values in zip(self._names, self._columns, columns, strict=True):
            try:
                column.add(values)
            except TypeError:
                raise Unwritable(name) from None
        self.rows += len(columns[0]) if columns else 0

    def table(self) -> pa.Table:
        """The records so far, as texts in one chunk."""
        return table_of(self._names, (column.texts() for column in self._columns))


class Unwritable(Exception):
    """A column holds lists, binary or other values that no single text stands for.

    Attributes:
        column: its name.
    """

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


class _Column:
    """One column: the texts found so far, and for each record the place of its text."""

    def __init__(self, spell: Speller) -> None:
        self._spell = spell
        self._places: dict[str, int] = {}
        self._blocks: list[npt.NDArray[np.int32]] = []
        self.text_bytes = 0

    def add(self, values: Sequence[Any]) -> None:
        boxed = np.fromiter(_told_apart(values), dtype=object, count=len(values))
        codes, different = pd.factorize(boxed)
        # The last place is that of nothing, which is counted as −1.
        places = [self._place(self._spell(value)) for value in different]
        places.append(self._place("") if (codes < 0).any() else 0)
        self._blocks.append(np.array(places, dtype=np.int32)[codes])

    def _place(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self._places)
            self.text_bytes += len(text) + _TEXT_BYTES
        return self._places[text]

    def texts(self) -> pa.DictionaryArray:
        codes = np.concatenate(self._blocks) if self._blocks else np.zeros(0, np.int32)
        texts = pa.array(list(self._places), pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), texts)


def _told_apart(values: Sequence[Any]) -> Sequence[Any]:
    """The same, with texts for truth values among others: Python holds true to equal 1, and which
    of two equal values is looked at hangs on which comes first."""
    if len(kinds := set(map(type, values)) - {NoneType}) > 1 and bool in kinds:
        return [cell_text(each) if isinstance(each, bool) else each for each in values]
    return values
