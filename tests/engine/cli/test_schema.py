"""Reading from a database, and codebooks, on the command line. A table is read by its declared
schema, and what does not fit is settled by options.
"""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import understudy.table.sources.reading as reading
from tests.engine.cli.conftest import KNOWN, everything
from understudy.report.dictionary import columns_csv
from understudy.table.authoring.codebook import merge_codebook
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.categories import Categories
from understudy.table.schema import MOST_COLUMNS, Schema


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
    refusal = understudy("schema", census, "--out", out, *KNOWN, "the code book").refusal
    assert refusal.startswith("--declare-public: There is no schema file")
    assert not out.exists()


@pytest.mark.parametrize("note", [(), ("--note", "  "), ("--note", "…")])
def test_nothing_is_declared_without_saying_where_it_is_known_from(
    understudy: Callable[..., Any], census: Path, tmp_path: Path, note: tuple[str, ...]
) -> None:
    out = tmp_path / "schema.json"
    understudy("schema", census, "--out", out)
    before = out.read_bytes()
    refusal = understudy(
        "schema", census, "--out", out, "--declare-public", "--origin", "codebook", *note
    ).refusal
    assert refusal.startswith("--note: ")
    assert out.read_bytes() == before


def test_declares_a_file_that_is_there(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "schema.json"
    understudy("schema", census, "--out", out)
    figures = understudy(
        "schema",
        census,
        "--out",
        out,
        *KNOWN,
        "the code book",
        "--json",
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
    ended = understudy("schema", table, "--out", out, *KNOWN, "a code book")
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


def test_known_totals_come_from_files_with_what_they_count_and_their_source(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    table, out, by_group = tmp_path / "t.csv", tmp_path / "schema.json", tmp_path / "groups.csv"
    rows = "".join(f"{20 + row},g{row % 3}\n" for row in range(30))
    table.write_text(f"age,group\n{rows}", encoding="utf-8")
    by_group.write_text("group,total\ng0,10\ng1,20\n", encoding="utf-8")
    options = ("schema", table, "--out", out)
    refused = understudy(*options, "--totals", by_group)
    assert "does not say what the totals count" in refused.refusal
    ended = understudy(*options, "--totals", f"{by_group}=table:Register of 2024")
    text = " ".join(ended.out.split())
    assert "2 totals by “group”, 30 together: counts of this very table" in text
    assert "No released row will have “g2” in column “group”." in text
    (found,) = Schema.load(out).totals
    assert (found.of, found.source, found.total) == ("table", "Register of 2024", 30)


def test_rows_that_are_no_records_are_named_once_and_kept_in_the_schema(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "schema.json"
    rows = "".join(f"{20 + row},{row % 3}\n" for row in range(30))
    table.write_text(f"age,group\n{rows}Total,90\nSource: a survey\n", encoding="utf-8")
    rules = ("begins with Total", "first value alone")
    options = [word for rule in rules for word in ("--leave-out-rows", rule)]
    ended = understudy("schema", table, "--out", out, *options)
    reading = json.loads(out.read_text(encoding="utf-8"))["understudy"]["reading"]
    assert reading["leave_out"] == [*rules]
    assert "rows whose first value begins with “Total”" in ended.out
    assert Schema.load(out).column("age").domain.kind == "integers"
    declaring = ("--declare-public", "--note", "k", "--origin", "codebook")
    ended = understudy("schema", table, "--out", out, *declaring)
    assert ended.status == 0
    assert "2 rows are left out, as their rules say." in ended.out
    out.unlink()
    refused = understudy("schema", table, "--out", out, "--leave-out-rows", "what?")
    assert "rule for rows" in refused.refusal


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
    assert understudy("schema", table, "--out", out, *KNOWN, "k").status == 0


def test_a_later_file_is_read_as_the_schema_says(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    first, later, out = (tmp_path / name for name in ("1.csv", "2.csv", "schema.json"))
    first.write_bytes("a;b\nZürich;1\nGenève;2\n".encode("cp1252") * 1)
    understudy("schema", first, "--out", out, "--encoding", "cp1252")
    assert understudy("schema", first, "--out", out, *KNOWN, "k").status == 0
    later.write_bytes("a;b\nZürich;1\nGen".encode("cp1252") + "è".encode() + b"ve;2\n1;2;3\n")
    said = understudy(
        "schema",
        later,
        "--out",
        out,
        *KNOWN,
        "k",
        "--json",
    ).json
    noted = {column["name"]: column["notes"] for column in said["columns"]}
    assert "2 values are outside" in noted["a"][0]
    later.write_bytes(b"a,b\n1,2\n")
    refusal = understudy("schema", later, "--out", out, *KNOWN, "k").refusal
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
    refusal = understudy("schema", table, "--out", out, "--keep", "note").refusal
    assert refusal.startswith("Column “note” is missing")
    assert "--leave-out note" in refusal
    assert understudy("schema", table, "--out", out, "--leave-out", "note").status == 0
    ended = understudy("schema", table, "--out", tmp_path / "other.json")
    assert "Column “note” is missing in every record" in " ".join(ended.out.split())
    assert "cannot be described as it stands in the file: note" in " ".join(ended.out.split())
    assert Schema.load(tmp_path / "other.json").names == ("a", "b")


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
    assert "--keep with the name of a column uses it" in " ".join(ended.out.split())
    assert "a number or code that identifies: person_id" in " ".join(ended.out.split())
    assert "its list came from the file" in ended.out
    kept = understudy(
        "schema", table, "--out", tmp_path / "two.json", "--keep", "person_id", "--json"
    ).json
    assert kept["left_out"] == {}
    assert kept["columns"][0]["attention"][0] == "identifier"


def test_a_wide_table_is_narrowed_by_patterns_and_a_column_kept_empty(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    table, out = tmp_path / "wide.csv", tmp_path / "schema.json"
    names = ["mail", *(f"q{at}" for at in range(300))]
    rows = [
        ",".join([f"p{row}@example.org", *(str(row * at % 4) for at in range(300))])
        for row in range(30)
    ]
    table.write_text("\n".join([",".join(names), *rows]), encoding="utf-8")
    ended = understudy("schema", table, "--out", out)
    assert ended.status == 0, ended.err
    assert Schema.load(out).names == tuple(names[1 : MOST_COLUMNS + 1])
    told = " ".join(ended.out.split())
    assert "Left out: Its values look like e-mail addresses." in told
    assert "beyond the number of columns that are used together: q255, q256" in told
    assert "and 15 more" in told
    narrow = tmp_path / "narrow.json"
    asked = ("--only", "q1?", "--leave-out", "q19", "--keep-empty", "mail", "--keep-empty", "q0")
    assert understudy("schema", table, "--out", narrow, *asked).status == 0
    made = Schema.load(narrow)
    assert made.names == tuple(f"q1{digit}" for digit in range(9))
    assert made.header == ("mail", "q0", *made.names)
    ended = understudy("schema", table, "--out", narrow, *KNOWN, "a law")
    told = " ".join(ended.out.split())
    assert "not used, kept as an empty column: q0" in told
    assert "phone numbers or the like, kept as an empty column: mail" in told
    assert understudy(
        "schema", table, "--out", tmp_path / "no.json", "--only", "z*"
    ).refusal.startswith("--only: The table has no column “z*”")


def test_what_columns_are_to_the_table_is_kept_and_told_and_changes_no_declaration(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    out, codebook = tmp_path / "schema.json", tmp_path / "codebook.csv"
    roles = ("--role", "geography=WAOB", "--role", "target=WAGP,SEX")
    assert understudy("schema", census, "--out", out, *roles).status == 0
    made = Schema.load(out)
    assert {each.name: each.role for each in made.columns if each.role} == {
        "WAOB": "geography", "WAGP": "target", "SEX": "target",
    }  # fmt: skip
    bare = made.with_columns([each.changed(role="") for each in made.columns])
    assert bare.fingerprint == made.fingerprint
    codebook.write_text(csv_codebook(made), encoding="utf-8")
    assert merge_codebook(bare, read_codebook(codebook.read_bytes(), "c.csv")).schema == made
    told = columns_csv(made, "values.csv")
    assert "a place or an area" in told
    assert "role" not in columns_csv(bare, "values.csv")
    for wrong in ("colour=SEX", "weight", "weight=nobody"):
        other = ("--out", tmp_path / "other.json", "--role", wrong)
        assert understudy("schema", census, *other).refusal.startswith("--role: ")


def test_weights_are_asked_about_until_it_is_said_which_is_used(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "schema.json"
    rows = [f"{row % 7},{1 + row % 83 / 100},{2 + row % 91 / 100}" for row in range(400)]
    table.write_text("\n".join(["score,wt_a,wt_b", *rows]), encoding="utf-8")

    def suggest(*options: str) -> str:
        out.unlink(missing_ok=True)
        return " ".join(understudy("schema", table, "--out", out, *options).out.split())

    asked = "is called like a survey weight: say whether it is one: "
    which = "one of several survey weights: say of the others that they are not used: "
    assert f"{asked}wt_a, wt_b" in suggest()
    told = suggest("--role", "weight=wt_a,wt_b")
    assert asked not in told
    assert "may be a survey weight" not in told
    assert f"{which}wt_a, wt_b" in told
    told = suggest("--role", "weight=wt_a", "--role", "other weight=wt_b")
    assert which not in told
    assert asked not in told
    assert Schema.load(out).weights == ("wt_a",)
    assert Schema.load(out).column("wt_a").domain.kind == "continuous"
    assert Schema.load(out).column("wt_b").domain.kind == "numbers"
    for wrong in ("wt_a=", "wt_a=many", "wt_a=0", "wt_b=5", "5"):
        options = ("--role", "weight=wt_a", "--population", wrong)
        out.unlink(missing_ok=True)
        refused = understudy("schema", table, "--out", out, *options).refusal
        assert refused.startswith("--population: ")


def test_what_codes_for_missing_mean_is_typed(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    rows = [f"{20 + row % 60},{row % 5 + 1},{row % 4 + 1}" for row in range(300)]
    table.write_text("\n".join(["age,q1_1,q1_2", *rows, *["-8,5,4"] * 9, "-9,5,4"]))

    def codes(name: str, *means: str) -> dict[str, dict[str, str]]:
        out = tmp_path / name
        typed = [part for each in means for part in ("--missing-means", each)]
        assert understudy("schema", table, "--out", out, *typed).status == 0
        return {
            each.name: {code.written: code.label for code in each.missing_codes}
            for each in Schema.load(out).columns
            if each.missing
        }

    asked = {"-9": "refused", "-8": "not asked"}
    assert codes("a.json", "-8=not asked", "-9 = refused") == {"age": asked}
    assert codes("b.json", "5=no answer=q1_*", "-8=not asked") == {
        "age": {**asked, "-9": ""},
        "q1_1": {"5": "no answer"},
    }
    declaring = (
        "schema", table, "--out", tmp_path / "a.json", "--declare-public", "--note", "a form",
        "--origin", "codebook", "--missing-means",
    )  # fmt: skip
    refusal = understudy(*declaring, "-8=not applicable").refusal
    assert "No rule says exactly when column “age” is “not applicable”." in refusal
    assert understudy(*declaring, "-8=does not apply").status == 0
    assert Schema.load(tmp_path / "a.json").declared
    for wrong in ("-8", "-8=", "-7=refused", "5=no answer", "9=no answer=q1_*", "5=x=age"):
        other = ("--out", tmp_path / "no.json", "--missing-means", wrong)
        assert understudy("schema", table, *other).refusal.startswith("--missing-means: ")


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


_SECRET = "sesame-4711"


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    """The connection string of an SQLite file with a table of people."""
    path = tmp_path / "clinic.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (age INTEGER, town INTEGER)")
        rows = [(18 + i % 60, i % 3) for i in range(900)]
        connection.executemany("INSERT INTO people VALUES (?, ?)", rows)
        connection.commit()
    return f"sqlite:///{path}"


def test_a_schema_is_suggested_from_a_database(
    understudy: Callable[..., Any], clinic: str, tmp_path: Path
) -> None:
    out = tmp_path / "schema.json"
    ended = understudy("schema", "--database", clinic, "--query", "people", "--out", out)
    assert ended.status == 0
    assert Schema.load(out).names == ("age", "town")
    assert f"--database {clinic} --query people --out {out} --declare-public" in ended.out


def test_the_connection_string_may_stand_where_no_list_of_processes_shows_it(
    understudy: Callable[..., Any], clinic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATABASE", clinic)
    out = tmp_path / "schema.json"
    ended = understudy("schema", "--query", "SELECT age, town FROM people", "--out", out)
    assert ended.status == 0
    assert "--database" not in ended.out


def test_a_password_is_not_said_again(
    understudy: Callable[..., Any], clinic: str, tmp_path: Path
) -> None:
    with_password = clinic.replace("sqlite://", f"sqlite://u:{_SECRET}@")
    ended = understudy(
        "schema", "--database", with_password, "--query", "people", "--out", tmp_path / "s.json"
    )
    assert ended.status == 0
    assert "--declare-public" in ended.out
    assert _SECRET not in ended.out + ended.err


def test_a_release_from_a_database_is_paid_by_a_dataset_of_its_name(
    understudy: Callable[..., Any], clinic: str, tmp_path: Path
) -> None:
    schema, source = tmp_path / "schema.json", ("--database", clinic, "--query", "people")
    assert understudy("schema", *source, "--out", schema).status == 0
    declared = ("schema", *source, "--out", schema, *KNOWN, "a code book")
    assert understudy(*declared).status == 0
    ended = understudy(
        "synthesize", "--new-people",
        *source, "--schema", schema, "--out", tmp_path / "release", "--omega", 2,
        "--attempts", 20, "--quiet",
    )  # fmt: skip
    assert ended.status == 0, ended
    assert len((tmp_path / "release" / "synthetic.csv").read_text().splitlines()) == 21
    assert "people of clinic" in understudy("ledger").out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ([], "No table is given."),
        (["table.csv", "--query", "people"], "--database: A file and a database"),
        (["--database", "sqlite:////x.db"], "--query: No table is given."),
        (["--query", "people"], "--database: No database is given."),
        (["--database", "sqlite:////nowhere/x.db", "--query", "x"], "--database: There is no SQL"),
        (["--database", f"what:{_SECRET}", "--query", "x"], "--database: The connection string"),
        (["--database", "sqlite:////x.db", "--query", "DROP TABLE x"], "--query: The query"),
    ],
)
def test_what_is_not_clear_is_refused(
    understudy: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: list[str],
    said: str,
) -> None:
    monkeypatch.delenv("UNDERSTUDY_DATABASE", raising=False)
    refusal = understudy("schema", *typed, "--out", tmp_path / "schema.json").refusal
    assert refusal.startswith(said)
    assert _SECRET not in refusal


def test_nothing_is_declared_before_each_group_has_a_source(
    understudy: Callable[..., Any], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "schema.json"
    suggested = understudy("schema", census, "--out", out)
    groups = "--origin SOURCE=AGEP,SCHL,WKHP --origin SOURCE=COW,MAR,OCCP,RELP,RAC1P,SEX,WAOB,WAGP"
    assert groups in suggested.out
    assert "not said, 11 of 11: AGEP, COW" in suggested.out
    declaring = ("schema", census, "--out", out, "--declare-public", "--note", "a note")
    line = ("--origin", "the form of 2024, page 2=COW,MAR,OCCP,RELP,RAC1P,SEX,WAOB")
    refusal = understudy(*declaring, *line).refusal
    assert refusal.startswith("--origin: Of 4 of 11 columns nobody has said where it is publicly")
    assert "--origin SOURCE=AGEP,SCHL,WKHP --origin SOURCE=WAGP" in refusal
    half = Schema.load(out)
    assert not half.declared
    assert half.column("COW").source == "the form of 2024, page 2"
    assert understudy(*declaring, "--origin", "table=W*").refusal.startswith("--origin: ")
    ended = understudy(*declaring, "--origin", "table=WAGP", "--origin", "law", "--json")
    assert ended.status == 0, ended.err
    assert Schema.load(out).declared
    told = {each["name"]: each["known_from"] for each in ended.json["columns"]}
    assert told["WAGP"] == "the table itself, each confirmed by name"
    assert told["SEX"] == "the form of 2024, page 2"
    assert told["AGEP"] == "a law or regulation"


def test_a_header_of_too_many_columns_is_said_at_once(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "schema.json"
    table.write_text(",".join(f"q{at}" for at in range(300)) + "\n", encoding="utf-8")
    ended = understudy("schema", table, "--out", out)
    assert ended.status == 2
    assert "The header names 300 columns. At most 255" in ended.err
    narrowed = understudy("schema", table, "--out", out, "--only", "q1?")
    assert "The header" not in narrowed.err


def test_a_codebook_is_laid_over_the_suggestion(
    understudy: Callable[..., Any], clinic: str, tmp_path: Path
) -> None:
    codebook, out = tmp_path / "codebook.csv", tmp_path / "schema.json"
    codebook.write_text("name,label,values\ntown,Town,0=North; 1=South; 2=West; 3=East\nx,X,\n")
    ended = understudy(
        "schema", "--database", clinic, "--query", "people", "--out", out, "--codebook", codebook
    )
    assert ended.status == 0
    assert Schema.load(out).column("town").domain == Categories(
        values=("0", "1", "2", "3"), labels=("North", "South", "West", "East")
    )
    assert "From the codebook: its title, its 4 values, where it is known from." in ended.out
    assert "The codebook names it" in ended.out


def test_a_codebook_is_written_and_taken_back(
    understudy: Callable[..., Any], clinic: str, tmp_path: Path
) -> None:
    source = ("--database", clinic, "--query", "people")
    out, codebook, again = (tmp_path / name for name in ("a.json", "codebook.csv", "b.json"))
    assert understudy("schema", *source, "--out", out).status == 0
    assert understudy("schema", "--out", out, "--export-codebook", codebook).status == 0
    with codebook.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == ["age", "town"]
    assert rows[1]["values"] == "0; 1; 2"
    assert understudy("schema", *source, "--out", again, "--codebook", codebook).status == 0
    assert Schema.load(again) == Schema.load(out)


def test_no_codebook_is_written_over(
    understudy: Callable[..., Any], clinic: str, tmp_path: Path
) -> None:
    out, there = tmp_path / "a.json", tmp_path / "codebook.csv"
    there.write_text("mine", encoding="utf-8")
    refusal = understudy(
        "schema", "--database", clinic, "--query", "people", "--out", out,
        "--export-codebook", there,
    ).refusal  # fmt: skip
    assert refusal.startswith("--export-codebook: ")
    assert there.read_text(encoding="utf-8") == "mine"
    assert not out.exists()


def test_a_codebook_that_is_not_there(
    understudy: Callable[..., Any], clinic: str, tmp_path: Path
) -> None:
    refusal = understudy(
        "schema", "--database", clinic, "--query", "people", "--out", tmp_path / "a.json",
        "--codebook", tmp_path / "none.csv",
    ).refusal  # fmt: skip
    assert refusal.startswith("--codebook: ")


def test_a_schema_has_to_be_declared(
    understudy: Callable[..., Any], small: tuple[Path, Path], tmp_path: Path
) -> None:
    table, schema = small
    text = schema.read_text(encoding="utf-8")
    schema.write_text(text.replace('"maximum": 30', '"maximum": 31'), encoding="utf-8")
    out = tmp_path / "out"
    refusal = understudy(
        "synthesize", "--new-people", table, "--schema", schema, "--out", out
    ).refusal
    assert "has not been declared public, or was changed since" in refusal
    assert f"understudy schema {table} --out {schema} --declare-public" in refusal
    assert not out.exists()
    declared = ("schema", table, "--out", schema, *KNOWN, "a code book")
    assert understudy(*declared).status == 0
    seedless = ("synthesize", "--new-people", table, "--schema", schema, "--out", out, "--omega", 2)
    assert "values outside its domain" in understudy(*seedless).refusal


def test_values_outside_the_schema_are_settled_by_options(
    understudy: Callable[..., Any], small: tuple[Path, Path], tmp_path: Path
) -> None:
    table, schema = small
    common = (
        "synthesize", "--new-people",
        table, "--schema", schema, "--quiet", "--omega", 2, "--demo-seed", 1,
        "--seeds-at-least", 100, "--delta", 1e-4, "--attempts", 200,
    )  # fmt: skip
    out = tmp_path / "out"
    refusal = understudy(*common, "--out", out).refusal
    assert "90 above its maximum, 2 not numbers" in refusal
    assert "--outside age=missing or --outside age=clip" in refusal
    assert "4711" not in refusal
    refusal = understudy(*common, "--out", out, "--outside", "age=clip").refusal
    assert "2 not numbers" in refusal
    assert refusal.endswith("On the command line: --outside age=missing.")
    assert "holds categories" in understudy(*common, "--out", out, "--outside", "kind=clip").refusal
    assert everything(tmp_path) == {"small.csv", "small.json"}
    assert understudy(*common, "--out", out, "--outside", "age=missing").status == 0


def test_a_table_is_read_as_its_schema_says(understudy: Callable[..., Any], tmp_path: Path) -> None:
    table, schema, out = (tmp_path / name for name in ("t.csv", "s.json", "out"))
    rows = [f"{'Zürich' if number % 3 else 'Genève'};{number % 5}" for number in range(400)]
    table.write_bytes("\n".join(["place;kind", *rows]).encode("cp1252"))
    understudy("schema", table, "--out", schema)
    understudy("schema", table, "--out", schema, *KNOWN, "known")
    # Bytes of another encoding, an open quotation mark and a cell too many, among good lines.
    odd = [b"Z\x81rich;1", b'"Bern;1', b"Gen\xe8ve;1;2"]
    data = table.read_bytes().replace(b"\n", b"\n" + b"\n".join(odd) + b"\n", 1)
    table.write_bytes(data)
    common = (
        "synthesize", "--new-people",
        table, "--schema", schema, "--quiet", "--omega", 2, "--demo-seed", 1,
        "--seeds-at-least", 100, "--delta", 1e-4, "--attempts", 200,
    )  # fmt: skip
    refusal = understudy(*common, "--out", out).refusal
    assert "1 not text in the declared encoding, 2 in lines with another number" in refusal
    understudy("schema", table, "--out", tmp_path / "other.json")
    text = schema.read_text(encoding="utf-8").replace('"required": true', '"required": false')
    schema.write_text(text, encoding="utf-8")
    understudy("schema", table, "--out", schema, *KNOWN, "known")
    settled = ("--outside", "place=missing", "--outside", "kind=missing")
    assert understudy(*common, "--out", out, *settled).status == 0
    changed = text.replace('"separator": ";"', '"separator": ","')
    schema.write_text(changed, encoding="utf-8")
    again = understudy(*common, "--out", tmp_path / "more", *settled).refusal
    assert "was changed since" in again


def test_writes_as_many_rows_as_asked(understudy: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "census.csv"
    ended = understudy("sample", "census", "--rows", 321, "--out", out)
    assert ended.status == 0
    assert "Nobody in it exists" in ended.out
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 322
    assert lines[0] == "AGEP,COW,SCHL,MAR,OCCP,RELP,RAC1P,SEX,WKHP,WAOB,WAGP"


def test_seed_decides_the_people(understudy: Callable[..., Any], tmp_path: Path) -> None:
    def made(name: str, seed: int) -> bytes:
        out = tmp_path / name
        assert (
            understudy("sample", "census", "--rows", 50, "--seed", seed, "--out", out).status == 0
        )
        return out.read_bytes()

    assert made("a", 1) == made("b", 1) != made("c", 2)


def test_json_names_table_and_schema(understudy: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "census.csv"
    figures = understudy("sample", "census", "--rows", 5, "--seed", 3, "--out", out, "--json").json
    assert (figures["table"], figures["rows"], figures["seed"]) == (str(out), 5, 3)
    assert Schema.load(Path(figures["schema"])).declared


@pytest.mark.parametrize(("options", "columns"), [((), 42), (("--marked",), 43)])
def test_discharges_come_with_the_schema_of_their_columns(
    understudy: Callable[..., Any], tmp_path: Path, options: tuple[str, ...], columns: int
) -> None:
    out = tmp_path / "discharges.csv"
    typed = ("sample", "discharges", "--rows", 7, "--out", out, *options)
    figures = understudy(*typed, "--json").json
    header, *rows = out.read_text(encoding="utf-8").splitlines()
    assert (len(rows), figures["rows"]) == (7, 7)
    assert tuple(header.split(",")) == Schema.load(Path(figures["schema"])).names
    assert header.count(",") == columns - 1


def test_overwrites_nothing(understudy: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "precious.csv"
    out.write_text("precious", encoding="utf-8")
    assert "precious.csv exists already" in understudy("sample", "census", "--out", out).refusal
    assert out.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["census", "--rows", "0"], "--rows: "),
        (["census", "--rows", "-4"], "--rows: "),
        (["census", "--seed", "-1"], "--seed: "),
        (["city", "--people", "-1"], "--people: "),
        (["city", "--people", "2", "--seed", "-1"], "--seed: "),
        (["city", "--people", "2", "--seed", "-1", "--positions"], "--seed: "),
        (["hospital", "--rows", "0"], "--rows: "),
        (["panel", "--people", "0"], "--people: "),
        (["questionnaire", "--seed", "-1"], "--seed: "),
        (["pictures", "--count", "0"], "--count: "),
        (["pictures", "--count", str(10**23)], "--count: "),
    ],
)
def test_refusals(
    understudy: Callable[..., Any], tmp_path: Path, typed: list[str], said: str
) -> None:
    ended = understudy("sample", *typed, "--out", tmp_path / "x.csv")
    assert ended.refusal.startswith(said)
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_place_of_sample(understudy: Callable[..., Any], tmp_path: Path) -> None:
    ended = understudy("sample", "census", "--rows", 5, "--out", tmp_path / "no" / "x.csv")
    assert "cannot be" in ended.refusal


def test_how_values_are_written_is_said_in_an_option(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "s.json"
    days = [f"{1 + place % 12:02}/{1 + place % 7:02}/2020" for place in range(84)]
    lines = [f'{day},"1,{place + 700}",{"ab"[place % 2]}' for place, day in enumerate(days)]
    table.write_text("\n".join(["day,amount,ward", *lines, ""]), "utf-8")
    assert understudy("schema", table, "--out", out).status == 0
    declare = ("schema", table, "--out", out, *KNOWN, "a form")
    refusal = understudy(*declare).refusal
    assert "Column “day”: It can be written as" in refusal
    assert "--written DD/MM/YYYY=day" in refusal
    for wrong in ("DD/MM/YYYY", "DD/MM/YYYY=born", "hh:mm=day", "DD/MM/YYYY=ward", "soon=day"):
        assert understudy(*declare, "--written", wrong).refusal.startswith("--written: ")
    ways = ("--written", "MM/DD/YYYY=day", "--written", "1,234=amount")
    assert understudy(*declare, *ways).status == 0
    made = Schema.load(out)
    assert made.declared
    assert made.column("day").domain.setting_texts()["spelling"] == "MM/DD/YYYY"
    assert made.column("amount").domain.setting_texts()["spelling"] == "1,234"
