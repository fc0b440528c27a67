"""Starting a rehearsal; of those that a project has, the newest few stay."""

from __future__ import annotations

from understudy.projects.rehearsals import prune
from understudy.runs.control import start
from understudy.runs.work import Job
from understudy_dashboard.session import Session


def start_rehearsal(session: Session, job: Job) -> str:
    """Start a rehearsal.

    Returns:
        Its name.

    Raises:
        Refusal: as `understudy.runs.control.start`.
    """
    run = start(job, session.runs_at)
    if session.project is not None:
        prune(session.project)
    return run.identity
