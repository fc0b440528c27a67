"""`understudy fakes`: only of what is confirmed to be nobody's secret, and marked everywhere."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.cli.conftest import Ended
from understudy.mechanisms.traces.charts.fakes import NO_GUARANTEE
from understudy.samples.city import SCHEMA, write

Understudy = Callable[..., Ended]


@pytest.fixture
def typed(tmp_path: Path) -> list[object]:
    table = tmp_path / "city.csv"
    write(8, table)
    return ["fakes", table, "--schema", SCHEMA, "--out", tmp_path / "fakes.csv"]


def test_every_row_and_every_word_says_that_nothing_is_promised(
    understudy: Understudy, typed: list[object], tmp_path: Path
) -> None:
    ended = understudy(*typed, "--simulated-or-public", "--each", "2", "--json")
    said = json.loads(ended.out)
    assert said["warning"] == NO_GUARANTEE
    assert said["guarantee"] is None
    rows = list(csv.DictReader((tmp_path / "fakes.csv").open(encoding="utf-8")))
    assert {row["no_guarantee"] for row in rows} == {NO_GUARANTEE}
    assert {int(row["trace"]) for row in rows} == set(range(1, 17))
    assert "not overwritten" in understudy(*typed, "--simulated-or-public").refusal


def test_without_the_confirmation_nothing_is_made(
    understudy: Understudy, typed: list[object], tmp_path: Path
) -> None:
    said = understudy(*typed).refusal
    assert "no guarantee" in said
    assert "--simulated-or-public" in said
    assert not (tmp_path / "fakes.csv").exists()


@pytest.mark.parametrize(
    ("option", "value"), [("--carry", "1"), ("--each", "0"), ("--spread", "0.5"), ("--rows", "7")]
)
def test_settings_out_of_range_are_refused_by_name(
    understudy: Understudy, typed: list[object], option: str, value: str
) -> None:
    assert option in understudy(*typed, "--simulated-or-public", option, value).refusal
