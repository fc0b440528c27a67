"""Distances by blocks, against scikit-learn and against one record at a time. The values of a
column in few enough parts to be drawn.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from tests.engine.evaluation.builders import disclosure_study as study_of
from tests.support import category_schema, uniform_records
from understudy.core.refusal import Refusal
from understudy.evaluation import nearest
from understudy.evaluation.binning import ValuePart, part_shares, parts_of
from understudy.evaluation.comparison import distances as distances_between
from understudy.evaluation.nearest import (
    count_differences,
    nearest_by_block,
    nearness,
    peers,
    sample_size,
    surroundings,
)
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.records import Records
from understudy.table.schema import Schema

RNG = np.random.default_rng(8)


def codes(count: int, *sizes: int) -> np.ndarray:
    return np.column_stack([RNG.integers(0, size, count) for size in sizes]).astype(np.uint16)


def whole(these: np.ndarray, those: np.ndarray, without: int | None = None) -> np.ndarray:
    return np.concatenate([found.copy() for _, found in count_differences(these, those, without)])


@pytest.mark.parametrize("sizes", [(3,), (2, 300, 5), (4,) * 11, (900,) * 255])
def test_distances_are_those_of_every_pair(sizes: tuple[int, ...]) -> None:
    these, those = codes(70, *sizes), codes(41, *sizes)
    slow = (these[:, None, :] != those[None]).sum(axis=2)
    assert whole(these, those).tolist() == slow.tolist()
    differ = these[:, None, :] != those[None]
    differ[:, :, 0] = False
    assert whole(these, those, without=0).tolist() == differ.sum(axis=2).tolist()


def test_many_blocks_are_no_different(monkeypatch: pytest.MonkeyPatch) -> None:
    these, those = codes(70, 4, 4, 4), codes(41, 4, 4, 4)
    expected = whole(these, those).tolist()
    for entries in (1, 100, 41 * 7):
        monkeypatch.setattr(nearest, "_ENTRIES", entries)
        assert whole(these, those).tolist() == expected


def test_what_stands_around_is_what_scikit_learn_finds() -> None:
    these, those = codes(80, *(3,) * 7), codes(300, *(3,) * 7)
    found = surroundings(these, those)
    near, _ = NearestNeighbors(n_neighbors=1, metric="hamming").fit(those).kneighbors(these)
    assert found.nearest == pytest.approx(7 * near[:, 0])
    every = (these[:, None, :] != those[None]).sum(axis=2)
    assert found.density == pytest.approx(np.exp(-every.astype(float)).sum(axis=1))


def test_the_nearest_of_each_block() -> None:
    these, those = codes(30, 3, 3, 3, 3), codes(47, 3, 3, 3, 3)
    found = nearest_by_block(these, those, 5)
    every = (these[:, None, :] != those[None]).sum(axis=2)
    runs = [0, 9, 18, 28, 37, 47]
    for block in range(5):
        expected = every[:, runs[block] : runs[block + 1]].min(axis=1)
        assert found[:, block].tolist() == expected.tolist()


def test_seeds_and_control_are_equally_many_and_each_record_is_taken_once() -> None:
    study = study_of(codes(300, 50, 50), codes(500, 50, 50), codes(200, 50, 50))
    among = peers(study)
    assert len(among.seeds) == len(among.control) == 200
    held = sorted(map(tuple, study.held_out.codes.tolist()))
    assert sorted(map(tuple, among.control.tolist())) == held
    assert among is peers(study)


def test_no_more_are_looked_at_than_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "MOST", 60)
    study = study_of(codes(300, 5, 5), codes(500, 5, 5), codes(200, 5, 5))
    near = nearness(study, study.tables[0])
    assert len(peers(study).seeds) == 60
    assert near.to_seeds.shape == (60, nearest.BLOCKS)
    assert near is nearness(study, study.tables[0])


def test_wide_tables_are_cut_further() -> None:
    assert sample_size(11) == nearest.MOST
    assert sample_size(200) ** 2 * 200 <= 3e9
    assert sample_size(200) > 3_000


def test_too_few_are_refused_in_words() -> None:
    for seeds, held in ((20, 200), (200, 20)):
        with pytest.raises(Refusal, match="Fewer than 50"):
            peers(study_of(codes(300, 5, 5), codes(seeds, 5, 5), codes(held, 5, 5)))


SCHEMA = category_schema(3, 2, 4)


def some(seed: int, count: int) -> Records:
    return uniform_records(SCHEMA, count, seed)


def by_definition(ours: list[object], theirs: list[object]) -> float:
    return (
        sum(
            abs(ours.count(cell) / len(ours) - theirs.count(cell) / len(theirs))
            for cell in {*ours, *theirs}
        )
        / 2
    )


@given(st.integers(0, 2**31), st.integers(1, 40), st.integers(1, 40))
def test_distances_are_total_variation(seed: int, one: int, other: int) -> None:
    ours, theirs = some(seed, one), some(seed + 1, other)
    found = distances_between(ours, theirs)
    for first in range(3):
        assert found.single[first] == pytest.approx(
            by_definition(ours.codes[:, first].tolist(), theirs.codes[:, first].tolist())
        )
        for second in range(first + 1, 3):
            cells = [
                [tuple(row) for row in table.codes[:, [first, second]].tolist()]
                for table in (ours, theirs)
            ]
            assert found.pairs[first, second] == pytest.approx(by_definition(*cells))
            assert found.pairs[second, first] == found.pairs[first, second]
    assert len(found.each_pair) == 3
    assert found.typical_pair == sorted(found.each_pair)[1]
    assert found.farthest_pair == max(found.each_pair)


def test_a_table_is_no_distance_from_itself() -> None:
    found = distances_between(some(1, 30), some(1, 30))
    assert found.pairs.max() == 0


def column(size: int, *, missing: int = 0) -> Column:
    """A column of so many values and codes for missing."""
    domain = Categories(values=tuple(f"v{each}" for each in range(size)))
    codes = tuple(MissingCode(values=(f"-{each}",)) for each in range(max(1, missing)))
    return Column(name="c", domain=domain, missing=missing > 0, missing_codes=codes)


@given(st.integers(2, 700), st.integers(0, 40), st.integers(2, 24))
def test_parts_are_few_and_hold_every_value_once(size: int, missing: int, most: int) -> None:
    whole = column(size, missing=missing)
    parts = parts_of(whole, most=most)
    assert 1 < len(parts) <= most
    assert [code for part in parts for code in part.codes] == list(range(whole.cardinality))
    assert len({part.label for part in parts}) == len(parts)


@given(st.integers(2, 700), st.integers(0, 40), st.data())
def test_looking_into_parts_ends_at_one_value(size: int, missing: int, data: st.DataObject) -> None:
    whole = column(size, missing=missing)
    wanted = data.draw(st.integers(0, whole.cardinality - 1))
    part: ValuePart | None = None
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
    assert parts_of(age, parts[3]) == tuple(ValuePart(f"{each}", (each,)) for each in range(30, 40))


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
