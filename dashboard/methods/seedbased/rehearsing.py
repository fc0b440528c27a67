"""Starting a rehearsal; of those that a project has, the newest few stay."""

from __future__ import annotations

from dashboard.session import Session
from engine.projects.rehearsals import prune
from engine.runs.control import start
from engine.runs.work import Job


def start_rehearsal(session: Session, job: Job) -> str:
    """Start a rehearsal.

    Returns:
        Its name.

    Raises:
        Refusal: as `engine.runs.control.start`.
    """
    run = start(job, session.runs_at)
    if session.project is not None:
        prune(session.project)
    return run.identity
