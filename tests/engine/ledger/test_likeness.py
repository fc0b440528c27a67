"""Tables known again, however they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
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
from understudy.ledger import likeness as module
from understudy.ledger.likeness import Keys, Likeness, likeness, one_way
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import usual
from understudy.table.encoding import decode
from understudy.table.raw import RawTable, table_of
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources import cell_texts
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed import StreamedTable

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
    return likeness(raw(rows, names or named(rows)), KEY).fingerprint


def meaning(rows: Rows, names: list[str]) -> Counter[frozenset[tuple[str, str]]]:
    """The table as a multiset of records without order."""
    return Counter(
        frozenset((name, one_way(cell)) for name, cell in zip(names, row, strict=True))
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
    one = likeness(raw(rows, names), KEY)
    with patch.object(cell_texts, "PIECE", piece), patch.object(module, "_REPEATED", 1):
        two = likeness(other, KEY)
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
    assume(one_way(cell) != one_way(rows[at][place]))
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
        likeness(raw([("1", "2"), ("3", "4")], ["c0", "c1"]), bytes(32)).fingerprint,
    }
    assert len(found) == 7


def test_a_sliced_dictionary_is_read_where_it_begins() -> None:
    words = pa.array(["zero", "one", "two", "three"], pa.string()).slice(1)
    column = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1], pa.int32()), words)
    sliced = RawTable(table_of(["c0"], [column]), usual("csv"))
    assert likeness(sliced, KEY).fingerprint == known([("three",), ("one",), ("two",)], ["c0"])


def test_records_count_as_the_texts_they_stand_for() -> None:
    schema = category_schema(3, 4)
    records = Records(schema, np.array([[0, 3], [2, 1], [2, 3]], dtype=np.uint16))
    rows = list(zip(*decode(records).to_pydict().values(), strict=True))
    assert likeness(records, KEY).fingerprint == known(rows, list(schema.names))


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
        texts = sorted({one_way(str(each)) for each in FRAME[name]} - {""})
        domain = Categories(kind="categories", values=tuple(texts))
        columns.append(Column(name=name, domain=domain, missing=True))
    return Schema(columns=tuple(columns))


@pytest.fixture
def in_pieces(tmp_path: Path) -> Callable[[bytes, Schema], Likeness]:
    def look(content: bytes, schema: Schema) -> Likeness:
        path = tmp_path / "streamed.parquet"
        path.write_bytes(content)
        return likeness(StreamedTable.opened(path, schema), KEY)

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
    found = [likeness(read_table(content, name=name), KEY) for name, content in whole]
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
    prints = {likeness(read_table(each, name=name), KEY).fingerprint for name, each in pair}
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
    expected = likeness(read_table(plain, name="t.csv"), KEY)
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
