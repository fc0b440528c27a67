from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import understudy.table.sources.reading as reading
from understudy.table.schema import Schema


def test_suggests_and_says_how_to_go_on(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "schema.json"
    ended = understudy("schema", census, "--out", out)
    assert ended.status == 0
    assert len(Schema.load(out).columns) == 11
    assert not Schema.load(out).declared
    assert f"understudy schema {census} --out {out} --declare-public" in ended.out
    assert ended.out.splitlines()[1].startswith("AGEP    integers")


def test_what_the_file_suggests_is_not_declared_in_the_same_breath(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "schema.json"
    refusal = understudy(
        "schema", census, "--out", out, "--declare-public", "--note", "the code book"
    ).refusal
    assert refusal.startswith("--declare-public: There is no schema file")
    assert not out.exists()


@pytest.mark.parametrize("note", [(), ("--note", "  "), ("--note", "…")])
def test_nothing_is_declared_without_saying_where_it_is_known_from(
    understudy: Callable[..., Any], census: Path, tmp_path: Path, note: tuple[str, ...]
) -> None:
    out = tmp_path / "schema.json"
    understudy("schema", census, "--out", out)
    before = out.read_bytes()
    refusal = understudy("schema", census, "--out", out, "--declare-public", *note).refusal
    assert refusal.startswith("--note: ")
    assert out.read_bytes() == before


def test_declares_a_file_that_is_there(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "schema.json"
    understudy("schema", census, "--out", out)
    figures = understudy(
        "schema", census, "--out", out, "--declare-public", "--note", "the code book", "--json"
    ).json
    saved = Schema.load(out)
    assert saved.declared
    assert saved.declaration is not None
    assert saved.declaration.note == "the code book"
    assert figures["declared_public"]["note"] == "the code book"
    assert figures["fingerprint"] == saved.fingerprint
    assert [each["name"] for each in figures["columns"]] == list(saved.names)
    assert [each["values"] for each in figures["columns"]] == saved.cardinalities.tolist()
    assert figures["read"]["separator"] == ","


def test_a_suggestion_is_never_written_over_a_file(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "schema.json"
    out.write_text("mine", encoding="utf-8")
    assert "is not overwritten" in understudy("schema", census, "--out", out).refusal
    assert out.read_text(encoding="utf-8") == "mine"


def test_what_was_corrected_is_what_is_declared(
    understudy: Callable[..., Any], small: tuple[Path, Path]
) -> None:
    table, out = small
    document = json.loads(out.read_text(encoding="utf-8"))
    document["fields"][0]["constraints"]["maximum"] = 20
    out.write_text(json.dumps(document), encoding="utf-8")
    assert not Schema.load(out).declared
    ended = understudy("schema", table, "--out", out, "--declare-public", "--note", "a code book")
    assert ended.status == 0
    saved = Schema.load(out)
    assert saved.declared
    assert saved.column("age").texts[-2] == "20"
    # 10 × 19 numbers over 20, and two that are none.
    assert "192 values are outside its domain (internal)" in ended.out
    assert "--outside age=clip" in ended.out
    assert "4711" not in ended.out


def test_leaves_columns_out(understudy: Callable[..., Any], census: Path, tmp_path: Path) -> None:
    out = tmp_path / "schema.json"
    understudy("schema", census, "--out", out, "--leave-out", "AGEP", "--leave-out", "SEX")
    assert len(Schema.load(out).columns) == 9
    assert "AGEP" not in Schema.load(out).names


@pytest.mark.parametrize("spelled", ["tab", "\\t", "\t", "Tab"])
def test_separators_can_be_spelled(
    understudy: Callable[..., Any], tmp_path: Path, spelled: str
) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "schema.json"
    table.write_text("a,b\tc\n1,2\tx\n3,4\ty\n", encoding="utf-8")
    ended = understudy("schema", table, "--out", out, "--separator", spelled)
    assert Schema.load(out).names == ("a,b", "c")
    reading = json.loads(out.read_text(encoding="utf-8"))["understudy"]["reading"]
    assert (reading["separator"], reading["encoding"]) == ("\t", "utf-8")
    assert "--separator" not in ended.out
    assert "--separator: " in understudy("schema", table, "--out", out, "--separator", ";").refusal
    assert understudy("schema", table, "--out", out, "--declare-public", "--note", "k").status == 0


def test_a_later_file_is_read_as_the_schema_says(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    first, later, out = (tmp_path / name for name in ("1.csv", "2.csv", "schema.json"))
    first.write_bytes("a;b\nZürich;1\nGenève;2\n".encode("cp1252") * 1)
    understudy("schema", first, "--out", out, "--encoding", "cp1252")
    assert understudy("schema", first, "--out", out, "--declare-public", "--note", "k").status == 0
    later.write_bytes("a;b\nZürich;1\nGen".encode("cp1252") + "è".encode() + b"ve;2\n1;2;3\n")
    said = understudy(
        "schema", later, "--out", out, "--declare-public", "--note", "k", "--json"
    ).json
    noted = {column["name"]: column["notes"] for column in said["columns"]}
    assert "2 values are outside" in noted["a"][0]
    later.write_bytes(b"a,b\n1,2\n")
    refusal = understudy("schema", later, "--out", out, "--declare-public", "--note", "k").refusal
    assert "encoding cp1252, separated by semicolons" in refusal


BAD_FILES = {
    "empty": (b"", "is empty"),
    "header only": (b"a,b\n", "no records"),
    "one column": (b"a\n1\n2\n", "only one column"),
    "duplicate names": (b"a,b,a\n1,2,3\n", "Columns 1 and 3"),
    "blank name": (b"a,\n1,2\n", "Column 2"),
    "ragged": (b"a,b\n1,2\n3\n4,5,6\n", "Row 3"),
    "binary": (b"\x89PNG\r\n\x1a\n" + bytes(100), "picture"),
    "zeros": (b"a,b\n1,\x00\x00\x00\n", "binary"),
    "all missing": (b"a,b\n1,NA\n2,\n", "Column “b” is missing in every record"),
    "identifier": (
        b"a,b\n" + b"".join(b"x%d,%d\n" % (at, at % 3) for at in range(1500)),
        "more than 1,000 categories",
    ),
}


@pytest.mark.parametrize(("content", "said"), BAD_FILES.values(), ids=list(BAD_FILES))
def test_bad_files(
    understudy: Callable[..., Any], tmp_path: Path, content: bytes, said: str
) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(content)
    assert said in understudy("schema", table, "--out", tmp_path / "s.json").refusal
    assert [each.name for each in tmp_path.iterdir()] == ["table.csv"]


def test_a_refused_column_can_be_left_out(understudy: Callable[..., Any], tmp_path: Path) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "s.json"
    # A column may be called like an option without being taken for one.
    table.write_text("a,note,b\n1,,x\n2,,y\n", encoding="utf-8")
    refusal = understudy("schema", table, "--out", out).refusal
    assert refusal.startswith("Column “note” is missing")
    assert "--leave-out note" in refusal
    assert understudy("schema", table, "--out", out, "--leave-out", "note").status == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--encoding", "utf-99"], "--encoding: "),
        (["--encoding", "ascii"], "--encoding: "),
        (["--separator", "ab"], "--separator: "),
        (["--sheet", "2"], "--sheet: "),
        (["--leave-out", "z"], "--leave-out: "),
        (["--note", "known"], "--note: "),
    ],
)
def test_refused_options(
    understudy: Callable[..., Any], tmp_path: Path, typed: list[str], said: str
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("name,b\nZoë,1\nAnn,2\n", encoding="utf-8")
    refusal = understudy("schema", table, "--out", tmp_path / "s.json", *typed).refusal
    assert refusal.startswith(said)
    assert "Zo" not in refusal


def test_columns_are_not_left_out_of_a_file_that_is_there(
    understudy: Callable[..., Any], small: tuple[Path, Path]
) -> None:
    table, out = small
    before = out.read_bytes()
    ended = understudy("schema", table, "--out", out, "--leave-out", "age")
    assert ended.refusal.startswith("--leave-out: ")
    assert out.read_bytes() == before


def test_missing_files_and_folders(understudy: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    assert "There is no file" in understudy("schema", tmp_path / "no.csv", "--out", out).refusal
    assert "is a folder" in understudy("schema", tmp_path, "--out", out).refusal


def test_a_file_over_the_limit(
    understudy: Callable[..., Any],
    census: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(reading.read_table.__kwdefaults__, "limit_bytes", 1000)
    refusal = understudy("schema", census, "--out", tmp_path / "s.json").refusal
    assert "the limit is 1000 bytes" in refusal


def test_an_unwritable_place(understudy: Callable[..., Any], census: Path, tmp_path: Path) -> None:
    refusal = understudy("schema", census, "--out", tmp_path / "no" / "s.json").refusal
    assert refusal.startswith("--out: ")


def test_what_was_suggested_from_records_is_for_its_owner_alone(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    before = os.umask(0o022)
    try:
        out, codebook = tmp_path / "schema.json", tmp_path / "codebook.csv"
        assert understudy("schema", census, "--out", out, "--export-codebook", codebook).status == 0
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in (out, codebook)} == {0o600}


def test_an_identifier_is_left_out_unless_it_is_kept(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    table = tmp_path / "people.csv"
    rows = [f"{row},{'mf'[row % 2]},{row % 9}" for row in range(30)]
    table.write_text("\n".join(["person_id,sex,visits", *rows]))
    ended = understudy("schema", table, "--out", tmp_path / "one.json")
    assert Schema.load(tmp_path / "one.json").names == ("sex", "visits")
    assert "--keep person_id uses it" in " ".join(ended.out.split())
    assert "its list came from the file" in ended.out
    kept = understudy(
        "schema", table, "--out", tmp_path / "two.json", "--keep", "person_id", "--json"
    ).json
    assert kept["left_out"] == {}
    assert kept["columns"][0]["attention"][0] == "identifier"


def test_where_columns_are_known_from_is_said_with_the_confirmation(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "schema.json"
    refusal = understudy("schema", census, "--out", out, "--origin", "law").refusal
    assert refusal.startswith("--origin: Where columns are known from goes with a confirmation")
    understudy("schema", census, "--out", out)
    declaring = ("--declare-public", "--note", "the code book", "--origin", "questionnaire")
    understudy("schema", census, "--out", out, *declaring, "--origin", "law=SEX")
    found = {each.name: each.origin for each in Schema.load(out).columns}
    assert found.pop("SEX") == "law"
    assert {*found.values()} == {"questionnaire"}
