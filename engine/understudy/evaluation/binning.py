"""The values of a column in few enough parts to be drawn, each of which can be looked into.

At first a column is seen through its buckets; where it has none, or too many, neighbours in its
list are taken together. A part is seen as its values, or again as parts of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.table.column import Column
from understudy.table.missing_codes import MISSING_LABEL
from understudy.table.records import Records

MOST: Final = 24
"""The most parts that are seen at once."""


@dataclass(frozen=True)
class ValuePart:
    """Some values of a column.

    Attributes:
        label: what a reader calls them.
        codes: which they are.
    """

    label: str
    codes: tuple[int, ...]

    @property
    def single(self) -> bool:
        """Whether it is one value, so that there is nothing to look into."""
        return len(self.codes) == 1


def parts_of(
    column: Column, within: ValuePart | None = None, most: int = MOST
) -> tuple[ValuePart, ...]:
    """Return the parts of a column, or of a part of it, in the order of its values.

    Args:
        column: its values and buckets.
        within: the part that is looked into; None for the whole column.
        most: the most parts, at least 2.
    """
    codes = tuple(range(column.cardinality)) if within is None else within.codes
    if len(codes) <= most:
        return tuple(ValuePart(column.labels[code], (code,)) for code in codes)
    buckets = _buckets(column, codes)
    return buckets if 1 < len(buckets) <= most else _neighbours(column, codes, most)


def part_shares(
    records: Records,
    places: tuple[int, int],
    parts: tuple[Sequence[ValuePart], Sequence[ValuePart]],
) -> FloatArray:
    """Return (parts of one, parts of the other) the share of all records in each; those that are in
    no part are counted nowhere."""
    one, other = (
        _part_of(records.schema.columns[place], each)[records.codes[:, place]]
        for place, each in zip(places, parts, strict=True)
    )
    inside = (one >= 0) & (other >= 0)
    down, across = (len(each) for each in parts)
    counts = np.bincount(one[inside] * across + other[inside], minlength=down * across)
    return (counts / max(1, len(records))).reshape(down, across)


def _buckets(column: Column, codes: Sequence[int]) -> tuple[ValuePart, ...]:
    """By bucket, in the order in which buckets come up."""
    found: dict[int, list[int]] = {}
    for code in codes:
        found.setdefault(int(column.bucket_map[code]), []).append(code)
    return tuple(ValuePart(column.bucket_labels[each], tuple(held)) for each, held in found.items())


def _neighbours(column: Column, codes: Sequence[int], most: int) -> tuple[ValuePart, ...]:
    """Return runs of about as many values each, and each code for missing by itself; where these
    would be more than half of all, together."""
    missing = tuple(code for code in codes if code >= column.domain.size)
    rest = [code for code in codes if code < column.domain.size]
    alone: tuple[ValuePart, ...] = tuple(
        ValuePart(column.labels[code], (code,)) for code in missing
    )
    if len(alone) > max(1, most // 2):
        alone = (ValuePart(MISSING_LABEL, missing),)
    if not rest:
        rest, alone = list(codes), ()
    runs = np.array_split(np.array(rest), min(len(rest), most - len(alone)))
    return (*(_run(column, tuple(each.tolist())) for each in runs), *alone)


def _run(column: Column, codes: tuple[int, ...]) -> ValuePart:
    first, last = column.labels[codes[0]], column.labels[codes[-1]]
    return ValuePart(first if len(codes) == 1 else f"{first} … {last}", codes)


def _part_of(column: Column, parts: Sequence[ValuePart]) -> IntArray:
    """Return (cardinality,) the part of each code; −1 for none."""
    found = np.full(column.cardinality, -1, dtype=np.int64)
    for place, each in enumerate(parts):
        found[list(each.codes)] = place
    return found
