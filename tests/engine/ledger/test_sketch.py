"""How much two tables have in common, from what is kept of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.proportion import exact_interval
from understudy.core.refusal import Refusal
from understudy.ledger import likeness as likeness_module
from understudy.ledger import likeness as sketch_module
from understudy.ledger.likeness import KEPT, MANY, Overlap, Share, Sketch, Sketches, likeness
from understudy.table.declared_reading import usual
from understudy.table.raw import RawTable, table_of, text_column

KEY = bytes(range(32))
OTHER_KEY = bytes(32)


def table(**columns: np.ndarray) -> RawTable:
    texts = (
        text_column(np.arange(len(each)), [str(value) for value in each])
        for each in columns.values()
    )
    return RawTable(table_of(list(columns), texts), usual("csv"))


def people(start: int, end: int) -> RawTable:
    """Of numbered people, each with a row of their own."""
    number = np.arange(start, end)
    return table(number=number, half=number % 2, tens=number % 10)


def sketched(raw: RawTable) -> Sketch:
    return likeness(raw, KEY).sketch


def overlap(one: RawTable, other: RawTable) -> Overlap:
    return sketched(one).overlap(sketched(other))


@contextmanager
def kept(count: int) -> Iterator[None]:
    with patch.object(sketch_module, "KEPT", count), patch.object(likeness_module, "KEPT", count):
        yield


def exact(one: set[int], other: set[int]) -> tuple[float, float]:
    return len(one & other) / len(one), len(one & other) / len(other)


@settings(deadline=None, max_examples=30)
@given(
    st.tuples(st.integers(0, 150), st.integers(1, 150)),
    st.tuples(st.integers(0, 150), st.integers(1, 150)),
)
def test_of_small_tables_the_shares_are_exact(one: tuple[int, int], other: tuple[int, int]) -> None:
    ranges = [(start, start + many) for start, many in (one, other)]
    found = overlap(*(people(*each) for each in ranges))
    expected = exact(*(set(range(*each)) for each in ranges))
    assert (found.of_this.estimate, found.of_other.estimate) == expected


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 4_000),
    st.integers(500, 4_000),
    st.integers(500, 4_000),
    st.binary(min_size=32, max_size=32),
)
def test_of_large_tables_they_are_estimated(start: int, many: int, others: int, key: bytes) -> None:
    one, other = range(many), range(start, start + others)
    with kept(128):
        a, b = (likeness(people(each.start, each.stop), key).sketch for each in (one, other))
        found = a.overlap(b)
        assert len(a.least) == len(b.least) == 128
    truth = exact(set(one), set(other))
    for share, exactly in zip((found.of_this, found.of_other), truth, strict=True):
        low, high = exact_interval(share.found, share.compared, 1 - 1e-9)
        assert low <= exactly <= high
    assert max(found.of_this.compared, found.of_other.compared) == 128


def test_records_that_occur_often_count_once() -> None:
    once = people(0, 20)
    often = RawTable(pa.concat_tables([once.arrow] * 3).combine_chunks(), once.reading)
    found = overlap(often, once)
    assert found.of_this == found.of_other == Share(20, 20)
    assert found.columns == 0


def changes(raw: RawTable) -> dict[str, RawTable]:
    """What becomes of a table from one year to the next, or under a hand that hides it."""
    arrow = raw.arrow
    number = np.arange(raw.rows)
    changed = number.copy()
    changed[7] = 10**6
    later = pa.concat_tables(
        [arrow, people(10**6, 10**6 + raw.rows // 2).arrow], promote_options="none"
    )
    renamed = arrow.rename_columns(["a", "b", "c"])
    return {
        "one cell": table(number=changed, half=number % 2, tens=number % 10),
        "rows added": RawTable(pa.table(later.to_pydict()), raw.reading),
        "rows taken out": people(100, raw.rows),
        "a tenth": people(0, raw.rows // 10),
        "a column dropped": RawTable(arrow.drop_columns("half"), raw.reading),
        "columns renamed": RawTable(renamed, raw.reading),
        "an identifying column and another": table(person=number[::-1], new=number % 7),
        "one in fifty": people(raw.rows - raw.rows // 50, 2 * raw.rows),
    }  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [
        1_000,
        pytest.param(
            20_000, marks=pytest.mark.thorough("test_tables_nearly_the_same_are_asked_about")
        ),
    ],
)
def test_tables_nearly_the_same_are_asked_about(rows: int) -> None:
    before = people(0, rows)
    known = likeness(before, KEY)
    for name, after in changes(before).items():
        after = RawTable(
            table_of(
                after.names,
                [
                    text_column(np.arange(after.rows), after.arrow[each].to_pylist())
                    for each in after.names
                ],
            ),
            after.reading,
        )
        found = likeness(after, KEY)
        assert found.fingerprint != known.fingerprint, name
        assert found.sketch.overlap(known.sketch).telling, name
        assert known.sketch.overlap(found.sketch).telling, name


def test_others_are_not() -> None:
    random = np.random.default_rng(1)
    ends = {"income": 10**9, "sex": 2}
    one, other = (
        table(**{name: random.integers(0, end, 5_000) for name, end in ends.items()}, year=year)
        for year in (np.full(5_000, 2024),) * 2
    )
    found = overlap(one, other)
    assert not found.telling
    assert found.of_this.found == 0
    # A column with one text only is the same in both, and tells nothing.
    assert sketched(one).columns[2] == sketched(other).columns[2]


def test_what_is_telling() -> None:
    none = Share(0, KEPT)
    assert not none.telling
    assert not Share(1, KEPT).telling
    assert Share(1, 50).telling
    assert Share(KEPT // 100, KEPT).telling
    assert Share(0, 0).interval == (0.0, 1.0)
    assert not Share(0, 0).telling
    assert not Overlap(none, none, 1, identifying=False).telling
    assert Overlap(none, none, 2, identifying=False).telling
    assert Overlap(none, none, 1, identifying=True).telling


def test_a_share_of_one_in_a_hundred_is_hardly_ever_missed() -> None:
    """What is said of `KEPT`."""
    assert (1 - 0.01) ** KEPT < 1e-17
    assert 0.015 < (1 - 1 / 1024) ** KEPT < 0.02


def test_under_another_key_nothing_is_the_same() -> None:
    raw = people(0, 500)
    found = likeness(raw, KEY).sketch.overlap(likeness(raw, OTHER_KEY).sketch)
    assert (found.of_this.found, found.columns) == (0, 0)


@pytest.mark.parametrize("rows", [3, MANY, KEPT, KEPT + 50])
def test_it_is_kept_as_it_is_and_for_its_owner_only(rows: int, tmp_path: Path) -> None:
    sketch, place = sketched(people(0, rows)), Sketches(tmp_path / "ledger.sketches")
    name = "f" * 64
    assert place.of(name, KEY) is None
    place.keep(name, sketch, KEY)
    again = place.of(name, KEY)
    assert again is not None
    assert (again.rows, again.columns, list(again.least)) == (
        sketch.rows, sketch.columns, list(sketch.least),
    )  # fmt: skip
    (file,) = (tmp_path / "ledger.sketches").iterdir()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    said = file.read_bytes()
    assert sketch.least[:1].tobytes() not in said
    assert b"rows" not in said
    # With neither the key nor under another table's name is it anything.
    assert place.of(name, OTHER_KEY) is None
    file.rename(file.with_name("a" * 64))
    assert place.of("a" * 64, KEY) is None


def test_a_damaged_sketch_is_a_lost_one_and_is_made_anew(tmp_path: Path) -> None:
    sketch, place = sketched(people(0, 50)), Sketches(tmp_path)
    place.keep("name", sketch, KEY)
    whole = (tmp_path / "name").read_bytes()
    for damaged in (b"", whole[:-1], whole[:9], b"x" * len(whole)):
        (tmp_path / "name").write_bytes(damaged)
        assert place.of("name", KEY) is None
        place.keep("name", sketch, KEY)
        assert place.of("name", KEY) is not None


def test_a_sketch_that_is_none_is_refused() -> None:
    for said in (
        b"",
        b"x" * KEPT * 9,
        bytes(KEPT * 8) + b'{"version": 2}',
        bytes(KEPT * 8) + b"[]",
    ):
        with pytest.raises(Refusal):
            Sketch.read(said)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Refusal) as refused:
        Sketches(tmp_path / "file").keep("name", sketched(people(0, 5)), KEY)
    assert refused.value.field == "ledger"
