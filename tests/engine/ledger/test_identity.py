"""Tables told apart without keeping anything of them."""

from __future__ import annotations

import hashlib
import hmac
import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ledger import identity
from engine.ledger.identity import fingerprint, key_mark, place_new, secret_key
from engine.table.declared_reading import usual
from engine.table.encoding import decode
from engine.table.raw import RawTable, table_of
from engine.table.reading import read_table
from engine.table.records import Records
from tests.support import category_schema

KEY = bytes(range(32))

cells = st.text(alphabet="ab,ü\x00", max_size=3)
tables = st.integers(1, 3).flatmap(
    lambda columns: st.lists(st.tuples(*[cells] * columns), max_size=6).map(
        lambda rows: (columns, rows)
    )
)


def raw(rows: list[tuple[str, ...]], names: list[str], spoil: int = 0) -> RawTable:
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


def named(columns: int) -> list[str]:
    return [f"c{place}" for place in range(columns)]


def slowly(rows: list[tuple[str, ...]], names: list[str]) -> str:
    """The fingerprint, cell by cell: whatever a ledger knows already has to be known again."""
    said = json.dumps([names, len(rows)]).encode()
    said = len(said).to_bytes(8, "little") + said
    for place in range(len(names)):
        cells = [row[place] for row in rows]
        texts = list(dict.fromkeys(reversed(cells)))[::-1]
        encoded = [text.encode() for text in texts]
        said += len(texts).to_bytes(8, "little")
        said += b"".join(len(each).to_bytes(8, "little") for each in encoded) + b"".join(encoded)
        said += b"".join(texts.index(cell).to_bytes(4, "little") for cell in cells)
    return hmac.new(KEY, b"understudy table" + said, hashlib.sha256).hexdigest()


@settings(deadline=None)
@given(tables, st.integers(1, 1_000), st.integers(1, 4))
def test_it_is_what_it_always_was_however_many_cells_are_taken_at_once(
    table: tuple[int, list[tuple[str, ...]]], spoil: int, at_once: int
) -> None:
    columns, rows = table
    with patch.object(identity, "_AT_ONCE", at_once):
        found = fingerprint(raw(rows, named(columns), spoil), KEY)
    assert found == slowly(rows, named(columns))


@settings(deadline=None)
@given(tables, st.integers(1, 1_000))
def test_how_the_texts_are_encoded_does_not_matter(
    table: tuple[int, list[tuple[str, ...]]], spoil: int
) -> None:
    columns, rows = table
    names = named(columns)
    assert fingerprint(raw(rows, names), KEY) == fingerprint(raw(rows, names, spoil), KEY)


@settings(deadline=None)
@given(tables, tables)
def test_other_texts_have_another_fingerprint(
    one: tuple[int, list[tuple[str, ...]]], other: tuple[int, list[tuple[str, ...]]]
) -> None:
    prints = [fingerprint(raw(rows, named(columns)), KEY) for columns, rows in (one, other)]
    assert (prints[0] == prints[1]) == (one == other)


def test_names_order_and_borders_of_cells_count() -> None:
    rows = [("a", "b"), ("c", "d")]
    found = {
        fingerprint(raw(rows, ["x", "y"]), KEY),
        fingerprint(raw(rows, ["y", "x"]), KEY),
        fingerprint(raw(rows[::-1], ["x", "y"]), KEY),
        fingerprint(raw([("ab", ""), ("c", "d")], ["x", "y"]), KEY),
        fingerprint(raw([("a", "b"), ("a", "d")], ["x", "y"]), KEY),
        fingerprint(raw([("a", "b")], ["x", "y"]), KEY),
        fingerprint(raw(rows, ["x", "y"]), bytes(32)),
        fingerprint(raw([("ab",), ("",)], ["x"]), KEY),
        fingerprint(raw([("a",), ("b",)], ["x"]), KEY),
    }
    assert len(found) == 9


def test_a_sliced_dictionary_is_read_where_it_begins() -> None:
    words = pa.array(["zero", "one", "two", "three"], pa.string()).slice(1)
    column = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1], pa.int32()), words)
    sliced = RawTable(table_of(["c0"], [column]), usual("csv"))
    plain = raw([("three",), ("one",), ("two",)], ["c0"])
    assert fingerprint(sliced, KEY) == fingerprint(plain, KEY)


def test_records_count_as_the_texts_they_stand_for() -> None:
    schema = category_schema(3, 4)
    records = Records(schema, np.array([[0, 3], [2, 1], [2, 3]], dtype=np.uint16))
    rows = list(zip(*decode(records).to_pydict().values(), strict=True))
    assert fingerprint(records, KEY) == fingerprint(raw(rows, list(schema.names)), KEY)


def test_a_file_read_twice_is_the_same_table(tmp_path: Path) -> None:
    text = "a,b\n1,x\n2,y\n1,x\n"
    comma = fingerprint(read_table(text.encode(), name="t.csv"), KEY)
    semicolon = read_table(text.replace(",", ";").encode(), name="u.csv")
    assert fingerprint(semicolon, KEY) == comma


def test_the_key_is_made_once_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.key"
    key = secret_key(path)
    assert len(key) == 32
    assert secret_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.key"]
    assert key_mark(key) != key_mark(bytes(32))


def _read_key(path: Path, together: Callable[[], object], found: object) -> None:
    together()
    found.put(secret_key(path))  # type: ignore[attr-defined]


def test_of_several_makers_one_wins(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    barrier, found = context.Barrier(6), context.Queue()
    makers = [
        context.Process(target=_read_key, args=(tmp_path / "ledger.key", barrier.wait, found))
        for _ in range(6)
    ]
    for maker in makers:
        maker.start()
    keys = {found.get(timeout=60) for _ in makers}
    for maker in makers:
        maker.join()
    assert len(keys) == 1


def test_a_file_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"mine")
    place_new(path, b"other")
    assert path.read_bytes() == b"mine"
    with pytest.raises(OSError, match="No such file"):
        place_new(tmp_path / "no" / "file", b"")
