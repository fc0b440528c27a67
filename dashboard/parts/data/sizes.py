"""How many records there are, as far as everybody may know, and how many are to be made: asked
here, and used on every page."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard.parts.controls import fill
from dashboard.parts.records_known import records_known
from dashboard.session import Session
from engine.projects.state import USUAL_ROWS

_MOST: Final = 10**9
_RECORDS, _ROWS = "sizes-records", "sizes-rows"


def sizes(session: Session) -> None:
    """Ask for both numbers."""
    st.subheader("How many records?", anchor=False)
    with st.container(key="sizes"):
        records, rows = st.columns(2, gap="medium")
    with records:
        records_known(session, _RECORDS)
    with rows:
        _rows(session)
    with st.container():
        st.caption(_said(session))


def _said(session: Session) -> str:
    """What the numbers are for."""
    if session.simulated:
        return (
            "The sample is simulated, so its number of records is public. As many rows are made, "
            "unless you say otherwise."
        )
    said = "More rows cost no more privacy."
    if session.sizes.records is not None:
        return f"{said} About as many as the real table has is usual."
    return (
        "A number that everybody may know is reached, not one you counted: what will be kept is "
        f"foreseen from it. {said}"
    )


def _rows(session: Session) -> None:
    found = session.sizes
    fill(_ROWS, found.rows)
    st.number_input(
        "Rows in the synthetic table",
        min_value=1,
        max_value=_MOST,
        value=None,
        step=1,
        key=_ROWS,
        placeholder=f"{found.records or USUAL_ROWS:,}",
        on_change=_take,
        args=(session,),
    )


def _take(session: Session) -> None:
    session.size_up(session.sizes.model_copy(update={"rows": st.session_state[_ROWS]}))
