"""Plans and settings that a run cannot be made by, refused before anything is spent."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.cli.conftest import SMALL, everything
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.table.schema import Schema


def test_a_plan_for_another_schema(
    understudy: Callable[..., Any],
    small: tuple[Path, Path],
    census: Path,
    census_schema: Path,
    tmp_path: Path,
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(Plan.of(Schema.load(small[1])).to_json(), encoding="utf-8")
    ended = understudy(
        "synthesize",
        "--new-people",
        census,
        "--schema",
        census_schema,
        "--out",
        tmp_path / "out",
        "--plan",
        plan,
    )
    assert "made for another schema" in ended.refusal


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no file"),
        (b"{", "not valid JSON"),
        (b"[]", "the plan|The plan"),
        (b'{"k": 50}', "in the plan"),
        (b"\xff\xfe\x00", "is not a text file"),
    ],
)
def test_a_plan_that_cannot_be_read(
    understudy: Callable[..., Any],
    census: Path,
    census_schema: Path,
    tmp_path: Path,
    content: bytes | None,
    said: str,
) -> None:
    plan = tmp_path / "plan.json"
    if content is not None:
        plan.write_bytes(content)
    ended = understudy(
        "synthesize",
        "--new-people",
        census,
        "--schema",
        census_schema,
        "--out",
        tmp_path / "out",
        "--plan",
        plan,
    )
    assert re.search(said, ended.refusal)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--k", "0"], "--k: "),
        (["--k", "2000"], "--k: k is 2,000, but only 1,000 seeds are certain"),
        (["--gamma", "1"], "--gamma: "),
        (["--epsilon0", "0"], "--epsilon0: "),
        (["--t", "50"], "--t: "),
        (["--attempts", "0"], "--attempts: "),
        (["--attempts", "-7"], "--attempts: "),
        (["--omega", "12"], "--omega: ω reaches 12"),
        (["--delta", "0.001"], "--delta: "),
        (["--delta", "0"], "--delta: "),
        (["--delta", "1e-30"], "--delta: "),
        (["--model-epsilon", "0"], "--model-epsilon: "),
        (["--sampling", "0"], "--sampling: "),
        (["--seeds-at-least", "0"], "--seeds-at-least: "),
        (["--shares", "1,0,0,0"], "--shares: "),
        (["--test", "relative-sensitivity", "--gamma", "4"], "--gamma: "),
        (["--protocol", "releases"], "--pass-floor: "),
        (["--pass-floor", "0.5"], "--pass-floor: "),
        (
            ["--protocol", "releases", "--pass-floor", "0.5", "--reading", "announced"],
            "--reading: ",
        ),
        (["--records-per-person", "0"], "--records-per-person: "),
        (["--records-per-person", "9"], "--records-per-person: "),
        (["--target-epsilon", "0.001"], "--target-epsilon: "),
        (["--target-epsilon", "0"], "--target-epsilon: "),
    ],
)
def test_settings_out_of_range(
    understudy: Callable[..., Any],
    census: Path,
    census_schema: Path,
    tmp_path: Path,
    typed: list[str],
    said: str,
) -> None:
    out = tmp_path / "out"
    ended = understudy(
        "synthesize", "--new-people", census, "--schema", census_schema, "--out", out, *typed
    )
    assert ended.refusal.startswith(said)
    assert everything(tmp_path) == set()


def test_fewer_seeds_than_declared(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    at = (
        "synthesize", "--new-people", census, "--schema", census_schema, "--out", tmp_path / "out",
    )  # fmt: skip
    ended = understudy(*at, "--records", 20_000, "--seeds-at-least", 1_000)
    assert "The plan counts on at least 1,000 seed records" in ended.refusal
    more = understudy(*at, "--records", 20_000, "--seeds-at-least", 300, "--delta", "1e-6")
    assert "publicly known to have 20,000 records, and it has fewer" in more.refusal
    assert everything(tmp_path) == set()


@pytest.mark.parametrize("given", [(), ("--seeds-at-least", 300), ("--records", 900)])
def test_no_number_is_called_public_that_nobody_typed(
    understudy: Callable[..., Any], census_schema: Path, tmp_path: Path, given: tuple[Any, ...]
) -> None:
    """Refused before the table is read, and so before anything is spent."""
    typed = (*given, "--seeds-at-least", 300) if given[:1] == ("--records",) else given
    ended = understudy(
        "synthesize", tmp_path / "no.csv", "--schema", census_schema, "--out", tmp_path / "out",
        *typed,
    )  # fmt: skip
    assert ended.refusal.startswith("--records: ")
    assert "public knowledge" in ended.refusal


def test_the_seeds_follow_from_the_records_that_were_typed(
    understudy: Callable[..., Any], census_schema: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    understudy(
        "synthesize", tmp_path / "no.csv", "--schema", census_schema, "--out", tmp_path / "out",
        "--records", 50_000, "--save-plan", plan,
    )  # fmt: skip
    found = Plan.from_json(plan.read_text(encoding="utf-8"))
    assert found.public_records == 50_000
    assert 14_000 < found.seeds_at_least < 15_000
    needed = promise(found, Schema.load(census_schema)).records_at_least
    assert needed is not None
    assert 0.95 * 50_000 < needed <= 50_000


def test_a_taken_place_is_found_before_the_table_is_read(
    understudy: Callable[..., Any], census_schema: Path, tmp_path: Path
) -> None:
    (tmp_path / "guarantee.json").write_text("{}", encoding="utf-8")
    ended = understudy(
        "synthesize",
        "--new-people",
        tmp_path / "no.csv",
        "--schema",
        census_schema,
        "--out",
        tmp_path,
        *SMALL,
    )
    assert "guarantee.json exists already" in ended.refusal


def test_a_plan_that_keeps_no_promise_is_found_before_the_table_is_read(
    understudy: Callable[..., Any], census_schema: Path, tmp_path: Path
) -> None:
    ended = understudy(
        "synthesize", "--new-people",
        tmp_path / "no.csv", "--schema", census_schema, "--out", tmp_path / "out",
        "--delta", 1e-30,
    )  # fmt: skip
    assert ended.refusal.startswith("--delta: ")


def test_another_plan_is_not_overwritten(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("mine", encoding="utf-8")
    ended = understudy(
        "synthesize", "--new-people", census, "--schema", census_schema, "--out", tmp_path / "out",
        "--save-plan", plan, *SMALL,
    )  # fmt: skip
    assert ended.refusal.startswith("--save-plan: ")
    assert plan.read_text(encoding="utf-8") == "mine"
