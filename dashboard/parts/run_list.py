"""Choosing a run among those kept in the home folder."""

from __future__ import annotations

import streamlit as st

from dashboard import words
from dashboard.session import Session
from dashboard.spending import of_purpose, title
from engine.runs.folder import RunFolder


def chosen_run(session: Session, place: str) -> RunFolder | None:
    """The run to look at: the one last chosen, or the newest; None if there is none.

    Args:
        session: the page's state.
        place: the page it stands on, to tell the widgets apart.
    """
    found = of_purpose("release")
    if not found:
        return None
    by_name = {run.identity: run for run in found}
    if session.run not in by_name:
        session.run = found[0].identity
    if len(found) > 1:
        key = f"run-{place}"
        st.session_state[key] = session.run
        st.selectbox(
            "Run",
            list(by_name),
            format_func=lambda name: title(by_name[name]),
            key=key,
            on_change=_choose,
            args=(session, key),
            help="The runs of this folder, newest first.",
        )
    else:
        st.caption(title(found[0]))
    return by_name[session.run or ""]


def _choose(session: Session, key: str) -> None:
    session.run = st.session_state[key]


def recent(session: Session) -> None:
    """The runs of this folder, to open again."""
    found = of_purpose("release")
    if not found:
        return
    with st.expander(f"Recent runs ({len(found)})", expanded=session.schema is None):
        for run in found[:20]:
            text, button = st.columns([5, 1], vertical_alignment="center")
            text.markdown(title(run))
            if session.watching and run.identity == session.run:
                button.caption("open")
            else:
                button.button(
                    "Open",
                    key=f"open-{run.identity}",
                    on_click=_open,
                    args=(session, run.identity),
                    width="stretch",
                )
        if len(found) > 20:
            st.caption(f"and {words.count(len(found) - 20, 'older run')}.")


def _open(session: Session, identity: str) -> None:
    session.run, session.watching = identity, True
