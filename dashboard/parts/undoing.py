"""Going back and forth in what was done to the schema."""

from __future__ import annotations

import streamlit as st

from dashboard import words
from dashboard.editing import redo, remember, undo
from dashboard.session import Session


def undoing(session: Session) -> None:
    """Two buttons, and what they would take back or do again."""
    remember(session)
    history = session.editing.history
    with st.container(horizontal=True, vertical_alignment="center", key="undoing"):
        st.button(
            "Undo",
            icon=":material/undo:",
            key="undo",
            on_click=undo,
            args=(session,),
            disabled=history.undoing is None,
            shortcut="Ctrl+Z",
            help=_said("Take back", history.undoing),
        )
        st.button(
            "Redo",
            icon=":material/redo:",
            key="redo",
            on_click=redo,
            args=(session,),
            disabled=history.redoing is None,
            shortcut="Ctrl+Shift+Z",
            help=_said("Do again", history.redoing),
        )
        done = history.undoing
        st.caption("Nothing was changed yet." if done is None else f"Last: {words.plain(done)}")


def _said(verb: str, what: str | None) -> str | None:
    return None if what is None else f"{verb}: {words.plain(what)}"
