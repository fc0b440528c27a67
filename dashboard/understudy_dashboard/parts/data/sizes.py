"""How many records there are, as far as everybody may know, and how many are to be made: asked
here, and used on every page."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.projects.state import USUAL_ROWS
from understudy_dashboard.parts.controls import fill
from understudy_dashboard.parts.privacy.counting import records_there
from understudy_dashboard.session import Session

_MOST: Final = 10**9
_RECORDS, _ROWS = "sizes-records", "sizes-rows"
_KNOWN: Final = (
    "From a publication, or because the table covers a known population. It says beforehand how "
    "near a plan will come, and what can be counted on. What you enter is kept as confirmed to be "
    "public."
)


def sizes(session: Session) -> None:
    """Ask for both numbers; the first decides what can be counted on."""
    st.markdown("**How many records are in the table?**")
    with st.container(key="sizes"):
        records, rows = st.columns(2, gap="medium")
    with records:
        _records(session)
    with rows:
        _rows(session)
    with st.container():
        st.caption(_said(session))


def _said(session: Session) -> str:
    """Return what the numbers are for."""
    if session.simulated:
        return (
            "The sample is simulated, so its number of records is public. As many rows are made, "
            "unless you say otherwise."
        )
    said = "More rows cost no more privacy."
    if session.sizes.records is not None:
        return f"{said} About as many as the real table has is usual."
    return (
        "A number that everybody may know, not one that only you can count: what will be kept is "
        f"foreseen from it. {said}"
    )


def _records(session: Session) -> None:
    """Draw a box for the number, and a button that takes that of the open table."""
    known = session.sizes.records
    fill(_RECORDS, known)
    st.number_input(
        "Records in the table, at least",
        min_value=1,
        max_value=_MOST,
        value=None,
        step=1,
        key=_RECORDS,
        placeholder="not known yet",
        on_change=_take_records,
        args=(session,),
        help=_KNOWN,
    )
    there = records_there(session)
    if there is not None and known is None:
        st.button(
            f"{there:,}, and everybody may know it",
            key=f"take-{_RECORDS}",
            icon=":material/format_list_numbered:",
            on_click=_say,
            args=(session, there),
        )


def _take_records(session: Session) -> None:
    _say(session, st.session_state[_RECORDS])


def _say(session: Session, records: int | None) -> None:
    session.size_up(session.sizes.model_copy(update={"records": records}))


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
