"""Going back and forth in what was done to the schema."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from understudy_dashboard import words
from understudy_dashboard.editing import redo, remember, undo
from understudy_dashboard.session import Session


def undoing(session: Session, said: str) -> None:
    """What is said of the page and, once there is a step to take, two buttons beside it with what
    they would take back or do again.

    Beside it, so that nothing below moves when they come.
    """
    remember(session)
    history = session.editing.history
    told, steps = st.columns([4, 3])
    told.markdown(said)
    if history.undoing is None and history.redoing is None:
        return
    with steps.container(horizontal=True, vertical_alignment="center", key="undoing"):
        _button(session, "Undo", undo, "Ctrl+Z", "Take back", history.undoing)
        _button(session, "Redo", redo, "Ctrl+Shift+Z", "Do again", history.redoing)
        done = history.undoing
        if done is not None:
            st.caption(f"Last: {words.plain(done)}")


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
