"""The values of a column in few enough parts to be drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.evaluation.binning import Part, part_shares, parts_of
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema


def column(size: int, *, missing: bool = False) -> Column:
    domain = Categories(values=tuple(f"v{each}" for each in range(size)))
    return Column(name="c", domain=domain, missing=missing)


@given(st.integers(2, 700), st.booleans(), st.integers(2, 24))
def test_parts_are_few_and_hold_every_value_once(size: int, missing: bool, most: int) -> None:
    whole = column(size, missing=missing)
    parts = parts_of(whole, most=most)
    assert 1 < len(parts) <= most
    assert [code for part in parts for code in part.codes] == list(range(whole.cardinality))
    assert len({part.label for part in parts}) == len(parts)


@given(st.integers(2, 700), st.booleans(), st.data())
def test_looking_into_parts_ends_at_one_value(
    size: int, missing: bool, data: st.DataObject
) -> None:
    whole = column(size, missing=missing)
    wanted = data.draw(st.integers(0, whole.cardinality - 1))
    part: Part | None = None
    for _ in range(4):
        if part is not None and part.single:
            break
        inner = parts_of(whole, part)
        assert part is None or sorted(c for each in inner for c in each.codes) == list(part.codes)
        part = next(each for each in inner if wanted in each.codes)
    assert part is not None
    assert part.codes == (wanted,)
    assert part.label == whole.labels[wanted]


def test_a_column_is_seen_through_its_buckets_first() -> None:
    age = Column(name="age", domain=Grid(minimum=0, maximum=99), buckets=ByWidth(width=10))
    parts = parts_of(age)
    assert [part.label for part in parts] == list(age.bucket_labels)
    assert parts_of(age, parts[3]) == tuple(Part(f"{each}", (each,)) for each in range(30, 40))


@pytest.mark.parametrize("size", [5, 60])
def test_shares_are_of_all_records(size: int) -> None:
    schema = category_schema(size, 3)
    random = np.random.default_rng(2)
    codes = np.stack([random.integers(0, size, 500), random.integers(0, 3, 500)], axis=1)
    records = Records(Schema(columns=schema.columns), codes.astype(np.uint16))
    down, across = (parts_of(each) for each in schema.columns)
    shares = part_shares(records, (0, 1), (down, across))
    for row, one in enumerate(down):
        for place, other in enumerate(across):
            held = np.isin(codes[:, 0], one.codes) & np.isin(codes[:, 1], other.codes)
            assert shares[row, place] == pytest.approx(held.mean())
    assert part_shares(records, (0, 1), (down[:1], across)).sum() == pytest.approx(shares[0].sum())
