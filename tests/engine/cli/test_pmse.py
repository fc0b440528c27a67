"""The pMSE mechanism from the command line: a table of numbers and categories to a packet."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.cli.conftest import Ended
from tests.engine.mechanisms.pmse.tables import ROWS, records, schema
from understudy.ledger.book import Book
from understudy.privacy.budget import Neighbours
from understudy.runs.control import home_ledger

Understudy = Callable[..., Ended]


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    """A table of a measured number, whole numbers and categories, and its schema."""
    real = records()
    assert real.numbers is not None
    lines = [
        f"{number:.1f},{18 + age},{'abc'[kind]}"
        for (number,), (_, age, kind) in zip(real.numbers, real.codes.tolist(), strict=True)
    ]
    path, declared = tmp_path / "people.csv", tmp_path / "schema.json"
    path.write_text("\n".join(["height,age,kind", *lines]) + "\n", encoding="utf-8")
    schema().save(declared)
    return path, declared


SMALL = (
    "--set", "epsilon=20", "--set", "candidates=800", "--set", "bins=8", "--set", "rows=250",
    "--set", "locating=0.4", "--set", "ratio=1",
)  # fmt: skip


@pytest.mark.parametrize("draws", [1, 2])
def test_from_settings_to_a_verified_packet(
    draws: int, understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    people, declared = table
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    asked = ("method", "pmse", "--schema", declared, *SMALL, "--set", f"draws={draws}")
    public = ("--set", f"public_records={ROWS}", "--set", "epsilon=40", "--save-plan", plan)
    made = understudy(*asked, *public)
    assert made.status == 0, made.err
    assert "replaced by others" in made.out
    done = understudy(
        "synthesize", people, "--schema", declared, "--plan", plan, "--out", out,
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    tables = ["synthetic.csv"] if draws == 1 else ["synthetic-1.csv", "synthetic-2.csv"]
    together = ["combined.json"] * (draws > 1)
    assert {each.name for each in out.iterdir()} == {
        *tables, "parameters.json", *together, "guarantee.json",
    }  # fmt: skip
    assert (done.json["guarantee"]["epsilon"], done.json["guarantee"]["delta"]) == (40.0, 0.0)
    book: Book = home_ledger().book()
    assert [each.neighbours for each in book.balances] == [Neighbours.REPLACEMENTS]
    first = (out / tables[0]).read_text(encoding="utf-8").splitlines()
    assert len(first) == 251
    assert {len(line.split(",")[0].partition(".")[2]) for line in first[1:]} == {1}
    models = json.loads((out / "parameters.json").read_text(encoding="utf-8"))["models"]
    assert [len(each) for each in models] == [4] * draws
    run = done.json["run"]
    packet = understudy("packet", run, "--title", "Models", "--no-pdf", "--json").json["packet"]
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out


def test_nothing_is_spent_where_the_number_of_records_is_another(
    understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    people, declared = table
    plan = tmp_path / "plan.json"
    asked = ("method", "pmse", "--schema", declared, *SMALL, "--save-plan", plan)
    assert understudy(*asked, "--set", f"public_records={ROWS + 1}").status == 0
    refused = understudy(
        "synthesize", people, "--schema", declared, "--plan", plan, "--out", tmp_path / "out",
        "--new-people",
    ).refusal  # fmt: skip
    assert "number of records that the plan says is public" in refused
    assert not home_ledger().book().runs
