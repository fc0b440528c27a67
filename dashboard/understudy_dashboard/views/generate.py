"""Generate: what it costs, the confirmation, and watching it run."""

from __future__ import annotations

import streamlit as st

from understudy.runs.folder import RunFolder
from understudy.runs.resuming import resumable
from understudy.runs.watched import Progress
from understudy_dashboard import words
from understudy_dashboard.frame import link, needs_answers, show
from understudy_dashboard.parts.generate.history import history
from understudy_dashboard.parts.generate.resuming import resuming
from understudy_dashboard.parts.generate.starting import starting
from understudy_dashboard.parts.panel import TITLE, panel
from understudy_dashboard.parts.run_list import recent, scope_of
from understudy_dashboard.parts.watch import watch
from understudy_dashboard.session import Session, find_run
from understudy_dashboard.spending import of_purpose, progress_of, title


def _body(session: Session) -> None:
    running = _running(session)
    if running is not None:
        session.run, session.watching = running.identity, True
        st.subheader("Under way", anchor=False)
        st.caption(title(session, running, with_state=False))
        watch(running)
        st.caption(
            "You may leave this page or close it: the run goes on, and is listed under Recent runs."
        )
        return
    run = find_run(session, session.run)
    progress = None if run is None else progress_of(run)
    if run is not None and progress is not None and session.watching:
        _ended(session, run, progress)
        return
    finished = _finished_meanwhile(session)
    if finished is not None:
        session.run, session.watching = finished.identity, True
        _ended(session, finished, finished.progress())
        return
    for interrupted in of_purpose(session, "release"):
        if resumable(interrupted):
            resuming(session, interrupted)
    if needs_answers(session):
        starting(session)
    _earlier(session)


def _earlier(session: Session) -> None:
    recent(session)
    history(session)


def _running(session: Session) -> RunFolder | None:
    """Return the run under way: the one being looked at, or any."""
    for run in sorted(of_purpose(session, "release"), key=lambda run: run.identity != session.run):
        progress = progress_of(run)
        if progress is not None and not progress.ended:
            return run
    return None


def _finished_meanwhile(session: Session) -> RunFolder | None:
    """Return the newest run of the open project if it has finished and nobody has put it aside: the
    page or its server may have gone before it had."""
    if session.project is None:
        return None
    newest = next(iter(of_purpose(session, "release")), None)
    if newest is None or newest.identity <= session.put_aside:
        return None
    progress = progress_of(newest)
    return newest if progress is not None and progress.state == "finished" else None


def _put_aside(session: Session) -> None:
    """Go on to another run."""
    session.watching = False
    session.put_aside = max((run.identity for run in of_purpose(session, "release")), default="")


def _ended(session: Session, run: RunFolder, progress: Progress) -> None:
    """How the run ended, and where to go on."""
    if progress.state == "finished":
        st.success("**Finished.** The table and its guarantee are ready.", icon=":material/check:")
        with st.container(horizontal=True):
            link("inspect", "See what was kept and what was lost")
            link("release", "Go to the release")
    elif progress.state == "cancelled":
        st.info(
            "**Cancelled.** Nothing was released. Its budget counts as spent, and it cannot be "
            "resumed: what it would have gone on from is erased."
        )
    elif resumable(run):
        resuming(session, run)
    else:
        st.error(
            f"**Stopped.** {words.plain(progress.message)}",
            icon=":material/error:",
        )
    if not resumable(run):
        st.caption(title(session, run))
    with st.expander(TITLE):
        panel(scope_of(session, run), f"ended-{run.identity}")
    if st.button("Plan another run", key="another", icon=":material/add:"):
        _put_aside(session)
        st.rerun()
    _earlier(session)


show(
    "Generate",
    "Make the synthetic table. It runs by itself; this page only watches.",
    _body,
)
