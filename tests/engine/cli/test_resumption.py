"""`--resume`: an interrupted run goes on, wherever it was left, and is paid for once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.ledger.ledger import Ledger
from engine.runs import control, releasing, unfinished, worker
from engine.runs.control import home, home_ledger, runs
from engine.runs.folder import RunFolder
from engine.runs.watched import Progress
from engine.runs.work import Job
from engine.runs.worker import DebitedFolder
from tests.engine.cli.conftest import Ended

Understudy = Callable[..., Ended]
SMALL = ("--k", 25, "--attempts", 600, "--seeds-at-least", 300, "--delta", "1e-6", "--quiet")


class _Killed(BaseException):
    """Stands for the end of a process."""


@pytest.fixture
def stops() -> Iterator[list[bool]]:
    """Runs are done in this process; while the list holds anything, they are killed half way."""
    stopping: list[bool] = []

    def launch(job: Job, folder: RunFolder, ledger: Ledger, lock: int) -> None:
        try:
            worker.do(job, DebitedFolder(folder.path, ledger))
        except _Killed:
            # The process that told how far it was is no more.
            folder.report(Progress(**_told(folder) | {"born": "another"}))

    def reach(*arguments: Any) -> None:
        kept(*arguments)
        if stopping:
            raise _Killed

    kept = unfinished.reach
    with pytest.MonkeyPatch.context() as hooks:
        hooks.setattr(control, "_launch", launch)
        hooks.setattr(releasing, "reach", reach)
        hooks.setattr(releasing, "BATCH", 128)
        hooks.setattr(releasing, "_CHECKPOINT_EVERY", 0.0)
        hooks.setattr(releasing, "_CHECKPOINTS_TAKE", 1e9)
        hooks.setattr(os, "fsync", lambda _: None)
        yield stopping


def _told(folder: RunFolder) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(folder.read_text("progress.json"))
    return told


def kinds() -> list[str]:
    return [json.loads(line)["kind"] for line in home_ledger().export().splitlines()]


def left(refusal: str) -> Path:
    """Where a refusal says that the run is."""
    return Path(refusal.partition("--resume ")[2].partition(" --out")[0])


def test_a_run_goes_on_from_where_the_refusal_says(
    understudy: Understudy,
    census: Path,
    census_schema: Path,
    tmp_path: Path,
    stops: list[bool],
) -> None:
    out = tmp_path / "release"
    stops.append(True)
    begun = understudy("synthesize", census, "--schema", census_schema, "--out", out, *SMALL)
    assert "spends nothing further" in begun.refusal
    run = left(begun.refusal)
    assert run.is_dir()
    assert not out.exists()
    stops.clear()
    said = understudy("synthesize", census, "--resume", run, "--out", out, "--quiet", "--json").json
    assert said["table"]["rows"] == (out / "synthetic.csv").read_text().count("\n") - 1
    assert "run" not in said
    assert {path.name for path in tmp_path.iterdir()} == {"release"}
    assert kinds().count("debited") == 1
    assert kinds()[-2:] == ["resumed", "released"]


def test_it_is_found_by_its_name_beside_its_place_and_in_the_home_folder(
    understudy: Understudy,
    census: Path,
    census_schema: Path,
    tmp_path: Path,
    stops: list[bool],
) -> None:
    asked = ("synthesize", census, "--schema", census_schema, *SMALL)
    stops.append(True)
    one = left(understudy(*asked, "--out", tmp_path / "one").refusal)
    understudy(*asked, "--out", tmp_path / "other", "--keep")
    (kept,) = runs(home())
    stops.clear()
    go_on = ("synthesize", census, "--quiet", "--resume")
    assert understudy(*go_on, one.name, "--out", tmp_path / "one").status == 0
    ended = understudy(*go_on, kept.identity, "--out", tmp_path / "other", "--json")
    assert ended.json["run"] == kept.identity
    assert (tmp_path / "other" / "synthetic.csv").read_bytes() == kept.table.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"one", "other"}


def test_what_does_not_go_together_is_refused(
    understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    go_on = ("synthesize", census, "--out", tmp_path / "out", "--resume", "some")
    for extra in (("--schema", census_schema), ("--k", 20), ("--keep",), ("--demo-seed", 1)):
        assert f"{extra[0]} cannot be given together" in understudy(*go_on, *extra).refusal
    assert "There is no run “some”" in understudy(*go_on).refusal
    without = understudy("synthesize", census, "--out", tmp_path / "out")
    assert "Missing option '--schema'" in without.refusal


def test_another_table_and_a_finished_run_are_refused(
    understudy: Understudy,
    census: Path,
    census_schema: Path,
    tmp_path: Path,
    stops: list[bool],
) -> None:
    out = tmp_path / "out"
    stops.append(True)
    begun = understudy("synthesize", census, "--schema", census_schema, "--out", out, *SMALL)
    run = left(begun.refusal)
    stops.clear()
    shorter = tmp_path / "shorter.csv"
    shorter.write_text("".join(census.read_text().splitlines(keepends=True)[:-1]))
    refused = understudy("synthesize", shorter, "--resume", run, "--out", out).refusal
    assert "not the table that the run was made from" in refused
    assert understudy("synthesize", census, "--resume", run, "--out", out, "--quiet").status == 0
    again = understudy("synthesize", census, "--resume", run, "--out", tmp_path / "more").refusal
    assert "There is no run" in again
