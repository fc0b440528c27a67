"""Watching a run: read from its folder, so that closing the page loses nothing."""

from __future__ import annotations

import time

import streamlit as st

from understudy.core.numerals import describe_duration, describe_roughly
from understudy.core.progress import read_count
from understudy.runs.folder import RunFolder
from understudy.runs.work_folder import Progress
from understudy_dashboard import words
from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.ledger_status import read_run_plan
from understudy_dashboard.methods.page import page_of

_EVERY = 1.0
_BEFORE = {"starting": 0.0, "splitting": 0.01, "learning": 0.02}
_FROM, _TO = 0.05, 0.9


@st.fragment(run_every=_EVERY)
def watch_run(run: RunFolder) -> None:
    """Follow a run until it ends, then draw the whole page afresh."""
    with showing_refusals():
        progress = run.progress()
        if progress.ended:
            st.rerun()
        st.progress(fraction_done(progress), text=_describe_stage(progress))
        _draw_figures(run, progress)
        _draw_cancel(run)


def _describe_stage(progress: Progress) -> str:
    """Return what it is doing, the step of it where that is known, and for how long already."""
    said = words.STATES[progress.state]
    if progress.state != "learning":
        return said
    step = f": {words.escape(progress.message)}" if progress.message else ""
    so_far = describe_duration(max(0.0, time.time() - progress.started))
    left = estimate_seconds(progress)
    after = "" if left is None else f", about {describe_roughly(left)} left"
    return f"{said}{step} · {so_far} so far{after}"


def estimate_seconds(progress: Progress) -> float | None:
    """Return how long learning still takes at the pace it had; None if no step of it is counted,
    or hardly any of it is done."""
    counted = read_count(progress.message)
    if progress.state != "learning" or counted is None or not counted[0]:
        return None
    done, total = counted
    return max(0.0, progress.updated - progress.started) * (total - done) / done


def fraction_done(progress: Progress) -> float:
    """Return how far the bar stands, in [0, 1]: attempts take most of it."""
    if progress.state == "evaluating":
        return _TO
    if progress.state == "attempting" and progress.attempts:
        return _FROM + (_TO - _FROM) * min(1.0, progress.done / progress.attempts)
    return _BEFORE.get(progress.state, 1.0)


def _draw_figures(run: RunFolder, progress: Progress) -> None:
    if progress.state != "attempting":
        st.caption(
            "How long this takes depends on the method and on the table. You can close this page "
            "meanwhile: the run goes on."
        )
        return
    plan = read_run_plan(run)
    if plan is not None:
        page_of(plan.kind).pace(plan, progress)


def _draw_cancel(run: RunFolder) -> None:
    if run.cancelling:
        st.caption("Stopping after what is in hand…")
    else:
        st.button(
            "Cancel", icon=":material/stop:", key=f"cancel-{run.identity}", on_click=run.cancel
        )
