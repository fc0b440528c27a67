"""The runs of a project: side by side, once more, and those that were interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import mechanism_of
from understudy.runs.evidence import encode_as_run, read_plan_and_schema
from understudy.runs.folder import RunFolder
from understudy.runs.resumption import give_up, resume
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, mark_internal, show_refusal
from understudy_dashboard.ledger_status import (
    describe_plan,
    describe_state,
    open_book,
    read_progress,
    read_run_plan,
    runs_of_purpose,
    title_of_run,
)
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.methods.words import plan_words
from understudy_dashboard.parts.run_list import SettingWords
from understudy_dashboard.session import Session

RESUME: Final = "Resume the run"
"""What the button is called that lets a run go on."""

_WHY = (
    "It is the same run, and it is paid for: it goes on with its own secret and with all that was "
    "drawn for it, so nothing is asked of the records a second time."
)


def draw_interrupted(session: Session, run: RunFolder) -> None:
    """Say that a run was interrupted, and offer what can be done about it.

    Args:
        session: the page's state.
        run: a run that can go on.
    """
    with st.container(border=True, key=f"interrupted-{run.identity}"):
        st.warning(
            "**A run was interrupted.** Its process is gone, as after a power cut or when memory "
            "ran out. Nothing was released. **Resuming it spends nothing further.**",
            icon=":material/power_off:",
        )
        st.caption(title_of_run(session, run, with_state=False))
        _draw_end(run)
        _draw_reached(run)
        opened = session.data.table is not None
        st.markdown(f"{_WHY} Press **{RESUME}** below." if opened else _WHY)
        place = st.container()
        with st.container(horizontal=True, vertical_alignment="center"):
            if session.data.table is None:
                draw_link("data", "Open its table again to resume it", ":material/table:")
            elif st.button(
                RESUME,
                key=f"resume-{run.identity}",
                type="primary",
                icon=":material/play_arrow:",
            ):
                with place:
                    _resume_run(session, run)
            _draw_giving_up(session, run)
        if session.data.table is None:
            st.caption(
                "The table itself is never kept. It is recognised when you open it: the same "
                "file, its records in the same order."
            )


def _draw_end(run: RunFolder) -> None:
    """Draw what it said itself of why it stopped, such as that a disk is full."""
    progress = read_progress(run)
    if progress is not None and (run.read_progress().message or run.full.exists()):
        st.markdown(words.escape(progress.message))


def _draw_reached(run: RunFolder) -> None:
    """Draw how far it was."""
    progress, plan = read_progress(run), read_run_plan(run)
    if progress is None or plan is None or not progress.done:
        return
    hidden = page_of(plan.kind).hides_pace(plan)
    mark = mark_internal(f"reached-{run.identity}", "Until the run has finished.")
    with mark if hidden else nullcontext():
        steps = mechanism_of(plan).steps(plan)
        share = min(1.0, progress.done / max(1, steps))
        st.progress(share, text=f"{progress.done:,} of {page_of(plan.kind).describe_steps(plan)}")


def _resume_run(session: Session, run: RunFolder) -> None:
    table = session.data.table
    assert table is not None
    try:
        with st.spinner("Recognising the table…"):
            resume(run, encode_as_run(run, table.raw))
            session.run, session.watching = run.identity, True
    except Refusal as refusal:
        show_refusal(_name_other_table(refusal, run))
        return
    st.rerun()


def _name_other_table(refusal: Refusal, run: RunFolder) -> Refusal:
    """Name another table as what does not fit about a column or the records; the reason stays."""
    if refusal.field != "table" and refusal.field not in _list_column_names(run):
        return refusal
    return Refusal(
        f"The open table is not the one that this run was made from. {refusal.problem}",
        "Open that file on the Data page, as it was then, its records in the same order.",
        field="table",
    )


def _list_column_names(run: RunFolder) -> tuple[str, ...]:
    try:
        return read_plan_and_schema(run)[1].names
    except Refusal:
        return ()


def _draw_giving_up(session: Session, run: RunFolder) -> None:
    with st.popover("Give it up", icon=":material/delete:", key=f"giving-up-{run.identity}"):
        st.markdown(
            "What it made so far, and the secret it would go on from, are erased. What it cost "
            "stays spent. A new run of the same plan is a new spend."
        )
        if st.button("Erase it and give it up", key=f"give-up-{run.identity}"):
            try:
                give_up(run)
            except Refusal as refusal:
                show_refusal(refusal)
                return
            session.notices.append("The run was given up. Nothing of it was released.")
            session.watching = False
            st.rerun()


_MOST = 50
_SAME, _OTHER = "=", "≠"


def draw_history(session: Session) -> None:
    """Draw every run with what it was to do; what two of them differ in; and running one again."""
    found = [
        run for run in runs_of_purpose(session, "release")[:_MOST] if read_run_plan(run) is not None
    ]
    if not found:
        return
    unfolded = st.expander(
        f"History: settings and differences ({len(found)})", key="history", on_change="rerun"
    )
    if not unfolded.open:
        return
    with unfolded:
        st.dataframe(
            pd.DataFrame([_load_row(session, run) for run in found]).fillna(""),
            hide_index=True,
            alt="The runs of this project and their settings",
        )
        if len(found) > 1:
            _draw_compared(session, found)
        _draw_again(session, found)


def _load_row(session: Session, run: RunFolder) -> dict[str, Any]:
    """Return one run; the same until its state changes."""
    progress = read_progress(run)
    state = None if progress is None else progress.state
    row: dict[str, Any] = session.cache.keep(
        f"history {run.identity}",
        (state, open_book(session).head),
        lambda: _list_settings(session, run),
    )
    return row


def _list_settings(session: Session, run: RunFolder) -> dict[str, Any]:
    plan = read_run_plan(run)
    assert plan is not None
    entry = open_book(session).runs.get(run.identity)
    promised = None if entry is None else entry.promised
    resumed = 0 if entry is None else entry.resumed
    return {
        "Run": title_of_run(session, run, with_state=False).partition(" · ")[0],
        "State": describe_state(run)
        + (f", resumed {words.count(resumed, 'time')}" if resumed else ""),
        "ε": "no promise" if promised is None else words.epsilon(promised.epsilon),
        "δ": "" if promised is None else words.delta(promised.delta),
        "Planned": describe_plan(session, run, plan),
        "Released": _describe_released(run),
        **plan_words(plan.kind).list_settings(plan),
    }


def _describe_released(run: RunFolder) -> str:
    progress = read_progress(run)
    if progress is None or not run.release.exists():
        return "nothing"
    return words.count(progress.passed, "record")


def _draw_compared(session: Session, found: Sequence[RunFolder]) -> None:
    """Draw two runs beside one another."""
    st.markdown("**Two runs beside one another**")
    names = [run.identity for run in found]
    by_name = {run.identity: run for run in found}
    left, right = st.columns(2)
    chosen = []
    for place, label, usual in ((left, "First run", 1), (right, "Second run", 0)):
        picked = place.selectbox(
            label,
            names,
            index=usual,
            format_func=lambda name: title_of_run(session, by_name[name]),
            key=f"history-{label}",
        )
        chosen.append(read_run_plan(by_name[picked]))
    first, second = chosen
    if first is None or second is None:
        return
    st.markdown(describe_comparison(first, second))
    every = st.toggle("Show the settings that are the same, too", key="history-every")
    rows = compare_settings(first, second, every=every)
    with st.container():
        if len(rows):
            st.table(rows, border="horizontal")


def describe_comparison(first: MechanismPlan, second: MechanismPlan) -> str:
    """Return what two plans differ in, in a sentence."""
    found = SettingWords([first, second])
    names = [found.label_setting(each.setting) for each in found.list_differing()]
    if first.domain != second.domain:
        names.append("what the columns may contain, or their buckets")
    if not names:
        return (
            "They have the same settings. Each drew random numbers of its own, so their tables "
            "differ all the same, and each was paid for."
        )
    listed = names[0] if len(names) == 1 else f"{'; '.join(names[:-1])}; and {names[-1]}"
    return f"They differ in **{words.count(len(names), 'setting')}**: {words.escape(listed)}."


def compare_settings(first: MechanismPlan, second: MechanismPlan, *, every: bool) -> pd.DataFrame:
    """Return a row for each setting that differs, in bold and with a sign; or for every setting."""
    rows = []
    found = SettingWords([first, second])
    for each in found.settings():
        if each.alike and not every:
            continue
        one, other = map(words.escape, found.print_setting(each))
        if not each.alike:
            one, other = f"**{one}**", f"**{other}**"
        sign = _SAME if each.alike else _OTHER
        rows.append((words.escape(found.label_setting(each.setting)), sign, one, other))
    frame = pd.DataFrame(rows, columns=["Setting", "", "First run", "Second run"])
    return frame.set_index("Setting")


def _draw_again(session: Session, found: Sequence[RunFolder]) -> None:
    """Take over the plan of a run, to run it once more."""
    by_name = {run.identity: run for run in found}
    st.markdown("**Run again**")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Run to repeat",
            list(by_name),
            format_func=lambda name: title_of_run(session, by_name[name]),
            key="history-again",
        )
        pressed = st.button(
            "Take over its settings",
            key="take-over",
            icon=":material/replay:",
            disabled=session.settings.schema is None,
        )
    st.caption(
        "Running again makes another table from the same records, so it is **a new spend** and "
        "adds up with the first; only an interrupted run can go on at no cost."
    )
    if pressed:
        _take_plan_over(session, by_name[picked], found)


def _take_plan_over(session: Session, run: RunFolder, found: Sequence[RunFolder]) -> None:
    plan = read_run_plan(run)
    if plan is None:
        return
    try:
        session.settings.adopt(plan)
    except Refusal as refusal:
        show_refusal(refusal)
        return
    session.watching, session.put_aside = False, max(each.identity for each in found)
    session.notices.append(
        "The settings of that run are in use. Nothing is spent until you confirm it below."
    )
    st.rerun()
