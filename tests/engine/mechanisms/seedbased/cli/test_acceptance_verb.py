from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.acceptance.statistics import DistanceOf, MeanOf, ShareOf
from understudy.mechanisms.seedbased.plan import Plan
from understudy.samples.census import SCHEMA


@pytest.fixture
def plan(understudy: Callable[..., Any], tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    known = ("propose", "--schema", SCHEMA, "--records", 20_000, "--save-plan", path)
    assert understudy(*known).status == 0
    return path


def test_a_test_is_added_to_a_plan(
    understudy: Callable[..., Any], plan: Path, tmp_path: Path
) -> None:
    place = tmp_path / "tested.json"
    asked = (
        *("acceptance", "--plan", plan, "--schema", SCHEMA, "--epsilon", 0.5),
        *("--share", "SEX=1~0.03", "--share", "MAR=1|5", "--mean", "AGEP~2"),
        *("--distance", "SCHL,OCCP~0.2", "--save-plan", place),
    )
    told = understudy(*asked, "--json").json
    assert told["total"] == told["without"]
    assert told["held_out"] == 2_000
    share, group, mean, distance = told["widths"]
    assert 0.001 < share == group < 0.02
    assert 0.1 < mean < 2
    assert 0.005 < distance < 0.05
    saved = Plan.from_json(place.read_text(encoding="utf-8"))
    assert saved.acceptance is not None
    assert saved.acceptance.statistics == (
        ShareOf(column="SEX", values=("1",), limit=0.03),
        ShareOf(column="MAR", values=("1", "5")),
        MeanOf(column="AGEP", limit=2.0),
        DistanceOf(columns=("SCHL", "OCCP"), limit=0.2),
    )
    out = understudy(*asked).out
    assert "Distance of “Schooling” with “Occupation”" in out
    assert "not their sum" in " ".join(out.split())


def test_noisy_tables_alone_need_no_epsilon(
    understudy: Callable[..., Any], plan: Path, tmp_path: Path
) -> None:
    place = tmp_path / "told.json"
    asked = ("acceptance", "--plan", plan, "--schema", SCHEMA, "--noisy-tables")
    assert "at no cost" in understudy(*asked, "--save-plan", place).out
    saved = Plan.from_json(place.read_text(encoding="utf-8"))
    assert saved.noisy_tables
    assert saved.acceptance is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--share", "SEX"), "--share"),
        (("--share", "SEX=1~much"), "tilde"),
        (("--share", "SEX=9"), "is none of"),
        (("--mean", "SEX"), "no numbers"),
        (("--distance", "SEX"), "of two columns"),
        ((), "entries"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    understudy: Callable[..., Any], plan: Path, given: tuple[str, ...], said: str
) -> None:
    asked = ("acceptance", "--plan", plan, "--schema", SCHEMA, "--epsilon", 0.5, *given)
    assert said in understudy(*asked).refusal
