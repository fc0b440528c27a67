"""A part of the people or things that a table is about, said in terms of its schema.

“REGION = North or South” are the records with one of these values, “AGE = 65 to 120” those with a
value from one to another. Whether a record belongs follows from the schema and from that record
alone, never from others: so adding or removing a record moves no other in or out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.schema import Schema

_SHOWN = 8


@dataclass(frozen=True)
class Subpopulation:
    """Which records belong to it.

    Attributes:
        place: the column that says so, by index in the schema.
        codes: its values, ascending.
        words: who they are, to a reader: “whose AGE is 65 to 120”.
    """

    place: int
    codes: tuple[int, ...]
    words: str

    @classmethod
    def of(cls, text: str, schema: Schema, field: str) -> Subpopulation:
        """Return what a text such as “REGION = North or South” says.

        Args:
            text: the name of a column, “=”, and values with “or” between them. Of a column of
                numbers, a value may be a range, “LOW to HIGH”.
            schema: the columns.
            field: the setting that holds the text.

        Raises:
            Refusal: it names no column, or no value of it, or every value.
        """
        column, values = _divide_text(text, schema, field)
        codes = tuple(sorted(set(_codes(values, column, field))))
        if not codes:
            raise Refusal(
                f"“{values}” is no value of “{column.name}”.",
                "Begin a range with its lower end.",
                field=field,
            )
        if len(codes) == column.cardinality:
            raise Refusal(
                f"“{text}” is true of every record.",
                "Leave some values out, or the whole setting, for all records.",
                field=field,
            )
        return cls(schema.names.index(column.name), codes, f"whose {column.name} is {values}")

    def holds(self, codes: CodeArray) -> BoolArray:
        """Return (n,) whether each of (n, m) records, as codes in schema order, belongs to it."""
        return np.isin(codes[:, self.place], self.codes)

    def put_in(self, codes: CodeArray) -> CodeArray:
        """Return (n, m) rows as they are if they belong to it: where one value says so, they have
        it."""
        if len(self.codes) != 1:
            return codes
        found = codes.copy()
        found[:, self.place] = self.codes[0]
        return found


def _divide_text(text: str, schema: Schema, field: str) -> tuple[Column, str]:
    """Return the column that a text names, and what it says of it."""
    for name in sorted(schema.names, key=len, reverse=True):
        rest = text.strip().removeprefix(name).lstrip()
        if text.strip().startswith(name) and rest.startswith("="):
            return schema.column(name), rest[1:].strip()
    raise Refusal(
        f"“{text}” does not begin with the name of a column and “=”.",
        "Write it as “REGION = North or South”, or “AGE = 65 to 120”; the columns are: "
        + _list_texts(schema.names),
        field=field,
    )


def _codes(values: str, column: Column, field: str) -> Iterator[int]:
    """Yield the codes of the values that are said."""
    texts = list(column.texts)
    for value in [values] if values in texts else values.split(" or "):
        low, between, high = (each.strip() for each in value.partition(" to "))
        if value.strip() in texts:
            yield texts.index(value.strip())
        elif column.ordered and between and low in texts and high in texts:
            yield from range(texts.index(low), texts.index(high) + 1)
        else:
            raise Refusal(
                f"The column “{column.name}” has no value “{value.strip()}”.",
                "Write values as the schema has them: " + _list_texts(column.texts),
                field=field,
            )


def _list_texts(texts: tuple[str, ...]) -> str:
    more = "" if len(texts) <= _SHOWN else " …"
    return ", ".join(texts[:_SHOWN]) + (more or ".")
