"""A table is read by its declared schema, and what does not fit is settled by options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.engine.cli.conftest import everything


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
    declared = ("schema", table, "--out", schema, "--declare-public", "--note", "a code book")
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
    understudy("schema", table, "--out", schema, "--declare-public", "--note", "known")
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
    understudy("schema", table, "--out", schema, "--declare-public", "--note", "known")
    settled = ("--outside", "place=missing", "--outside", "kind=missing")
    assert understudy(*common, "--out", out, *settled).status == 0
    changed = text.replace('"separator": ";"', '"separator": ","')
    schema.write_text(changed, encoding="utf-8")
    again = understudy(*common, "--out", tmp_path / "more", *settled).refusal
    assert "was changed since" in again
