"""The readable extract of the ledger, and how many rehearsals stay."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support import SIMULATED
from understudy.ledger.book import Dataset
from understudy.ledger.events import Debited, Released
from understudy.ledger.ledger import Debit, Ledger
from understudy.privacy.budget import Budget
from understudy.projects.catalogue import Catalogue, list_rehearsals, prune_rehearsals
from understudy.projects.payment import write_extract
from understudy.projects.project import Project
from understudy.runs.folder import RunFolder
from understudy.runs.watched import Progress


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Catalogue(place=tmp_path).create("clinic")


def run(project: Project, name: str, purpose: str, progress: Progress) -> RunFolder:
    folder = RunFolder(project.runs / name)
    folder.path.mkdir()
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": purpose, "stained": False}
    folder.write_text("run.json", json.dumps(about))
    folder.internal.mkdir()
    folder.report(progress)
    return folder


def debit(run: str, epsilon: float, dataset: Dataset) -> Debit:
    what = Debited(
        purpose="release", plan={}, protocol="attempts", count=9, record=Budget(epsilon, 1e-9)
    )
    return Debit(run, dataset, what)


def test_the_extract_has_the_runs_of_the_project_and_the_balance_of_their_people(
    project: Project, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.budget("clinic", Budget(5.0, 1e-6))
    people = Dataset("d-9", "clinic", table="f" * 64, said=SIMULATED)
    run(project, "mine", "release", Progress("finished", 1))
    ledger.debit(debit("mine", 0.5, people))
    ledger.note("mine", Released(artefacts={"synthetic.csv": "00"}))
    ledger.debit(debit("elsewhere", 0.25, people))
    write_extract(ledger.book(), project)
    text = (project.path / "ledger.json").read_text()
    said = json.loads(text)
    (found,), (balance,) = said["runs"], said["datasets"]
    assert (found["run"], found["state"]) == ("mine", "released")
    assert found["promised"] == {"epsilon": 0.5, "delta": 1e-9}
    assert project.about().dataset == balance["dataset"]
    # What another project spent on the same people counts too.
    assert balance["runs"] == 2
    assert balance["spent"]["epsilon"] == 0.75
    assert balance["budget"]["epsilon"] == 5.0
    assert said["ledger"]["head"] == ledger.head
    assert "f" * 64 not in text


def test_a_project_without_runs_has_an_extract_that_says_so(
    project: Project, tmp_path: Path
) -> None:
    write_extract(Ledger(tmp_path / "ledger.sqlite").book(), project)
    said = json.loads((project.path / "ledger.json").read_text())
    assert said["runs"] == said["datasets"] == []


def test_the_newest_rehearsals_stay_and_every_run(project: Project) -> None:
    done = Progress("finished", 1)
    made = [run(project, f"2026010{day}T0-rehearsal-a", "rehearsal", done) for day in range(1, 6)]
    kept = run(project, "20250101T0-release-a", "release", done)
    prune_rehearsals(project, most=2)
    assert list_rehearsals(project) == (made[4], made[3])
    assert kept.path.exists()


def test_a_rehearsal_that_is_worked_on_stays(project: Project) -> None:
    done, working = Progress("finished", 1), Progress("attempting", 1, process=os.getpid())
    busy = run(project, "20260101T0-rehearsal-a", "rehearsal", working)
    asked = run(project, "20260102T0-rehearsal-a", "rehearsal", done)
    idle = run(project, "20260103T0-rehearsal-a", "rehearsal", done)
    (asked.internal / "pools").mkdir()
    (asked.internal / "pools" / "progress.json").write_text(
        json.dumps({"state": "evaluating", "attempts": 1, "process": os.getpid()})
    )
    prune_rehearsals(project, most=0)
    assert busy.path.exists()
    assert asked.path.exists()
    assert not idle.path.exists()
