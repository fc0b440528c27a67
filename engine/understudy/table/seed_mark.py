"""The mark on a table that was made with a fixed random seed: a column that says so, last in it."""

from __future__ import annotations

import numpy as np

from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import MOST_COLUMNS, Schema

COLUMN = "not_private"
VALUE = "demonstration: fixed random seed"


def marked_schema(schema: Schema) -> Schema:
    """Return the schema with the column that says so.

    Raises:
        Refusal: it has a column of that name, or no room for another.
    """
    if COLUMN in schema.order:
        raise Refusal(
            f"A demonstration adds the column “{COLUMN}”, and the table has one of that name.",
            "Rename the column, or make the table without a fixed random seed.",
        )
    if len(schema.full) == MOST_COLUMNS:
        raise Refusal(
            f"A demonstration adds a column, and the table has {MOST_COLUMNS} already.",
            "Leave a column out, or make the table without a fixed random seed.",
        )
    mark = Column(name=COLUMN, domain=Categories(values=(VALUE,)))
    return Schema(
        columns=(*schema.columns, mark),
        omissions=schema.omissions,
        derived=schema.derived,
        recodings=schema.recodings,
    )


def stain_records(records: Records, marked: Schema) -> Records:
    """Return the records with that column; `marked` is the `marked_schema` of theirs."""
    column = np.zeros((len(records), 1), dtype=np.uint16)
    return Records(marked, np.hstack([records.codes, column]), records.numbers)
