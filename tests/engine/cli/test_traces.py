"""From positions, or from the sample city, to a verified packet of made days."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.cli.conftest import Ended
from understudy.runs.control import home_ledger
from understudy.samples.city import EDGE
from understudy.table.schema import Schema

Understudy = Callable[..., Ended]

AREA = ("--south", 0, "--north", EDGE, "--west", 0, "--east", EDGE)


@pytest.fixture
def positions(understudy: Understudy, tmp_path: Path) -> Path:
    """Two weeks of ten people of the city."""
    out = tmp_path / "positions.csv"
    assert understudy("sample", "city", "--people", 10, "--positions", "--out", out).status == 0
    return out


def test_from_positions_to_a_verified_packet(
    understudy: Understudy, positions: Path, tmp_path: Path
) -> None:
    table, schema, plan = (tmp_path / name for name in ("t.csv", "s.json", "p.json"))
    read = understudy("traces", positions, "--out", table, "--schema", schema, *AREA)
    assert read.status == 0, read.err
    assert "--rows 20 --columns 20" in read.out
    declared = understudy(
        "schema", table, "--out", schema, "--declare-public", "--note", "An atlas."
    )
    assert declared.status == 0, declared.err
    asked = understudy(
        "method", "traces", "--schema", schema, "--set", "traces=30", "--save-plan", plan
    )
    assert asked.status == 0, asked.err
    assert "with all of their records" in " ".join(asked.out.split())
    done = understudy(
        "synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "out",
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    said = json.loads((tmp_path / "out" / "guarantee.json").read_text())["guarantee"]
    assert said["record"] is None
    assert said["records_per_person"] is None
    (balance,) = home_ledger().book().balances
    assert balance.spent.epsilon == pytest.approx(said["epsilon"])
    packet = understudy("packet", done.json["run"], "--title", "A city", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    checked = understudy("verify", packet.json["packet"])
    assert checked.status == 0, checked.out


@pytest.mark.thorough(
    "engine/table/sources/positions/test_reading.py::"
    "test_a_schema_can_say_that_positions_become_the_table"
)
def test_a_schema_by_which_positions_are_read_goes_all_the_way(
    understudy: Understudy, positions: Path, tmp_path: Path
) -> None:
    schema, plan = tmp_path / "s.json", tmp_path / "p.json"
    read = understudy(
        "traces", positions, "--schema", schema, *AREA, "--people", 1000, "--json"
    )  # fmt: skip
    assert read.status == 0, read.err
    assert read.json["table"] is None
    assert read.json["settings"]["rows"] == 10
    declared = understudy(
        "schema", positions, "--out", schema, "--declare-public", "--note", "An atlas."
    )
    assert declared.status == 0, declared.err
    asked = understudy(
        "method", "traces", "--schema", schema, "--set", "traces=5", "--save-plan", plan
    )
    assert asked.status == 0, asked.err
    assert json.loads(plan.read_text())["north_km"] == pytest.approx(2.0, abs=0.01)
    done = understudy(
        "synthesize", positions, "--schema", schema, "--plan", plan, "--out", tmp_path / "out",
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    packet = understudy("packet", done.json["run"], "--title", "A city", "--no-pdf", "--json")
    assert packet.status == 0, packet.err
    made = (Path(packet.json["packet"]) / "schema.json").read_text()
    assert json.loads(made)["understudy"]["reading"]["positions"]["area"]["rows"] == 10
    assert understudy("verify", packet.json["packet"]).status == 0


def test_the_sample_city_comes_with_its_schema(understudy: Understudy, tmp_path: Path) -> None:
    out = tmp_path / "city.csv"
    found: dict[str, Any] = understudy(
        "sample", "city", "--people", 3, "--seed", 4, "--out", out, "--json"
    ).json
    assert (found["table"], found["people"], found["seed"]) == (str(out), 3, 4)
    assert Schema.load(Path(found["schema"])).declared
    assert out.read_text().splitlines()[0] == "person,moment,day,slot,place"


def test_what_positions_cannot_be_is_said_at_the_option(
    understudy: Understudy, positions: Path, tmp_path: Path
) -> None:
    asked = ("traces", positions, "--out", tmp_path / "t", "--schema", tmp_path / "s")
    swapped = ("--south", 2, "--north", 1, "--west", 0, "--east", 1)
    assert "--south" in understudy(*asked, *swapped).refusal
    assert "--zone" in understudy(*asked, *AREA, "--zone", "Atlantis").refusal
    assert "--latitude" in understudy(*asked, *AREA, "--latitude", "lat").refusal
    assert not (tmp_path / "t").exists()
    assert not (tmp_path / "s").exists()
