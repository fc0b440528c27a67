"""What is asked of records that are read piece by piece is what they answer in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.builders import as_parquet, both_ways
from tests.support import category_schema
from understudy.models import streamed_rows
from understudy.models.count_tables import CountSource, as_counted, count_marginals, occupied_cells
from understudy.models.learner import together
from understudy.models.prefix_index import PlausibleSeedIndex, Prefixes
from understudy.models.streamed_rows import MergeBuffer, StreamedRows, StreamedSplit
from understudy.models.views import Marginal, Rows, View, cells
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.sources import streamed_table as pieces
from understudy.table.sources.streamed_table import StreamedTable
from understudy.table.split import PARAMETERS, SEEDS, STRUCTURE, Split

SCHEMA = category_schema(4, 3, 5, 2, halves=frozenset({0, 2}))
MARGINALS: list[Marginal] = [
    (View(0),),
    (View(2, True), View(1)),
    (View(1), View(2)),
    (View(0, True),),
    (View(0), View(1), View(3)),
    (View(2), View(0, True)),
    (View(3), View(0)),
    (View(1), View(2)),
]


def some(count: int, seed: int = 1) -> Records:
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, size, count) for size in SCHEMA.cardinalities.tolist()]
    return Records(SCHEMA, np.column_stack(codes).astype(np.uint16))


@pytest.fixture(params=[(3, 7), (50, 20), (1000, 1 << 18)])
def both(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Split, StreamedSplit]:
    group, piece = request.param
    monkeypatch.setattr(pieces, "PIECE", piece)
    monkeypatch.setattr(streamed_rows, "_TURN", 5)
    return both_ways(some(101), tmp_path, group, RandomSource.fixed(3))


def pairs(split: tuple[Split, StreamedSplit]) -> Iterator[tuple[CountSource, StreamedRows]]:
    """Every part, and two of them together."""
    held, read = split
    yield as_counted(held.seeds), read.seeds
    yield as_counted(held.held_out), read.held_out
    yield as_counted(together(held)), together(read)


def test_counts_are_the_same(both: tuple[Split, StreamedSplit]) -> None:
    for held, read in pairs(both):
        assert len(read) == len(held)
        for one, other in zip(held.tables(MARGINALS), read.tables(MARGINALS), strict=True):
            assert np.array_equal(one, other)
        for one, other in zip(
            held.count_occupied(MARGINALS), read.count_occupied(MARGINALS), strict=True
        ):
            assert np.array_equal(one, other)
        for ask in (count_marginals, occupied_cells):
            found, expected = dict(ask(read, MARGINALS)), dict(ask(held, MARGINALS))
            assert found.keys() == expected.keys() == set(range(len(MARGINALS)))
            assert all(np.array_equal(found[place], expected[place]) for place in found)


def test_what_is_read_off_is_what_is_counted() -> None:
    rows = Rows.of(some(10_000))
    for place, table in count_marginals(rows, MARGINALS):
        assert np.array_equal(table, rows.counts(MARGINALS[place]))


def readings(read: StreamedRows, monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Which columns each reading from now on looks at."""
    asked: list[list[int]] = []
    real = StreamedTable.pieces

    def noted(table: StreamedTable, places: list[int]) -> Iterator[pieces.Piece]:
        asked.append(places)
        return real(table, places)

    monkeypatch.setattr(StreamedTable, "pieces", noted)
    return asked


def test_what_is_asked_at_once_is_counted_in_one_reading(
    both: tuple[Split, StreamedSplit], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = both[1].structure
    asked = readings(read, monkeypatch)
    list(read.tables(MARGINALS))
    list(read.count_occupied(MARGINALS[:4]))
    assert asked == [[0, 1, 2, 3], [0, 1, 2]]
    assert list(read.tables([])) == list(read.count_occupied([])) == []
    assert len(asked) == 2


def test_tables_that_do_not_fit_together_are_counted_one_after_another(
    both: tuple[Split, StreamedSplit], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = both[1].structure
    expected = list(read.tables(MARGINALS))
    monkeypatch.setattr(streamed_rows, "_MOST_CELLS", 20)
    asked = readings(read, monkeypatch)
    for one, other in zip(expected, read.tables(MARGINALS), strict=True):
        assert np.array_equal(one, other)
    sizes = [cells(SCHEMA, each) for each in MARGINALS]
    assert sizes == [4, 6, 15, 2, 24, 10, 8, 15]
    assert asked == [[0, 1, 2], [0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2]]


def test_a_table_of_more_cells_than_memory_is_counted_by_those_that_occur(tmp_path: Path) -> None:
    schema = category_schema(900, 900, 900, 900)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 900, (300, 4)).astype(np.uint16)
    codes[100:] = codes[:200]
    records = Records(schema, codes)
    table = StreamedTable.open(as_parquet(records, tmp_path, 70), schema)
    wide = [(View(0), View(1), View(2)), (View(0),), (View(3), View(2), View(1))]
    read = StreamedRows(table, np.zeros(300, dtype=np.uint8), (SEEDS,))
    found, expected = (
        dict(occupied_cells(read, wide)),
        dict(occupied_cells(as_counted(records), wide)),
    )
    assert [found[place].tolist() for place in range(3)] == [
        expected[place].tolist() for place in range(3)
    ]
    assert found[0].sum() == 300
    assert len(found[0]) == len(np.unique(codes[:, :3], axis=0))


def test_parts_may_be_empty(tmp_path: Path) -> None:
    records = some(12)
    table = StreamedTable.open(as_parquet(records, tmp_path, 5), SCHEMA)
    none = StreamedSplit(table, np.full(12, SEEDS, dtype=np.uint8)).of(STRUCTURE, PARAMETERS)
    assert len(none) == 0
    assert [each.sum() for each in none.tables(MARGINALS)] == [0] * len(MARGINALS)
    assert [len(each) for each in none.count_occupied(MARGINALS)] == [0] * len(MARGINALS)


@given(st.lists(st.integers(0, 50), max_size=60))
def test_a_pile_merges_everything_in_order_and_holds_little_more(sizes: list[int]) -> None:
    merged: list[int] = []

    def merge(one: list[int], other: list[int]) -> list[int]:
        merged.append(len(one) + len(other))
        return one + other

    pile: MergeBuffer[list[int]] = MergeBuffer(merge, len)
    for place, size in enumerate(sizes):
        pile.add([place] * size)
        assert len(pile) <= 2 + np.log2(1 + sum(sizes))
    expected = [place for place, size in enumerate(sizes) for _ in range(size)]
    if sizes:
        assert pile.merge_all() == pile.merge_all() == expected
        assert sum(merged) <= 2 * len(expected) * (2 + np.log2(1 + len(expected)))
    else:
        with pytest.raises(ValueError, match="nothing"):
            pile.merge_all()


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 300, 60_000]), min_size=1, max_size=7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 50))
    codes = np.column_stack([rng.integers(0, min(size, 4), count) for size in sizes])
    return codes.astype(np.uint16), np.array(sizes, dtype=np.int64)


@given(tables(), st.data())
def test_counts_are_those_of_a_scan(
    table: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    codes, sizes = table
    shortest = data.draw(st.integers(0, codes.shape[1]))
    longest = data.draw(st.integers(shortest, codes.shape[1]))
    index = PlausibleSeedIndex.of(codes, sizes, shortest, longest)
    assert len(index) == len(codes)
    every = index.leaf(np.arange(len(codes)))
    assert index.take_kept(every).T.tolist() == sorted(codes[:, :longest].tolist())

    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    leaves = every[rng.integers(0, len(codes), 20)]
    kept = np.sort(rng.integers(shortest, longest + 1, 20))
    made = rng.integers(0, np.minimum(sizes, 4), size=(20, len(sizes))).astype(np.uint16)
    own = index.take_kept(leaves).T
    for candidate, prefix, seed in zip(made, kept, own, strict=True):
        candidate[:prefix] = seed[:prefix]
    counts = index.prefix_counts(leaves, np.ascontiguousarray(made.T), kept)
    for step, length in enumerate(range(shortest, longest + 1)):
        agree = (codes[:, None, :length] == made[None, :, :length]).all(axis=2).sum(axis=0)
        assert counts[step].tolist() == agree.tolist()
        same = (codes[:, None, :length] == own[None, :, :length]).all(axis=2)
        assert index.count_shared(leaves, length).tolist() == same.sum(axis=0).tolist()


@given(tables(), st.data())
def test_prefixes_of_two_parts_are_those_of_the_whole(
    table: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    codes, sizes = table
    cut = data.draw(st.integers(0, len(codes)))
    parts = [Prefixes.of(part, sizes) for part in (codes[:cut], codes[cut:])]
    merged, whole = parts[0].merge(parts[1], sizes), Prefixes.of(codes, sizes)
    assert merged.codes.tolist() == whole.codes.tolist()
    assert merged.counts.tolist() == whole.counts.tolist()
    found = np.repeat(whole.codes, whole.counts, axis=0).tolist()
    assert found == sorted(codes.tolist())


def test_without_a_seed_there_is_nothing_to_draw_from() -> None:
    none = Prefixes.of(np.zeros((0, 2), np.uint16), np.array([2, 2]))
    with pytest.raises(ValueError, match="needs a seed"):
        PlausibleSeedIndex(none, np.array([2, 2]), 0)
