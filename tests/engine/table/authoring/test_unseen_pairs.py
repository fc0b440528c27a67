from __future__ import annotations

from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.arrays import IntArray
from understudy.table.authoring.unseen_pairs import UnseenPair, find_unseen_pairs
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=(
        Column(
            name="age",
            domain=Grid(minimum=Decimal(0), maximum=Decimal(29)),
            buckets=ByWidth(width=Decimal(10)),
        ),
        Column(name="marital", domain=Categories(values=("single", "married"))),
        Column(name="sex", domain=Categories(values=("m", "f")), missing=True),
    )
)


def make(codes: IntArray) -> Records:
    return Records(SCHEMA, codes)


def draw(seed: int, rows: int) -> IntArray:
    return np.random.default_rng(seed).integers(0, SCHEMA.cardinalities, (rows, 3))


def test_what_only_the_release_has_together_is_named_by_its_buckets() -> None:
    codes = draw(1, 600)
    real = codes[~((codes[:, 0] < 10) & (codes[:, 1] == 1))]
    both = int(((codes[:, 0] < 10) & (codes[:, 1] == 1)).sum())
    (found,) = find_unseen_pairs(make(real), make(codes))
    assert found.columns == ("age", "marital")
    assert found.values == (SCHEMA.columns[0].bucket_labels[0], "married")
    assert found.released == both
    assert not find_unseen_pairs(make(codes), make(real))


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_pairs_are_those_of_a_plain_count(seed: int, other: int) -> None:
    real, released = draw(seed, 60), draw(other, 60)
    real[real[:, 1] == 1, 2] = 2
    found = find_unseen_pairs(make(real), make(released), most=10_000)
    assert set(found) == set(_find_slowly(real, released))


def _find_slowly(real: IntArray, released: IntArray) -> list[UnseenPair]:
    def bucket(row: IntArray, place: int) -> str:
        column = SCHEMA.columns[place]
        return column.bucket_labels[column.bucket_map[row[place]]]

    found = []
    for left, right in ((0, 1), (0, 2), (1, 2)):
        ours = [(bucket(row, left), bucket(row, right)) for row in real]
        theirs = [(bucket(row, left), bucket(row, right)) for row in released]
        for pair in set(theirs) - set(ours):
            expected = (
                sum(one == pair[0] for one, _ in ours) * sum(two == pair[1] for _, two in ours)
            ) / len(ours)
            if expected >= 5:
                names = SCHEMA.names[left], SCHEMA.names[right]
                found.append(UnseenPair(names, pair, theirs.count(pair), expected))
    return found
