"""Names of columns that cannot be shown, or told apart, are refused wherever they come from."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.table.refusals import refused
from understudy.core.refusal import Refusal
from understudy.core.text_escape import first_unseen
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.raw import Labels
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

Maker = Callable[[list[str]], bytes]


def _csv(names: list[str]) -> bytes:
    return (",".join(names) + "\n1,2\n3,4\n").encode()


def _parquet(names: list[str]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table([pa.array(["1"]), pa.array(["2"])], names=names), sink)
    return bytes(sink.getvalue())


def _excel(names: list[str]) -> bytes:
    sink = io.BytesIO()
    pd.DataFrame([["1", "2"]], columns=names).to_excel(sink, index=False)
    return sink.getvalue()


FILES: dict[str, Maker] = {"t.csv": _csv, "t.parquet": _parquet, "t.xlsx": _excel}
UNSEEN = ["pa\u202ey", "pa\u200by", "\u2066pay", "pay\ufeff", "pa\xady", "p\x7fay", "\U000e0041pay"]
STEERING = ["\x1b[2Jpay", "pa\x08y"]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", UNSEEN)
def test_a_name_that_is_not_seen_whole_is_refused(file: str, name: str) -> None:
    refusal = refused(read_table, FILES[file](["age", name]), name=file)
    assert refusal.problem.startswith(f"The name of column 2 of {file} holds a character")
    assert "Rename" in refusal.remedy


@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("name", STEERING)
def test_a_name_that_steers_a_terminal_is_refused(file: str, name: str) -> None:
    refusal = refused(read_table, FILES[file](["age", name]), name=file)
    assert refusal.problem.startswith(f"The name of column 2 of {file} holds a character")
    assert first_unseen(str(refusal)) is None


@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_a_name_like_a_book_is_refused_without_it(file: str) -> None:
    refusal = refused(read_table, FILES[file](["age", "x" * 100_000]), name=file)
    assert refusal.problem == (
        f"The name of column 2 of {file} has 100,000 characters; at most 200 can be used."
    )


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("pair", [("é", "e\u0301"), ("kg", "ｋｇ"), ("Å", "\u212b")])
def test_names_in_two_forms_of_unicode_are_refused(file: str, pair: tuple[str, str]) -> None:
    refusal = refused(read_table, FILES[file](list(pair)), name=file)
    assert refusal.problem.startswith(f"The names of columns 1 and 2 of {file} look the same")


def test_capitals_tell_names_apart() -> None:
    assert read_table(_csv(["Age", "age"]), name="t.csv").names == ("Age", "age")


def test_a_name_over_two_lines_can_still_be_left_out() -> None:
    assert read_table(b'"a\nb",c,d\n1,2,3\n', name="t.csv").names == ("a\nb", "c", "d")


def _schema(**field: object) -> str:
    plain = {"type": "string", "constraints": {"enum": ["x", "y"]}}
    return json.dumps({"fields": [{"name": "a", **plain}, {"name": "b", **plain, **field}]})


@pytest.mark.parametrize("name", [*UNSEEN, *STEERING, "a\nb", "x" * 100_000])
def test_a_schema_has_no_such_name(name: str) -> None:
    refusal = refused(Schema.from_json, _schema(name=name))
    assert "b" in refusal.problem
    assert len(str(refusal)) < 1000
    assert first_unseen(str(refusal)) is None


def test_a_schema_has_no_two_names_that_look_the_same() -> None:
    kind = Categories(values=("x", "y"))
    with pytest.raises(Refusal, match="columns 1 and 2 of the schema look the same"):
        Schema(columns=(Column(name="é", domain=kind), Column(name="e\u0301", domain=kind)))


@pytest.mark.parametrize(
    "field",
    [
        {"title": "Sex\u202e"},
        {"title": "x" * 100_000},
        {"categories": [{"value": "x", "label": "\x1b[31m"}, {"value": "y", "label": "y"}]},
        {"categories": [{"value": "x", "label": "l" * 100_000}, {"value": "y", "label": "y"}]},
    ],
)
def test_titles_and_labels_are_seen_whole(field: dict[str, object]) -> None:
    refusal = refused(Schema.from_json, _schema(**field))
    assert refusal.problem.startswith("Column “b”")
    assert len(str(refusal)) < 1000


def test_what_a_file_says_of_its_columns_is_made_visible() -> None:
    found = Labels.of_file({"a": "Sex\u202e of\r\nthem"}, {"a": {"1": "\x1b[31mred"}}, {})
    assert found.titles == {"a": "Sex\\u202e of them"}
    assert found.values == {"a": {"1": "\\x1b[31mred"}}
    assert len(Labels.of_file({"a": "x" * 100_000}, {}, {}).titles["a"]) <= 1000


def test_a_value_stays_as_it_is_and_is_shown_whole() -> None:
    column = Column(name="a", domain=Categories(values=("x\u202e", "y")))
    assert column.texts == ("x\u202e", "y")
    assert column.labels == ("x\\u202e", "y")


def test_a_column_in_another_form_of_unicode_is_spoken_of() -> None:
    kind = Categories(values=("1", "3"))
    other = Categories(values=("2", "4"))
    from understudy.table.encoding import encode

    schema = Schema(columns=(Column(name="e\u0301", domain=kind), Column(name="b", domain=other)))
    refusal = refused(encode, read_table(_csv(["é", "b"]), name="t.csv"), schema)
    assert "another form of Unicode" in refusal.remedy


@pytest.mark.parametrize("note", ["the board\u202e", "\x1b[2J"])
def test_a_note_to_the_declaration_is_seen_whole(note: str) -> None:
    kind = Categories(values=("x", "y"))
    schema = Schema(columns=(Column(name="a", domain=kind), Column(name="b", domain=kind)))
    assert "is not seen" in refused(schema.declare_public, note).problem
    assert schema.declare_public("one\nمی\u200cخواهم\r\ntwo").declaration is not None
