"""Features of records for classifiers.

Trees are trained on codes as numbers. A number's code is its place on the grid, and missing comes
after all of them, so any range and "missing" are a cut or two. The codes of categories have no
order, but a tree may cut between any two of them as often as it likes and so reach any set of
categories; columns for each category would cost a thousandfold memory and hardly ever be drawn for
a split.

Linear models get an indicator for each category, and numbers scaled to [0, 1]. Widths, scales and
norms come from the public schema, never from the records: a bound on the norm that was found in
the records would itself have to be private (Chaudhuri, Monteleoni and Sarwate 2011).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from understudy.core.arrays import CodeArray, FloatArray, IntArray, ShortFloatArray
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

Features = Any
"""(records, features) an array or a sparse matrix; scipy's types do not say which arithmetic."""


def codes(records: Records, without: int | None = None) -> ShortFloatArray:
    """(records, columns) the codes as numbers, for trees.

    Args:
        records: what is to be seen.
        without: the column to leave out, as it is the one to be told.
    """
    seen = [place for place in range(len(records.schema)) if place != without]
    return records.codes[:, seen].astype(np.float32)


def indicators(records: Records, without: int | None = None) -> Features:
    """(records, features) a sparse matrix of values in [0, 1], for what is linear.

    The first feature is 1 for every record and stands for the intercept. Categories have a
    feature each. A column of numbers has one, from 0 at its minimum to 1 at its maximum, and
    another for missing where that is allowed. A record has one entry a column, so a column of
    10,000 values costs no more memory than any other.
    """
    count = len(records)
    places = [np.zeros(count, dtype=np.int64)]
    values = [np.ones(count)]
    width = 1
    for index, column in _seen(records.schema, without):
        place, value = _column(column, records.codes[:, index])
        places.append(width + place)
        values.append(value)
        width += _width(column)
    starts = np.arange(count + 1) * len(places)
    entries = (np.column_stack(values).ravel(), np.column_stack(places).ravel(), starts)
    return sparse.csr_array(entries, shape=(count, width))


def unit_rows(records: Records, without: int | None = None) -> Features:
    """(records, features) `indicators`, divided so that no possible record has a norm above 1.

    A record has one entry of at most 1 for each column and one for the intercept.
    """
    entries = 1 + sum(1 for _ in _seen(records.schema, without))
    return indicators(records, without) / np.sqrt(entries)


def _seen(schema: Schema, without: int | None) -> Iterator[tuple[int, Column]]:
    return (each for each in enumerate(schema.columns) if each[0] != without)


def _width(column: Column) -> int:
    """Return how many features a column has."""
    return 1 + column.missing if column.ordered else column.cardinality


def _column(column: Column, codes: CodeArray) -> tuple[IntArray, FloatArray]:
    """Return which feature of the column each record fills, and with what."""
    if not column.ordered:
        return codes.astype(np.int64), np.ones(len(codes))
    missing = codes == column.domain.size
    share = codes / max(1, column.domain.size - 1)
    return missing.astype(np.int64), np.where(missing, 1.0, share)
