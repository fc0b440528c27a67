"""Pairs of values that a release shows together and the confidential table never does. Internal.

Each may be a rule that is missing, or a rare case that the release does well to show: only a person
can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.table.records import Records
from understudy.table.schema import Schema

_MOST_GROUPS: Final = 60
_MOST_COLUMNS: Final = 60
_LEAST_EXPECTED: Final = 5.0


@dataclass(frozen=True)
class UnseenPair:
    """Two values that are together in released rows and in no record of the table. Internal.

    Attributes:
        columns: the names of the columns.
        values: what each holds, by the labels of its buckets.
        released: how many released rows have both.
        expected: how many records of the table would have both if the columns were independent.
    """

    columns: tuple[str, str]
    values: tuple[str, str]
    released: int
    expected: float


def find_unseen_pairs(real: Records, released: Records, most: int = 12) -> tuple[UnseenPair, ...]:
    """Return the pairs of buckets of two columns that the table never has together though both are
    common, and the release has, those with most released rows first. Internal.

    Args:
        real: the confidential table.
        released: rows of a release.
        most: how many pairs to return at most.
    """
    places = [
        (released.schema.index(name), real.schema.index(name)) for name in _names(real.schema)
    ]
    found: list[UnseenPair] = []
    for (left, real_left), (right, real_right) in combinations(places, 2):
        ours = _count_together(real, real_left, real_right)
        theirs = _count_together(released, left, right)
        if ours.shape != theirs.shape or not ours.sum():
            continue
        expected = np.outer(ours.sum(axis=1), ours.sum(axis=0)) / ours.sum()
        unseen = (ours == 0) & (theirs > 0) & (expected >= _LEAST_EXPECTED)
        columns = [real.schema.columns[place] for place in (real_left, real_right)]
        for one, other in np.argwhere(unseen):
            found.append(
                UnseenPair(
                    (columns[0].name, columns[1].name),
                    (columns[0].bucket_labels[one], columns[1].bucket_labels[other]),
                    int(theirs[one, other]),
                    float(expected[one, other]),
                )
            )
    found.sort(key=lambda each: (-each.released, each.columns, each.values))
    return tuple(found[:most])


def _names(schema: Schema) -> list[str]:
    """Return the columns of few buckets."""
    few = [each.name for each in schema.columns if each.bucket_count <= _MOST_GROUPS]
    return few[:_MOST_COLUMNS]


def _count_together(records: Records, left: int, right: int) -> IntArray:
    """Return how many records have each two buckets of two columns."""
    columns = records.schema.columns
    one, other = (columns[each].bucket_map[records.codes[:, each]] for each in (left, right))
    size = columns[right].bucket_count
    joint = np.bincount(one * size + other, minlength=columns[left].bucket_count * size)
    return joint.reshape(-1, size)
