"""`--resume`: an interrupted run goes on, wherever it was left, and is paid for once."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from tests.engine.cli.conftest import Ended
from understudy.cli import release as handing
from understudy.cli.table import TableSource
from understudy.core.home import home
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased import attempts, executors, mechanism
from understudy.runs import checkpoint, control, worker
from understudy.runs import release as releasing
from understudy.runs.control import home_ledger, list_runs
from understudy.runs.evidence import encode_as_run, read_plan_and_schema
from understudy.runs.folder import RunFolder
from understudy.runs.handover import Handover, Handovers
from understudy.runs.resumption import resume
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress
from understudy.runs.worker import DebitedFolder

Understudy = Callable[..., Ended]
SMALL = (
    "--k",
    25,
    "--attempts",
    600,
    "--records",
    1500,
    "--seeds-at-least",
    300,
    "--delta",
    "1e-6",
    "--quiet",
)


class _Killed(BaseException):
    """Stands for the end of a process."""


@pytest.fixture
def stops() -> Iterator[list[bool]]:
    """Runs are done in this process; while the list holds anything, they are killed half way."""
    stopping: list[bool] = []

    def launch(job: Job, folder: RunFolder, ledger: Ledger, lock: int) -> None:
        try:
            worker.do_job(job, DebitedFolder(folder.path, ledger))
        except _Killed:
            # The process that told how far it was is no more.
            folder.report(Progress(**_told(folder) | {"born": "another"}))

    def reach(*arguments: Any) -> None:
        kept(*arguments)
        if stopping:
            raise _Killed

    kept = checkpoint.save_position
    with pytest.MonkeyPatch.context() as hooks:
        hooks.setattr(control, "_launch", launch)
        hooks.setattr(releasing, "save_position", reach)
        hooks.setattr(attempts, "BATCH", 128)
        hooks.setattr(executors, "BATCHES", 1)
        hooks.setattr(releasing, "_CHECKPOINT_EVERY", 0.0)
        hooks.setattr(releasing, "_CHECKPOINTS_TAKE", 1e9)
        yield stopping


@pytest.fixture
def interrupted(
    understudy: Understudy, census: Path, census_schema: Path, stops: list[bool]
) -> Callable[..., Path]:
    """Begins a run into a folder, has it killed half way, and says where it was left."""

    def call(out: Path, *more: str) -> Path:
        stops.append(True)
        begun = understudy(
            "synthesize",
            "--new-people",
            census,
            "--schema",
            census_schema,
            "--out",
            out,
            *SMALL,
            *more,
        )
        stops.clear()
        assert "spends nothing further" in begun.refusal
        _, _, command = begun.refusal.partition("--resume ")
        return Path(shlex.split(command.partition("`")[0])[0])

    return call


@pytest.fixture
def go_on(understudy: Understudy, census: Path) -> Callable[..., Ended]:
    """Resumes a run, given its folder or its name."""

    def call(run: object, out: Path, *more: object, table: Path = census) -> Ended:
        return understudy("synthesize", table, "--resume", run, "--out", out, "--quiet", *more)

    return call


def _told(folder: RunFolder) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(folder.read_text("progress.json"))
    return told


def kinds() -> list[str]:
    return [json.loads(line)["kind"] for line in home_ledger().export().splitlines()]


def test_a_run_goes_on_from_where_the_refusal_says(
    interrupted: Callable[..., Path], go_on: Callable[..., Ended], tmp_path: Path
) -> None:
    out = tmp_path / "my release"
    run = interrupted(out)
    assert run.is_dir()
    assert not out.exists()
    said = go_on(run, out, "--json").json
    assert said["table"]["rows"] == (out / "synthetic.csv").read_text().count("\n") - 1
    assert "run" not in said
    assert {path.name for path in tmp_path.iterdir()} == {"my release"}
    assert kinds().count("debited") == 1
    assert kinds()[-2:] == ["resumed", "released"]


def test_it_is_found_by_its_name_beside_its_place_and_in_the_home_folder(
    interrupted: Callable[..., Path], go_on: Callable[..., Ended], tmp_path: Path
) -> None:
    one, other = tmp_path / "one [1]", tmp_path / "other"
    left = interrupted(one)
    interrupted(other, "--keep")
    (kept,) = list_runs(home())
    assert go_on(left.name, one).status == 0
    assert go_on(kept.identity, other, "--json").json["run"] == kept.identity
    assert (other / "synthetic.csv").read_bytes() == kept.table.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {one.name, other.name}


def test_it_is_found_by_its_name_in_a_project(
    interrupted: Callable[..., Path], go_on: Callable[..., Ended], tmp_path: Path
) -> None:
    run = interrupted(tmp_path / "out", "--project", "Census")
    assert run.parent.parent.parent == home() / "projects"
    assert go_on(run.name, tmp_path / "out").status == 0


def test_what_does_not_go_together_is_refused(
    understudy: Understudy,
    go_on: Callable[..., Ended],
    census: Path,
    census_schema: Path,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    for extra in (("--schema", census_schema), ("--k", 20), ("--keep",), ("--demo-seed", 1)):
        assert f"{extra[0]} cannot be given together" in go_on("some", out, *extra).refusal
    assert "There is no run “some”" in go_on("some", out).refusal
    assert "Missing option '--schema'" in understudy("synthesize", census, "--out", out).refusal


def test_another_table_and_a_finished_run_are_refused(
    interrupted: Callable[..., Path], go_on: Callable[..., Ended], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = interrupted(out)
    shorter = tmp_path / "shorter.csv"
    shorter.write_text("".join(census.read_text().splitlines(keepends=True)[:-1]))
    assert "not the table that the run was made from" in go_on(run, out, table=shorter).refusal
    assert go_on(run, out).status == 0
    assert "There is no run" in go_on(run, tmp_path / "more").refusal


def test_it_goes_on_with_its_table_read_piece_by_piece(
    interrupted: Callable[..., Path], go_on: Callable[..., Ended], census: Path, tmp_path: Path
) -> None:
    parquet = tmp_path / "census.parquet"
    pq.write_table(csv.read_csv(census), parquet, row_group_size=300)
    out = tmp_path / "out"
    run = interrupted(out)
    assert go_on(run, out, "--streamed", table=parquet).status == 0
    assert (out / "synthetic.csv").exists()
    assert kinds().count("debited") == 1


def test_a_streamed_table_that_is_another_is_refused(
    interrupted: Callable[..., Path], go_on: Callable[..., Ended], census: Path, tmp_path: Path
) -> None:
    parquet = tmp_path / "census.parquet"
    pq.write_table(csv.read_csv(census).slice(1), parquet)
    out = tmp_path / "out"
    run = interrupted(out)
    assert "not the table" in go_on(run, out, "--streamed", table=parquet).refusal


@pytest.fixture
def left(
    understudy: Understudy, census: Path, census_schema: Path, stops: list[bool]
) -> Callable[..., str]:
    """Begins a run into a folder, whose command is gone when it has finished; says its name."""

    def call(out: Path, *more: str) -> str:
        begun = ("synthesize", "--new-people", census, "--schema", census_schema)
        with pytest.MonkeyPatch.context() as hooks:
            hooks.setattr(handing, "_hand_over", _dies)
            with pytest.raises(_Killed):
                understudy(*begun, "--out", out, *SMALL, *more)
        (run,) = home_ledger().book().runs
        assert home_ledger().book().runs[run].state == "released"
        return run

    return call


def _dies(*_: object) -> None:
    raise _Killed


@pytest.mark.parametrize("more", [(), ("--keep",), ("--format", "parquet")])
def test_a_run_that_finished_without_its_command_is_handed_over(
    left: Callable[..., str], understudy: Understudy, tmp_path: Path, more: tuple[str, ...]
) -> None:
    run, out = left(tmp_path / "out", *more), tmp_path / "out"
    assert not out.exists()
    said = understudy("synthesize", "--resume", run, "--out", out, "--json").json
    table = Path(said["files"]["table"])
    assert said["table"]["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert kinds().count("debited") == 1
    assert kinds()[-1] == "released"
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    assert Handovers(home_ledger()).waiting() == ()
    if "--keep" not in more:
        again = understudy("synthesize", "--resume", run, "--out", tmp_path / "more")
        assert f"There is no run “{run}”" in again.refusal


def test_it_can_be_handed_over_elsewhere(
    left: Callable[..., str], understudy: Understudy, tmp_path: Path
) -> None:
    run, elsewhere = left(tmp_path / "out"), tmp_path / "a" / "b"
    assert understudy("synthesize", "--resume", run, "--out", elsewhere).status == 0
    assert {path.name for path in elsewhere.iterdir()} == {"synthetic.csv", "guarantee.json"}
    assert {path.name for path in tmp_path.iterdir()} == {"a"}


def test_a_packet_is_made_of_a_run_that_was_not_handed_over(
    left: Callable[..., str], understudy: Understudy, tmp_path: Path
) -> None:
    run = left(tmp_path / "out")
    told = ("--title", "Census", "--out", tmp_path / "packets", "--no-pdf", "--json")
    assert Path(understudy("packet", run, *told).json["packet"]).is_dir()
    assert understudy("synthesize", "--resume", run, "--out", tmp_path / "out").status == 0


def test_the_same_command_again_spends_nothing_and_says_how_to_go_on(
    left: Callable[..., str], understudy: Understudy, census: Path, census_schema: Path,
    tmp_path: Path,
) -> None:  # fmt: skip
    run, out = left(tmp_path / "out"), tmp_path / "out"
    again = ("synthesize", census, "--schema", census_schema, *SMALL, "--out")
    refused = understudy(*again, out).refusal
    assert f"still to come to {out}: “{run}”" in refused
    command = refused.partition("run `")[2].partition("`")[0]
    assert understudy(*shlex.split(command)[1:]).status == 0
    assert kinds().count("debited") == 1
    assert understudy(*again, tmp_path / "other").status == 0
    assert kinds().count("debited") == 2


def test_a_disk_too_full_for_the_release_is_named_and_the_release_handed_over_later(
    understudy: Understudy, census: Path, census_schema: Path, stops: list[bool],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    out = tmp_path / "out"

    def full(_: Handover) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as filled:
        filled.setattr(Handover, "hand_over", full)
        begun = ("synthesize", "--new-people", census, "--schema", census_schema)
        refused = understudy(*begun, "--out", out, *SMALL).refusal
    assert f"The release was made. The disk that holds {out} is full." in refused
    command = refused.partition("run `")[2].partition("`")[0].replace("FOLDER", str(out))
    assert understudy(*shlex.split(command)[1:]).status == 0
    assert (out / "synthetic.csv").exists()
    assert kinds().count("debited") == 1


def test_a_disk_that_is_full_before_the_run_has_a_process_says_how_to_go_on(
    understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    out = tmp_path / "out"

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as filled:
        filled.setattr(control, "launch", full)
        begun = ("synthesize", "--new-people", census, "--schema", census_schema)
        refused = understudy(*begun, "--out", out, *SMALL).refusal
    assert "is full." in refused
    command = refused.partition("run `")[2].partition("`")[0]
    assert "--resume" in command
    typed = shlex.split(command.replace("TABLE", str(census)))[1:]
    assert understudy(*typed).status == 0
    assert (out / "synthetic.csv").exists()
    assert kinds().count("debited") == 1


def test_a_disk_that_fills_up_while_the_run_is_made_is_named(
    understudy: Understudy, go_on: Callable[..., Ended], census: Path, census_schema: Path,
    stops: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    out = tmp_path / "out"

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as filled:
        filled.setattr(releasing, "save_position", full)
        begun = ("synthesize", "--new-people", census, "--schema", census_schema)
        refused = understudy(*begun, "--out", out, *SMALL).refusal
    (run,) = home_ledger().book().runs
    assert refused.startswith(f"The disk that holds {tmp_path / f'.out.{run}' / run} is full.")
    assert "Free some space and resume the run, which spends nothing further." in refused
    assert "`understudy synthesize TABLE --resume" in refused
    assert go_on(run, out).status == 0


def test_a_table_that_changed_is_refused_and_what_was_spent_is_said(
    interrupted: Callable[..., Path], go_on: Callable[..., Ended], census: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = interrupted(out)
    shorter = tmp_path / "shorter.csv"
    shorter.write_text("".join(census.read_text().splitlines(keepends=True)[:-1]))
    for table in (shorter, tmp_path / "gone.csv"):
        refused = go_on(run, out, table=table).refusal
        assert "The run’s ε stays spent" in refused
        assert "a new run and a new spend" in refused
    assert "disk" not in refused
    assert go_on(run, out).status == 0


def test_a_streamed_run_that_lost_its_file_says_that_it_is_spent_and_goes_on(
    understudy: Understudy, go_on: Callable[..., Ended], census: Path, census_schema: Path,
    stops: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    table, out = tmp_path / "census.parquet", tmp_path / "out"
    pq.write_table(csv.read_csv(census), table, row_group_size=300)

    def loses(*arguments: Any, **more: Any) -> Any:
        table.rename(tmp_path / "elsewhere")
        return real(*arguments, **more)

    real = mechanism.learn
    with monkeypatch.context() as lost:
        lost.setattr(mechanism, "learn", loses)
        begun = ("synthesize", "--new-people", table, "--streamed", "--schema", census_schema)
        refused = understudy(*begun, "--out", out, *SMALL).refusal
    assert refused.startswith("census.parquet cannot be read any more.")
    assert "The run’s ε stays spent" in refused
    assert "put the table back as it was" in refused
    assert "start again" not in refused.lower()
    (run,) = home_ledger().book().runs
    assert "The run’s ε stays spent" in go_on(run, out, "--streamed", table=table).refusal
    (tmp_path / "elsewhere").rename(table)
    assert go_on(run, out, "--streamed", table=table).status == 0
    assert kinds().count("debited") == 1


def test_a_run_under_way_is_waited_for(
    interrupted: Callable[..., Path], understudy: Understudy, tmp_path: Path,
    census: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Its process ends while the command looks on."""
    out = tmp_path / "out"
    run = RunFolder(interrupted(out))
    alive = _told(run) | {"process": os.getpid(), "born": ""}
    run.write_text("progress.json", json.dumps(alive))

    def looked(folder: RunFolder, *_: object) -> Progress:
        run.write_text("progress.json", json.dumps(alive | {"born": "another"}))
        table = encode_as_run(run, TableSource(census).read(read_plan_and_schema(run)[1]))
        resume(run, table)
        return folder.progress()

    monkeypatch.setattr(handing, "watch", looked)
    assert understudy("synthesize", "--resume", run.identity, "--out", out).status == 0
    assert (out / "synthetic.csv").exists()
    assert kinds().count("debited") == 1
