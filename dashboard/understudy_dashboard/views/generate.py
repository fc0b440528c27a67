"""Generate: what it costs, the confirmation, and watching it run."""

from __future__ import annotations

import streamlit as st

from understudy.runs.folder import RunFolder
from understudy.runs.resumption import can_resume
from understudy.runs.work_folder import Progress
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, have_answers, show_page
from understudy_dashboard.ledger_status import read_progress, runs_of_purpose, title_of_run
from understudy_dashboard.parts.panel import TITLE, draw_panel
from understudy_dashboard.parts.run_history import draw_history, draw_interrupted
from understudy_dashboard.parts.run_list import draw_recent, find_scope
from understudy_dashboard.parts.run_start import draw_start
from understudy_dashboard.parts.watch import watch_run
from understudy_dashboard.session import Session, find_open_run


def _draw_body(session: Session) -> None:
    running = _find_running(session)
    if running is not None:
        session.run, session.watching = running.identity, True
        st.subheader("Under way", anchor=False)
        st.caption(title_of_run(session, running, with_state=False))
        watch_run(running)
        st.caption(
            "You may leave this page or close it: the run goes on, and is listed under Recent runs."
        )
        return
    run = find_open_run(session, session.run)
    progress = None if run is None else read_progress(run)
    if run is not None and progress is not None and session.watching:
        _draw_end(session, run, progress)
        return
    finished = _find_finished(session)
    if finished is not None:
        session.run, session.watching = finished.identity, True
        _draw_end(session, finished, finished.progress())
        return
    for interrupted in runs_of_purpose(session, "release"):
        if can_resume(interrupted):
            draw_interrupted(session, interrupted)
    if have_answers(session):
        draw_start(session)
    _draw_earlier(session)


def _draw_earlier(session: Session) -> None:
    draw_recent(session)
    draw_history(session)


def _find_running(session: Session) -> RunFolder | None:
    """Return the run under way: the one being looked at, or any."""
    for run in sorted(
        runs_of_purpose(session, "release"), key=lambda run: run.identity != session.run
    ):
        progress = read_progress(run)
        if progress is not None and not progress.ended:
            return run
    return None


def _find_finished(session: Session) -> RunFolder | None:
    """Return the newest run of the open project if it has finished and nobody has put it aside: the
    page or its server may have gone before it had."""
    if session.project is None:
        return None
    newest = next(iter(runs_of_purpose(session, "release")), None)
    if newest is None or newest.identity <= session.put_aside:
        return None
    progress = read_progress(newest)
    return newest if progress is not None and progress.state == "finished" else None


def _put_aside(session: Session) -> None:
    """Go on to another run."""
    session.watching = False
    session.put_aside = max(
        (run.identity for run in runs_of_purpose(session, "release")), default=""
    )


def _draw_end(session: Session, run: RunFolder, progress: Progress) -> None:
    """Draw how the run ended, and where to go on."""
    if progress.state == "finished":
        st.success("**Finished.** The table and its guarantee are ready.", icon=":material/check:")
        with st.container(horizontal=True):
            draw_link("inspect", "See what was kept and what was lost")
            draw_link("release", "Go to the release")
    elif progress.state == "cancelled":
        st.info(
            "**Cancelled.** Nothing was released. Its budget counts as spent, and it cannot be "
            "resumed: what it would have gone on from is erased."
        )
    elif can_resume(run):
        draw_interrupted(session, run)
    else:
        st.error(
            f"**Stopped.** {words.escape(progress.message)}",
            icon=":material/error:",
        )
    if not can_resume(run):
        st.caption(title_of_run(session, run))
    with st.expander(TITLE):
        draw_panel(find_scope(session, run), f"ended-{run.identity}")
    if st.button("Plan another run", key="another", icon=":material/add:"):
        _put_aside(session)
        st.rerun()
    _draw_earlier(session)


show_page(
    "Generate",
    "Make the synthetic table. It runs by itself; this page only watches.",
    _draw_body,
)
