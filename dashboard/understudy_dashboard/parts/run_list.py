"""Choosing a run among those of the open project."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.parts.panel import TITLE, Scope, panel
from understudy_dashboard.session import Session
from understudy_dashboard.spending import about_of, decided_of, of_purpose, title

_MOST = 20


def chosen_run(session: Session, place: str) -> RunFolder | None:
    """Return the run to look at: the one last chosen, or the newest; None if there is none.

    Args:
        session: the page's state.
        place: the page it stands on, to tell the widgets apart.
    """
    found = of_purpose(session, "release")
    if not found:
        return None
    by_name = {run.identity: run for run in found}
    titles = unlike_titles(session, found)
    if session.run not in by_name:
        session.run = found[0].identity
    if len(found) > 1:
        key = f"run-{place}"
        st.session_state[key] = session.run
        st.selectbox(
            "Run",
            list(by_name),
            format_func=titles.__getitem__,
            key=key,
            on_change=_choose,
            args=(session, key),
            help="The runs of this project, newest first.",
        )
    else:
        st.caption(title(session, found[0]))
    return by_name[session.run or ""]


def unlike_titles(session: Session, found: Sequence[RunFolder]) -> dict[str, str]:
    """Return the title of each run by its name, numbered where two of one second are alike: a list
    tells what was chosen by its text."""
    titles: dict[str, str] = {}
    for run in reversed(found):
        text = title(session, run)
        alike = sum(each.startswith(text) for each in titles.values())
        titles[run.identity] = f"{text} ({alike + 1})" if alike else text
    return titles


def _choose(session: Session, key: str) -> None:
    session.run = st.session_state[key]


def recent(session: Session) -> None:
    """The runs of this project, to open again."""
    found = of_purpose(session, "release")
    if not found:
        return
    with st.expander(f"Recent runs ({len(found)})", expanded=session.schema is None):
        for run in found[:_MOST]:
            _row(session, run)
        if len(found) > _MOST:
            st.caption(f"and {words.count(len(found) - _MOST, 'older run')}.")


def _row(session: Session, run: RunFolder) -> None:
    text, promises, button = st.columns([5, 2, 1], vertical_alignment="center")
    text.markdown(title(session, run))
    about = promises.popover(
        TITLE, type="tertiary", key=f"promises-{run.identity}", on_change="rerun"
    )
    if about.open:
        with about:
            panel(scope_of(session, run), f"list-{run.identity}")
    if session.watching and run.identity == session.run:
        button.caption("open")
        return
    button.button(
        "Open",
        key=f"open-{run.identity}",
        on_click=_open,
        args=(session, run.identity),
        width="stretch",
    )


def _open(session: Session, identity: str) -> None:
    session.run, session.watching = identity, True


def scope_of(session: Session, run: RunFolder) -> Scope | None:
    """Return what a run promises, as its statement has it or, without one, its plan; None for
    nothing."""
    scope: Scope | None = session.keep(
        f"scope {run.identity}", run.guarantee.exists(), lambda: _scope(run)
    )
    return scope


def _scope(run: RunFolder) -> Scope | None:
    about = about_of(run)
    if about is None or about.stained:
        return None
    try:
        if run.guarantee.exists():
            said = json.loads(run.guarantee.read_text(encoding="utf-8"))
            return Scope.stated(said["guarantee"])
        return Scope.of(decided_of(run).guarantee)
    except (OSError, ValueError, KeyError, Refusal):
        return None
