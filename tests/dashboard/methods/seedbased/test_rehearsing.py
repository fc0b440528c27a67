"""A new rehearsal of a project takes the place of the oldest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from understudy.projects.catalogue import KEPT, Catalogue, list_rehearsals
from understudy.projects.project import Project
from understudy.runs.folder import RunFolder
from understudy.runs.watched import Progress
from understudy.runs.work import Job
from understudy_dashboard.methods.seedbased import score_sources
from understudy_dashboard.methods.seedbased.score_sources import start_rehearsal
from understudy_dashboard.session import Session


def rehearsed(place: Path, number: int) -> RunFolder:
    folder = RunFolder(place / f"{20260101 + number}T000000-rehearsal-a")
    folder.path.mkdir(parents=True)
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": "rehearsal", "stained": False}
    folder.write_text("run.json", json.dumps(about))
    folder.report(Progress("finished", 1))
    return folder


@pytest.mark.parametrize("inside", [True, False])
def test_the_newest_few_stay_where_there_is_a_project(
    session: Session, monkeypatch: pytest.MonkeyPatch, *, inside: bool
) -> None:
    session.project = Catalogue().create("tiny") if inside else None
    place = session.runs_at
    for number in range(KEPT):
        rehearsed(place, number)
    monkeypatch.setattr(score_sources, "start", lambda _, where: rehearsed(where, KEPT))
    made = start_rehearsal(
        session, Job(session.records(), session.settings.plan(), purpose="rehearsal")
    )
    names = sorted(path.name for path in place.glob("*-rehearsal-a"))
    assert made == names[-1]
    assert len(names) == (KEPT if inside else KEPT + 1)
    assert len(list_rehearsals(Project(place.parent))) == (KEPT if inside else 0)
