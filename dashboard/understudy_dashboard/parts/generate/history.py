"""The runs of a project with their settings, two of them beside one another, and running again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.methods.words import words_of
from understudy_dashboard.parts.setting_words import SettingWords
from understudy_dashboard.session import Session
from understudy_dashboard.spending import (
    book,
    of_purpose,
    plan_of,
    planned_words,
    progress_of,
    state_of,
    title,
)

_MOST = 50
_SAME, _OTHER = "=", "≠"


def history(session: Session) -> None:
    """Every run with what it was to do; what two of them differ in; and running one again."""
    found = [run for run in of_purpose(session, "release")[:_MOST] if plan_of(run) is not None]
    if not found:
        return
    unfolded = st.expander(
        f"History: settings and differences ({len(found)})", key="history", on_change="rerun"
    )
    if not unfolded.open:
        return
    with unfolded:
        st.dataframe(
            pd.DataFrame([_row(session, run) for run in found]).fillna(""),
            hide_index=True,
            alt="The runs of this project and their settings",
        )
        if len(found) > 1:
            _compared(session, found)
        _again(session, found)


def _row(session: Session, run: RunFolder) -> dict[str, Any]:
    """Return one run; the same until its state changes."""
    progress = progress_of(run)
    state = None if progress is None else progress.state
    row: dict[str, Any] = session.keep(
        f"history {run.identity}", (state, book(session).head), lambda: _settings(session, run)
    )
    return row


def _settings(session: Session, run: RunFolder) -> dict[str, Any]:
    plan = plan_of(run)
    assert plan is not None
    entry = book(session).runs.get(run.identity)
    promised = None if entry is None else entry.promised
    resumed = 0 if entry is None else entry.resumed
    return {
        "Run": title(session, run, with_state=False).partition(" · ")[0],
        "State": state_of(run) + (f", resumed {words.count(resumed, 'time')}" if resumed else ""),
        "ε": "no promise" if promised is None else words.epsilon(promised.epsilon),
        "δ": "" if promised is None else words.delta(promised.delta),
        "Planned": planned_words(session, run, plan),
        "Released": _released(run),
        **words_of(plan.kind).listed(plan),
    }


def _released(run: RunFolder) -> str:
    progress = progress_of(run)
    if progress is None or not run.release.exists():
        return "nothing"
    return words.count(progress.passed, "record")


def _compared(session: Session, found: Sequence[RunFolder]) -> None:
    """Two runs beside one another."""
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
            format_func=lambda name: title(session, by_name[name]),
            key=f"history-{label}",
        )
        chosen.append(plan_of(by_name[picked]))
    first, second = chosen
    if first is None or second is None:
        return
    st.markdown(said(first, second))
    every = st.toggle("Show the settings that are the same, too", key="history-every")
    rows = beside(first, second, every=every)
    with st.container():
        if len(rows):
            st.table(rows, border="horizontal")


def said(first: MechanismPlan, second: MechanismPlan) -> str:
    """Return what two plans differ in, in a sentence."""
    found = SettingWords([first, second])
    names = [found.labelled(each.setting) for each in found.differing()]
    if first.domain != second.domain:
        names.append("what the columns may contain, or their buckets")
    if not names:
        return (
            "They have the same settings. Each drew random numbers of its own, so their tables "
            "differ all the same, and each was paid for."
        )
    listed = names[0] if len(names) == 1 else f"{'; '.join(names[:-1])}; and {names[-1]}"
    return f"They differ in **{words.count(len(names), 'setting')}**: {words.plain(listed)}."


def beside(first: MechanismPlan, second: MechanismPlan, *, every: bool) -> pd.DataFrame:
    """Return a row for each setting that differs, in bold and with a sign; or for every setting."""
    rows = []
    found = SettingWords([first, second])
    for each in found.settings():
        if each.alike and not every:
            continue
        one, other = map(words.plain, found.printed(each))
        if not each.alike:
            one, other = f"**{one}**", f"**{other}**"
        sign = _SAME if each.alike else _OTHER
        rows.append((words.plain(found.labelled(each.setting)), sign, one, other))
    frame = pd.DataFrame(rows, columns=["Setting", "", "First run", "Second run"])
    return frame.set_index("Setting")


def _again(session: Session, found: Sequence[RunFolder]) -> None:
    """Take over the plan of a run, to run it once more."""
    by_name = {run.identity: run for run in found}
    st.markdown("**Run again**")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Run to repeat",
            list(by_name),
            format_func=lambda name: title(session, by_name[name]),
            key="history-again",
        )
        pressed = st.button(
            "Take over its settings",
            key="take-over",
            icon=":material/replay:",
            disabled=session.schema is None,
        )
    st.caption(
        "Running again makes another table from the same records, so it is **a new spend** and "
        "adds up with the first; only an interrupted run can go on at no cost."
    )
    if pressed:
        _take_over(session, by_name[picked], found)


def _take_over(session: Session, run: RunFolder, found: Sequence[RunFolder]) -> None:
    plan = plan_of(run)
    if plan is None:
        return
    try:
        session.adopt(plan)
    except Refusal as refusal:
        refuse(refusal)
        return
    session.watching, session.put_aside = False, max(each.identity for each in found)
    session.notices.append(
        "The settings of that run are in use. Nothing is spent until you confirm it below."
    )
    st.rerun()
