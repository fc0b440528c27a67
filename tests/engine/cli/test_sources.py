"""Reading from a database, and codebooks, on the command line."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from understudy.table.categories import Categories
from understudy.table.schema import Schema

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
    declared = ("schema", *source, "--out", schema, "--declare-public", "--note", "a code book")
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
    assert "From the codebook: its title, its 4 values." in ended.out
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
