from __future__ import annotations

import csv
import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.engine.cli.conftest import Ended
from tests.engine.runs.asked import SCHEMA, finished, seedless, table
from understudy.core.home import home
from understudy.evaluation.measures import model_accuracy, prediction, shares
from understudy.ledger.ledger import Ledger
from understudy.models.omega import Omega
from understudy.runs import inquirer
from understudy.runs.control import home_ledger
from understudy.runs.evidence import has_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import InquiryFolder
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress
from understudy.table.encoding import decode
from understudy.table.records import Records

Understudy = Callable[..., Ended]
QUICK = (shares.VARIATION_SINGLE, model_accuracy.IMPROVEMENT)
NEWEST, OLDER = "20260102T000000-release-aa", "20260101T000000-release-bb"


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inquiries are done where they are asked, and take few measures."""

    def launch(_: str, places: list[Path], job: Any, folder: InquiryFolder) -> None:
        inquirer.do_inquiry(*job, RunFolder(places[0]), folder)

    monkeypatch.setattr("understudy.runs.inquiry.launch", launch)
    monkeypatch.setattr("understudy.mechanisms.seedbased.mechanism.measures", lambda **_: QUICK)


def ends(how: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every inquiry end like this."""

    def launch(_: str, __: Any, ___: Any, folder: InquiryFolder) -> None:
        folder.report(how)

    monkeypatch.setattr("understudy.runs.inquiry.launch", launch)


def as_csv(records: Records, path: Path) -> Path:
    shown = decode(records)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(shown.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in shown.columns), strict=True))
    return path


@pytest.fixture
def confidential(tmp_path: Path) -> Path:
    return as_csv(table(), tmp_path / "table.csv")


@pytest.fixture
def run() -> RunFolder:
    """The newest release of the home folder, and an older one and a rehearsal beside it."""
    finished(Job(table(), seedless()), home() / OLDER)
    rehearsal = Job(table(), seedless(), purpose="rehearsal")
    finished(rehearsal, home() / "20260103T000000-rehearsal-cc")
    return finished(Job(table(), seedless()), home() / NEWEST)


def test_a_table_a_group_marked_internal(
    understudy: Understudy, run: RunFolder, confidential: Path
) -> None:
    release = {path.name: path.read_bytes() for path in run.release.iterdir()}
    ended = understudy("evaluate", "--table", confidential)
    assert ended.status == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[0].startswith("INTERNAL.")
    assert any(each.split() == ["Run", NEWEST] for each in lines)
    assert any(each.split() == ["Predicted", "c2"] for each in lines)
    heading = next(each for each in lines if each.lstrip().startswith("better"))
    first, *others = heading.split("marginals")
    assert first.split() == ["better", "released", "real"]
    # What it drew itself is the release, and chance has it whether enough candidates pass at ω = 1.
    assert others[0].split() in (["ω=2"], ["ω=2", "ω=1"])
    row = next(each for each in lines if each.startswith("  Total variation of columns"))
    assert row.split()[4] == "lower"
    assert " to " in row
    assert any(each.startswith("    without noise") for each in lines)
    assert "Improvement over the marginals (higher is better)" in ended.out
    assert {path.name: path.read_bytes() for path in run.release.iterdir()} == release
    assert home_ledger().book().events == 0


def test_as_json(understudy: Understudy, run: RunFolder, confidential: Path) -> None:
    ended = understudy("evaluate", "--table", confidential, "--target", "c1", "--json", "--quiet")
    assert ended.status == 0, ended.err
    assert ended.err == ""
    said = ended.json
    assert said["internal"].startswith("INTERNAL")
    total = json.loads(run.guarantee.read_text(encoding="utf-8"))["guarantee"]["epsilon"]
    assert (said["run"], said["target"], said["private_epsilon"]) == (NEWEST, "c1", total)
    variation, better = said["measures"]
    assert variation["key"] == "total-variation"
    assert variation["sentence"].endswith(".")
    released = variation["by_subject"]["released"]
    assert released["interval"]["low"] <= released["value"] <= released["interval"]["high"]
    # A range without an end is none that JSON knows.
    assert better["low"] is None
    assert [each["name"] for each in said["tables"]][:3] == [
        "other real records",
        "marginals",
        "released",
    ]


@pytest.mark.parametrize("by", ["name", "folder"])
def test_a_run_by_its_name_or_its_folder(
    understudy: Understudy, run: RunFolder, confidential: Path, by: str
) -> None:
    named = OLDER if by == "name" else home() / OLDER
    ended = understudy("evaluate", named, "--table", confidential, "--json")
    assert ended.json["run"] == OLDER


def test_a_rehearsal_has_no_release_to_show(
    understudy: Understudy, run: RunFolder, confidential: Path
) -> None:
    ended = understudy("evaluate", "20260103T000000-rehearsal-cc", "--table", confidential)
    assert ended.status == 0
    heading = next(line for line in ended.out.splitlines() if line.lstrip().startswith("better"))
    assert heading.split()[:3] == ["better", "real", "marginals"]


def test_what_could_not_be_measured_is_told(
    understudy: Understudy, confidential: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_value = Records(SCHEMA, table().codes * np.array([1, 1, 0], np.uint16))
    finished(Job(one_value, seedless()), home() / NEWEST)
    path = as_csv(one_value, confidential.with_name("other.csv"))
    monkeypatch.setattr(
        "understudy.mechanisms.seedbased.mechanism.measures", lambda **_: (prediction.ACCURACY,)
    )
    ended = understudy("evaluate", "--table", path)
    assert ended.status == 0
    assert "Accuracy of prediction: not measured. The column “c2” has the same value" in ended.out


def test_no_run_no_release_no_such_run(understudy: Understudy, confidential: Path) -> None:
    none = understudy("evaluate", "--table", confidential).refusal
    assert none.startswith("No release has finished")
    assert "synthesize --keep" in none
    unknown = understudy("evaluate", "yesterday", "--table", confidential).refusal
    assert "no run “yesterday”" in unknown
    assert "There are none" in unknown
    finished(Job(table(), seedless(), purpose="rehearsal"), home() / "20260103T000000-rehearsal-cc")
    assert "No release has finished" in understudy("evaluate", "--table", confidential).refusal
    assert "rehearsal-cc" in understudy("evaluate", "x", "--table", confidential).refusal


def test_a_run_without_evidence(understudy: Understudy, confidential: Path) -> None:
    finished(Job(table(), seedless(), figures=False), home() / NEWEST)
    assert "older than that" in understudy("evaluate", "--table", confidential).refusal


def test_another_table(
    understudy: Understudy, run: RunFolder, confidential: Path, tmp_path: Path
) -> None:
    other = as_csv(table(seed=6), tmp_path / "other.csv")
    assert understudy("evaluate", "--table", other).refusal.startswith(
        "--table: This is not the table"
    )
    lines = confidential.read_text(encoding="utf-8").splitlines()
    strange = tmp_path / "strange.csv"
    strange.write_text("\n".join([*lines, "secret4711,v0,v0"]), encoding="utf-8")
    refusal = understudy("evaluate", "--table", strange).refusal
    assert "c0" in refusal
    assert "4711" not in refusal
    assert "no file" in understudy("evaluate", "--table", tmp_path / "none.csv").refusal.lower()


@pytest.mark.parametrize(
    ("options", "start"),
    [
        (("--target", "income"), "--target: There is no column “income”"),
        (("--repeats", "0"), "--repeats: 0 is no number of repeats."),
        (("--repeats", "many"), "Invalid value for '--repeats'"),
    ],
)
def test_options_out_of_range(
    understudy: Understudy,
    run: RunFolder,
    confidential: Path,
    options: tuple[str, ...],
    start: str,
) -> None:
    assert understudy("evaluate", "--table", confidential, *options).refusal.startswith(start)


@pytest.mark.parametrize(
    ("how", "status", "said"),
    [
        (Progress("cancelled", 1), 130, "Cancelled. Nothing was released or spent."),
        (Progress("failed", 1, message="The disk is full. Free some."), 2, "The disk is full."),
        (Progress("failed", 1, message="An Oops.", unforeseen=True), 1, "An Oops."),
    ],
)
def test_ends_of_another_kind(
    understudy: Understudy,
    run: RunFolder,
    confidential: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: Progress,
    status: int,
    said: str,
) -> None:
    ends(how, monkeypatch)
    ended = understudy("evaluate", "--table", confidential)
    assert ended.status == status
    assert ended.out == ""
    assert said in ended.err


def test_a_run_that_synthesize_kept_can_be_evaluated(
    understudy: Understudy, confidential: Path, tmp_path: Path
) -> None:
    schema, plan = tmp_path / "schema.json", tmp_path / "plan.json"
    declared = SCHEMA.declare_public()
    declared.save(schema)
    plan.write_text(seedless(omega=Omega(low=3, high=3)).to_json(), encoding="utf-8")
    out = tmp_path / "out"
    made = understudy(
        "synthesize",
        "--new-people",
        confidential,
        "--schema",
        schema,
        "--plan",
        plan,
        "--out",
        out,
        "--keep",
    )
    assert made.status == 0, made.err
    (kept,) = (each for each in home().glob("*-release-*"))
    run = RunFolder(kept)
    assert run.identity in made.out
    assert has_evidence(run)
    for name in ("synthetic.csv", "guarantee.json"):
        assert (out / name).read_bytes() == (run.release / name).read_bytes()
    assert sorted(path.name for path in out.iterdir()) == ["guarantee.json", "synthetic.csv"]
    assert Ledger(home_ledger().path).book().runs[run.identity].state == "released"
    said = json.loads(understudy("evaluate", "--table", confidential, "--json", "--quiet").out)
    assert said["run"] == run.identity


def test_a_copy_that_cannot_be_made_does_not_send_anybody_to_pay_again(
    understudy: Understudy, confidential: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema, plan, out = (tmp_path / name for name in ("schema.json", "plan.json", "out"))
    SCHEMA.declare_public().save(schema)
    plan.write_text(seedless(omega=Omega(low=3, high=3)).to_json(), encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(shutil, "copyfile", full)
    ended = understudy(
        "synthesize",
        "--new-people",
        confidential,
        "--schema",
        schema,
        "--plan",
        plan,
        "--out",
        out,
        "--keep",
    )
    (kept,) = home().glob("*-release-*")
    assert ended.status == 2
    assert "The release was made" in ended.err
    assert RunFolder(kept).release.name in ended.err
    assert "try again" not in ended.err


def test_a_run_that_cannot_be_read_is_passed_over(
    understudy: Understudy, run: RunFolder, confidential: Path
) -> None:
    newer = home() / "99999999-release-x"
    newer.mkdir()
    (newer / "run.json").write_text('{"bad": 1}', encoding="utf-8")
    said = json.loads(understudy("evaluate", "--table", confidential, "--json", "--quiet").out)
    assert said["run"] == run.identity


def test_a_home_without_room_is_found_before_anything_is_spent(
    understudy: Understudy, confidential: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema, plan, out = (tmp_path / name for name in ("schema.json", "plan.json", "out"))
    SCHEMA.declare_public().save(schema)
    plan.write_text(seedless(omega=Omega(low=3, high=3)).to_json(), encoding="utf-8")
    place, usage = home(), shutil.disk_usage

    def full(where: Path) -> object:
        free = 0 if Path(where).is_relative_to(place) else usage(where).free
        return SimpleNamespace(free=free)

    monkeypatch.setattr(shutil, "disk_usage", full)
    ended = understudy(
        "synthesize",
        "--new-people",
        confidential,
        "--schema",
        schema,
        "--plan",
        plan,
        "--out",
        out,
        "--keep",
    )
    assert ended.status == 2
    assert "do without --keep" in ended.err
    assert not list(home().glob("*-release-*"))
