"""Tables known again, however they come. One way of writing a value. How much two tables have in
common, from what is kept of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.proportion import exact_interval
from understudy.core.refusal import Refusal
from understudy.ledger import likeness as likeness_module
from understudy.ledger.likeness import (
    KEPT,
    MANY,
    Keys,
    Likeness,
    Overlap,
    SharedRecords,
    Sketch,
    Sketches,
    hash_one_way,
    measure_likeness,
    spell_alike,
)
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import usual
from understudy.table.encoding import decode
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources import cell_texts
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable

KEY = bytes(range(32))
Rows = list[tuple[str, ...]]

cells = st.text(alphabet="ab0.,ü\x00", max_size=3)
tables = st.integers(1, 3).flatmap(
    lambda columns: st.lists(st.tuples(*[cells] * columns), min_size=1, max_size=6)
)


def raw(rows: Rows, names: list[str], spoil: int = 0) -> RawTable:
    """A table whose dictionaries are shuffled, repeat themselves and hold texts of no record."""
    rng = np.random.default_rng(spoil)
    columns = []
    for place in range(len(names)):
        texts = [row[place] for row in rows]
        words = sorted({*texts, *(["unused"] if spoil else [])}) * (1 + spoil % 2)
        words = [words[at] for at in rng.permutation(len(words))]
        places = [[at for at, word in enumerate(words) if word == text] for text in texts]
        indices = pa.array([rng.choice(each) for each in places], pa.int32())
        columns.append(pa.DictionaryArray.from_arrays(indices, pa.array(words, pa.string())))
    return RawTable(table_of(names, columns), usual("csv"))


def named(rows: Rows) -> list[str]:
    return [f"c{place}" for place in range(len(rows[0]))]


def known(rows: Rows, names: list[str] | None = None) -> str:
    return measure_likeness(raw(rows, names or named(rows)), KEY).fingerprint


def meaning(rows: Rows, names: list[str]) -> Counter[frozenset[tuple[str, str]]]:
    """The table as a multiset of records without order."""
    return Counter(
        frozenset((name, hash_one_way(cell)) for name, cell in zip(names, row, strict=True))
        for row in rows
    )


@settings(deadline=None)
@given(tables, st.randoms(use_true_random=False), st.integers(1, 1_000), st.integers(1, 4))
def test_neither_order_nor_encoding_nor_pieces_matter(
    rows: Rows, random: object, spoil: int, piece: int
) -> None:
    names = named(rows)
    columns = list(range(len(names)))
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    random.shuffle(columns)  # type: ignore[attr-defined]
    other = raw(
        [tuple(row[at] for at in columns) for row in shuffled], [names[at] for at in columns], spoil
    )
    one = measure_likeness(raw(rows, names), KEY)
    with patch.object(cell_texts, "PIECE", piece), patch.object(likeness_module, "_REPEATED", 1):
        two = measure_likeness(other, KEY)
    assert one.fingerprint == two.fingerprint
    assert list(one.sketch.least) == list(two.sketch.least)
    assert set(one.sketch.columns) == set(two.sketch.columns)


@settings(deadline=None)
@given(tables, tables)
def test_whatever_else_is_other_has_another_fingerprint(one: Rows, other: Rows) -> None:
    same = meaning(one, named(one)) == meaning(other, named(other))
    assert (known(one) == known(other)) == same


@settings(deadline=None)
@given(tables, st.data())
def test_one_cell_one_row_or_one_name_changed_is_another_table(
    rows: Rows, data: st.DataObject
) -> None:
    at, place = data.draw(
        st.tuples(st.integers(0, len(rows) - 1), st.integers(0, len(rows[0]) - 1))
    )
    cell = data.draw(cells)
    assume(hash_one_way(cell) != hash_one_way(rows[at][place]))
    changed = list(rows)
    changed[at] = (*rows[at][:place], cell, *rows[at][place + 1 :])
    names = named(rows)
    found = {
        known(rows), known(changed), known([*rows, rows[at]]), known(rows, ["other", *names[1:]]),
    }  # fmt: skip
    assert len(found) == 4


def test_what_a_plain_sum_of_cells_would_confuse() -> None:
    found = {
        known([("1", "2"), ("3", "4")]),
        known([("1", "4"), ("3", "2")]),
        known([("2", "1"), ("4", "3")]),
        known([("12", ""), ("3", "4")]),
        known([("1", "2"), ("1", "2"), ("3", "4")]),
        known([("1", "2"), ("3", "4"), ("3", "4")]),
        measure_likeness(raw([("1", "2"), ("3", "4")], ["c0", "c1"]), bytes(32)).fingerprint,
    }
    assert len(found) == 7


def test_a_sliced_dictionary_is_read_where_it_begins() -> None:
    words = pa.array(["zero", "one", "two", "three"], pa.string()).slice(1)
    column = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1], pa.int32()), words)
    sliced = RawTable(table_of(["c0"], [column]), usual("csv"))
    assert measure_likeness(sliced, KEY).fingerprint == known(
        [("three",), ("one",), ("two",)], ["c0"]
    )


def test_records_count_as_the_texts_they_stand_for() -> None:
    schema = category_schema(3, 4)
    records = Records(schema, np.array([[0, 3], [2, 1], [2, 3]], dtype=np.uint16))
    rows = list(zip(*decode(records).to_pydict().values(), strict=True))
    assert measure_likeness(records, KEY).fingerprint == known(rows, list(schema.names))


FRAME = pd.DataFrame(
    {
        "sex": ["m", "f", "f", "", "m", "f"],
        "age": [31, 47, 47, 8, 19, 22],
        "income": [1.5, 2.0, np.nan, 0.25, 1e6, -3.0],
        "born": pd.to_datetime(["1990-01-01", "1974-05-06"] * 3),
        "seen": pd.to_datetime(["2020-01-01 10:30:00", "2020-01-02 00:00:00"] * 3),
        "alive": [True, False, True, True, False, True],
    }
)  # fmt: skip


def parquet(frame: pd.DataFrame, **options: object) -> bytes:
    file = BytesIO()
    frame.to_parquet(file, **options)  # type: ignore[call-overload]
    return file.getvalue()


def excel(frame: pd.DataFrame) -> bytes:
    file = BytesIO()
    frame.to_excel(file, index=False)
    return file.getvalue()


def stata(frame: pd.DataFrame) -> bytes:
    file = BytesIO()
    frame.to_stata(file, write_index=False)
    return file.getvalue()


def as_csv(frame: pd.DataFrame, **options: object) -> bytes:
    return frame.to_csv(index=False, **options).encode()  # type: ignore[call-overload,no-any-return]


def schema_of(*names: str) -> Schema:
    """A schema of some text columns of `FRAME`, whatever they hold."""
    columns = []
    for name in names:
        texts = sorted({hash_one_way(str(each)) for each in FRAME[name]} - {""})
        domain = Categories(kind="categories", values=tuple(texts))
        columns.append(Column(name=name, domain=domain, missing=True))
    return Schema(columns=tuple(columns))


@pytest.fixture
def in_pieces(tmp_path: Path) -> Callable[[bytes, Schema], Likeness]:
    def look(content: bytes, schema: Schema) -> Likeness:
        path = tmp_path / "streamed.parquet"
        path.write_bytes(content)
        return measure_likeness(StreamedTable.open(path, schema), KEY)

    return look


def test_kinds_of_files_and_ways_of_reading_are_one(
    in_pieces: Callable[[bytes, Schema], Likeness],
) -> None:
    shuffled = FRAME.sample(frac=1, random_state=3)[list(FRAME.columns[::-1])]
    whole = [
        ("t.csv", as_csv(FRAME)),
        ("semicolons.csv", as_csv(shuffled, sep=";", na_rep="NA")),
        ("t.parquet", parquet(FRAME)),
        ("groups.parquet", parquet(shuffled, row_group_size=2, index=False)),
        ("t.xlsx", excel(FRAME)),
    ]
    found = [measure_likeness(read_table(content, name=name), KEY) for name, content in whole]
    streamed = parquet(FRAME, row_group_size=2)
    found += [
        in_pieces(streamed, schema_of("sex", "age")),
        in_pieces(streamed, schema_of("age", "sex")),
    ]
    found.append(in_pieces(parquet(shuffled, index=False), schema_of("sex", "alive")))
    assert len({each.fingerprint for each in found}) == 1
    assert len({tuple(each.sketch.least) for each in found}) == 1
    # Stata has no truth values and no days of this kind.
    plain = FRAME[["sex", "age", "income"]]
    pair = [("t.dta", stata(plain)), ("t.csv", as_csv(plain))]
    prints = {measure_likeness(read_table(each, name=name), KEY).fingerprint for name, each in pair}
    assert len(prints) == 1


def test_columns_that_no_schema_names_count_when_read_piece_by_piece(
    in_pieces: Callable[[bytes, Schema], Likeness],
) -> None:
    other = FRAME.assign(age=FRAME["age"] + (FRAME["age"] == 8))
    found = [in_pieces(parquet(each), schema_of("sex", "alive")) for each in (FRAME, other)]
    assert found[0].fingerprint != found[1].fingerprint
    assert found[0].sketch.overlap(found[1].sketch).columns == len(FRAME.columns) - 1


def test_a_column_that_is_not_read_may_hold_anything(
    in_pieces: Callable[[bytes, Schema], Likeness],
) -> None:
    table = pa.table(
        {"sex": ["m", "f"], "age": [1, 2], "lists": [[1], [2, 3]], "raw": [b"x", b"y"]}
    )
    file = BytesIO()
    pq.write_table(table, file)
    plain = as_csv(pd.DataFrame({"sex": ["m", "f"], "age": [1, 2]}))
    numbers = Categories(kind="categories", values=("1", "2"))
    sex = schema_of("sex", "age").columns[0]
    schema = Schema(columns=(sex, Column(name="age", domain=numbers)))
    expected = measure_likeness(read_table(plain, name="t.csv"), KEY)
    assert in_pieces(file.getvalue(), schema).fingerprint == expected.fingerprint


@given(st.lists(cells, min_size=1, max_size=8))
def test_hashes_are_those_of_each_text_by_itself(texts: list[str]) -> None:
    keys = Keys(KEY)
    together = keys.texts(pa.array(texts, pa.string()))
    alone = np.concatenate([keys.texts(pa.array([each], pa.string())) for each in texts])
    assert (together == alone).all()
    assert len({tuple(each) for each in together.tolist()}) == len(set(texts))
    column, other = keys.cells("c", together), keys.cells("d", together)
    assert not (column == other).any()
    assert not (keys.records(column) == column).any()


ALIKE = (
    ("3", "3.0", "+3", "03", "3.", "3,0", " 3 ", "0.3e1", "30E-1"),
    ("-0.5", "-.5", "-0,50", "-5e-1"),
    ("0", "-0", "0.000", "00"),
    ("", "NA", "nan", "NULL", " "),
    ("true", "TRUE", "True"),
    ("2020-03-01", "2020-03-01 00:00:00", "2020-03-01T00:00:00.000Z", "2020-03-01 00:00"),
    ("2020-03-01 10:30:00", "2020-03-01T10:30", "2020-03-01 10:30:00.000000Z"),
    ("two words", " two words\n"),
)
APART = ("3", "-3", "3.5", "0", "", "a", "A", "true", "2020-03-01", "2020-03-02", "1e500", "a b")


@pytest.mark.parametrize("texts", ALIKE)
def test_texts_that_may_mean_the_same_are_one(texts: tuple[str, ...]) -> None:
    assert set(map(hash_one_way, texts)) == {texts[0]}
    assert spell_alike(pa.array(texts)).to_pylist() == [texts[0]] * len(texts)


def test_others_stay_apart() -> None:
    assert len(set(map(hash_one_way, APART))) == len(APART)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4), st.integers(0, 3))
def test_a_number_keeps_its_value(number: Decimal, zeros: int) -> None:
    text = f"{number:f}"
    longer = (text if "." in text else text + ".") + "0" * zeros
    assert Decimal(hash_one_way(longer)) == number
    assert hash_one_way(longer) == hash_one_way(text)


@given(st.lists(st.text(alphabet="01.,-+eE \nZT:aN", max_size=8) | st.sampled_from(sum(ALIKE, ()))))
def test_a_column_is_settled_as_each_of_its_texts_is(texts: list[str]) -> None:
    assert spell_alike(pa.array(texts, pa.string())).to_pylist() == [
        hash_one_way(each) for each in texts
    ]


@pytest.mark.parametrize("text", ["1e999999999999", "1e500", "9" * 500])
def test_what_no_program_keeps_as_a_number_stays_as_it_is(text: str) -> None:
    assert hash_one_way(text) == text


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
    return measure_likeness(raw, KEY).sketch


def overlap(one: RawTable, other: RawTable) -> Overlap:
    return sketched(one).overlap(sketched(other))


@contextmanager
def kept(count: int) -> Iterator[None]:
    with patch.object(likeness_module, "KEPT", count), patch.object(likeness_module, "KEPT", count):
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
        a, b = (
            measure_likeness(people(each.start, each.stop), key).sketch for each in (one, other)
        )
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
    assert found.of_this == found.of_other == SharedRecords(20, 20)
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
    known = measure_likeness(before, KEY)
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
        found = measure_likeness(after, KEY)
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
    none = SharedRecords(0, KEPT)
    assert not none.telling
    assert not SharedRecords(1, KEPT).telling
    assert SharedRecords(1, 50).telling
    assert SharedRecords(KEPT // 100, KEPT).telling
    assert SharedRecords(0, 0).interval == (0.0, 1.0)
    assert not SharedRecords(0, 0).telling
    assert not Overlap(none, none, 1, identifying=False).telling
    assert Overlap(none, none, 2, identifying=False).telling
    assert Overlap(none, none, 1, identifying=True).telling


def test_a_share_of_one_in_a_hundred_is_hardly_ever_missed() -> None:
    """What is said of `KEPT`."""
    assert (1 - 0.01) ** KEPT < 1e-17
    assert 0.015 < (1 - 1 / 1024) ** KEPT < 0.02


def test_under_another_key_nothing_is_the_same() -> None:
    raw = people(0, 500)
    found = measure_likeness(raw, KEY).sketch.overlap(measure_likeness(raw, OTHER_KEY).sketch)
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
