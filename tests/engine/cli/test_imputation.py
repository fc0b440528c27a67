"""Bayesian imputation from the command line, to a packet that is verified."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.engine.cli.conftest import ROWS, Ended
from understudy.ledger.ledger import Ledger
from understudy.privacy.budget import Neighbours
from understudy.runs.control import home_ledger

Understudy = Callable[..., Ended]


def test_from_a_table_to_a_verified_packet(
    understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    settings = {
        "columns": ["AGEP", "SEX", "MAR"],
        "deviations": {"AGEP": 20},
        "joint": [["SEX", "MAR"]],
        "records": ROWS,
        "public_records": ROWS,
        "used": 1200,
        "release": "imputations",
        "tables": 2,
        "rows": 300,
    }
    given = [
        part for name, each in settings.items() for part in ("--set", f"{name}={json.dumps(each)}")
    ]
    made = understudy(
        "method", "imputation", "--schema", census_schema, *given, "--save-plan", plan, "--json"
    )
    assert made.status == 0, made.err
    assert made.json["guarantee"]["neighbours"] == "replacements"
    asked = ("synthesize", census, "--schema", census_schema, "--plan", plan, "--out", out)
    done = understudy(*asked, "--new-people", "--keep", "--json")
    assert done.status == 0, done.err
    assert {each.name for each in out.iterdir()} == {
        "synthetic.csv", "synthetic-2.csv", "inference.json", "guarantee.json",
    }  # fmt: skip
    found = json.loads((out / "inference.json").read_text())
    assert all(each["low"] <= each["estimate"] <= each["high"] for each in found["of"][0]["shares"])
    (spent,) = home_ledger().book().balances
    assert spent.neighbours is Neighbours.REPLACEMENTS
    packed = understudy("packet", done.json["run"], "--title", "Ages", "--no-pdf", "--json")
    assert packed.status == 0, packed.err
    checked = understudy("verify", packed.json["packet"])
    assert checked.status == 0, checked.out


def test_a_number_of_records_that_nobody_confirmed_is_refused(
    understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    settings = ("--set", 'columns=["SEX"]', "--set", f"records={ROWS}")
    understudy("method", "imputation", "--schema", census_schema, *settings, "--save-plan", plan)
    asked = ("synthesize", census, "--schema", census_schema, "--plan", plan, "--new-people")
    said = understudy(*asked, "--out", tmp_path / "out").refusal
    assert "nobody has confirmed" in said
    assert isinstance(home_ledger(), Ledger)
    assert not home_ledger().book().runs
