"""The rehearsals of a project; only the newest few are kept, as they cost nothing to repeat."""

from __future__ import annotations

import shutil
from contextlib import suppress

from understudy.core.refusal import Refusal
from understudy.projects.project import Project
from understudy.runs.control import runs
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import InquiryFolder
from understudy.runs.watched import Watched

KEPT = 6


def rehearsals(project: Project) -> tuple[RunFolder, ...]:
    """Return the rehearsals of a project, newest first."""
    return tuple(run for run in runs(project.runs) if _is_rehearsal(run))


def prune(project: Project, most: int = KEPT) -> None:
    """Remove all but the newest rehearsals; one that a process works on stays."""
    for run in rehearsals(project)[most:]:
        if _idle(run):
            shutil.rmtree(run.path, ignore_errors=True)


def _is_rehearsal(run: RunFolder) -> bool:
    with suppress(Refusal):
        return run.about().purpose == "rehearsal"
    return False


def _idle(run: RunFolder) -> bool:
    """Return whether no process works on it, nor on an inquiry into it."""
    asked = [InquiryFolder(path.parent) for path in run.internal.glob("*/progress.json")]
    return all(_ended(each) for each in (run, *asked))


def _ended(work: Watched) -> bool:
    with suppress(Refusal):
        return work.progress().ended
    return True
