"""Going back and forth in what was done to the schema."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import words
from dashboard.editing import redo, remember, undo
from dashboard.session import Session


def undoing(session: Session) -> None:
    """Two buttons, and what they would take back or do again."""
    remember(session)
    history = session.editing.history
    with st.container(horizontal=True, vertical_alignment="center", key="undoing"):
        _button(session, "Undo", undo, "Ctrl+Z", "Take back", history.undoing)
        _button(session, "Redo", redo, "Ctrl+Shift+Z", "Do again", history.redoing)
        done = history.undoing
        st.caption("Nothing was changed yet." if done is None else f"Last: {words.plain(done)}")


def _button(
    session: Session,
    label: str,
    act: Callable[[Session], None],
    shortcut: str,
    verb: str,
    what: str | None,
) -> None:
    """A button for a step; without one to take, it cannot be pressed."""
    st.button(
        label,
        icon=f":material/{label.lower()}:",
        key=label.lower(),
        on_click=act,
        args=(session,),
        disabled=what is None,
        shortcut=shortcut,
        help=None if what is None else f"{verb}: {words.plain(what)}",
    )
