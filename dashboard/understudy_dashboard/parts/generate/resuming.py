"""A run that was interrupted: what became of it, and letting it go on or giving it up."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import mechanism_of
from understudy.runs.evidence import encode_as_run, plan_and_schema
from understudy.runs.folder import RunFolder
from understudy.runs.resuming import give_up, resume
from understudy_dashboard import words
from understudy_dashboard.frame import link, refuse
from understudy_dashboard.internal import internal
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.session import Session
from understudy_dashboard.spending import plan_of, progress_of, title

RESUME: Final = "Resume the run"
"""What the button is called that lets a run go on."""

_WHY = (
    "It is the same run, and it is paid for: it goes on with its own secret and with all that was "
    "drawn for it, so nothing is asked of the records a second time."
)


def resuming(session: Session, run: RunFolder) -> None:
    """Say that a run was interrupted, and offer what can be done about it.

    Args:
        session: the page's state.
        run: a run that `resumable` says can go on.
    """
    with st.container(border=True, key=f"interrupted-{run.identity}"):
        st.warning(
            "**A run was interrupted.** Its process is gone, as after a power cut or when memory "
            "ran out. Nothing was released. **Resuming it spends nothing further.**",
            icon=":material/power_off:",
        )
        st.caption(title(session, run, with_state=False))
        _why(run)
        _reached(run)
        opened = session.table is not None
        st.markdown(f"{_WHY} Press **{RESUME}** below." if opened else _WHY)
        place = st.container()
        with st.container(horizontal=True, vertical_alignment="center"):
            if session.table is None:
                link("data", "Open its table again to resume it", ":material/table:")
            elif st.button(
                RESUME,
                key=f"resume-{run.identity}",
                type="primary",
                icon=":material/play_arrow:",
            ):
                with place:
                    _resume(session, run)
            _give_up(session, run)
        if session.table is None:
            st.caption(
                "The table itself is never kept. It is recognised when you open it: the same "
                "file, its records in the same order."
            )


def _why(run: RunFolder) -> None:
    """What it said itself of why it stopped, such as that a disk is full."""
    progress = progress_of(run)
    if progress is not None and (run.reported().message or run.full.exists()):
        st.markdown(words.plain(progress.message))


def _reached(run: RunFolder) -> None:
    """How far it was."""
    progress, plan = progress_of(run), plan_of(run)
    if progress is None or plan is None or not progress.done:
        return
    hidden = page_of(plan.kind).hides_pace(plan)
    mark = internal(f"reached-{run.identity}", "Until the run has finished.")
    with mark if hidden else nullcontext():
        steps = mechanism_of(plan).steps(plan)
        share = min(1.0, progress.done / max(1, steps))
        st.progress(share, text=f"{progress.done:,} of {page_of(plan.kind).counted(plan)}")


def _resume(session: Session, run: RunFolder) -> None:
    table = session.table
    assert table is not None
    try:
        with st.spinner("Recognising the table…"):
            resume(run, encode_as_run(run, table.raw))
            session.run, session.watching = run.identity, True
    except Refusal as refusal:
        refuse(_about_the_table(refusal, run))
        return
    st.rerun()


def _about_the_table(refusal: Refusal, run: RunFolder) -> Refusal:
    """Name another table as what does not fit about a column or the records; the reason stays."""
    if refusal.field != "table" and refusal.field not in _columns(run):
        return refusal
    return Refusal(
        f"The open table is not the one that this run was made from. {refusal.problem}",
        "Open that file on the Data page, as it was then, its records in the same order.",
        field="table",
    )


def _columns(run: RunFolder) -> tuple[str, ...]:
    try:
        return plan_and_schema(run)[1].names
    except Refusal:
        return ()


def _give_up(session: Session, run: RunFolder) -> None:
    with st.popover("Give it up", icon=":material/delete:", key=f"giving-up-{run.identity}"):
        st.markdown(
            "What it made so far, and the secret it would go on from, are erased. What it cost "
            "stays spent. A new run of the same plan is a new spend."
        )
        if st.button("Erase it and give it up", key=f"give-up-{run.identity}"):
            try:
                give_up(run)
            except Refusal as refusal:
                refuse(refusal)
                return
            session.notices.append("The run was given up. Nothing of it was released.")
            session.watching = False
            st.rerun()
