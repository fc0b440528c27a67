"""A table that holds what a spreadsheet would compute, from the file it is in to its check."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.engine.cli.conftest import Ended
from understudy.core.home import home
from understudy.runs.control import runs
from understudy.runs.released import first_records
from understudy.table.formula_safety import NOTE, is_formula, unescape_formula
from understudy.table.schema import Schema

Understudy = Callable[..., Ended]

NAMES = ("=HYPERLINK(1)", "change")
VALUES = ("@SUM(A1)", "'@SUM(A1)", " +b", "c")
MADE = ("--k", "20", "--attempts", "300", "--records", "400", "--seeds-at-least", "60",
        "--delta", "1e-3", "--new-people", "--quiet")  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    """A table of such names and values, with negative numbers, and its schema."""
    path, schema = tmp_path / "table.csv", tmp_path / "schema.json"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        writer.writerows([VALUES[row % 4], row % 5 - 3] for row in range(400))
    fields = [
        {"name": NAMES[0], "type": "string", "constraints": {"required": True, "enum": VALUES}},
        {
            "name": NAMES[1],
            "type": "integer",
            "constraints": {"required": True, "minimum": -3, "maximum": 1},
        },
    ]
    Schema.from_json(json.dumps({"fields": fields})).declare_public().save(schema)
    return path, schema


def test_what_is_released_is_harmless_and_read_back_unchanged(
    understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    path, schema = table
    out = tmp_path / "out"
    ended = understudy("synthesize", path, "--schema", schema, "--out", out, "--keep", *MADE)
    assert ended.status == 0, ended.err
    assert NOTE in " ".join(ended.out.split())

    written = (out / "synthetic.csv").read_bytes()
    rows = list(csv.reader(written.decode().splitlines()))
    assert rows[0] == ["'=HYPERLINK(1)", "change"]
    assert not any(is_formula(cell) and not cell.startswith("'") for row in rows for cell in row)
    assert {row[1] for row in rows[1:]} <= {"-3", "-2", "-1", "0", "1"}
    assert {unescape_formula(row[0]) for row in rows[1:]} <= set(VALUES)
    said = json.loads((out / "guarantee.json").read_text(encoding="utf-8"))["table"]
    assert said["sha256"] == hashlib.sha256(written).hexdigest()
    assert (said["formulas"], said["columns"]) == (NOTE, list(NAMES))

    (run,) = runs(home())
    found = first_records(run.table, Schema.load(schema), 1000)
    assert len(found) == said["rows"] == len(rows) - 1 > 0
    packed = understudy("packet", run.identity, "--title", "T", "--no-pdf", "--out", tmp_path)
    assert packed.status == 0, packed.err
    (packet,) = tmp_path.glob("packet-*.zip")
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out


def test_parquet_has_the_texts_as_they_are(
    understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    path, schema = table
    out = tmp_path / "out"
    ended = understudy(
        "synthesize", path, "--schema", schema, "--out", out, *MADE, "--format", "parquet"
    )
    assert ended.status == 0, ended.err
    assert NOTE not in " ".join(ended.out.split())
    found = pq.read_table(out / "synthetic.parquet")
    assert found.column_names == list(NAMES)
    assert set(found.column(0).to_pylist()) <= set(VALUES)
    said = json.loads((out / "guarantee.json").read_text(encoding="utf-8"))["table"]
    assert "formulas" not in said


@pytest.mark.parametrize("kept", [(), ("--keep",)])
def test_what_is_put_at_out_is_for_its_owner_to_hand_on(
    kept: tuple[str, ...], understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    path, schema = table
    out = tmp_path / "out"
    before = os.umask(0o022)
    try:
        ended = understudy("synthesize", path, "--schema", schema, "--out", out, *kept, *MADE)
    finally:
        os.umask(before)
    assert ended.status == 0, ended.err
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in out.iterdir()} == {0o600}
