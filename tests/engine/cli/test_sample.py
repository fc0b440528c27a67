from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.table.schema import Schema


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


def test_an_unwritable_place(understudy: Callable[..., Any], tmp_path: Path) -> None:
    ended = understudy("sample", "census", "--rows", 5, "--out", tmp_path / "no" / "x.csv")
    assert "cannot be" in ended.refusal
