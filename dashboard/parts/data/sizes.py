"""How many records there are, as far as everybody may know, and how many are to be made: asked
here, and used on every page."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard.parts.controls import fill
from dashboard.parts.privacy.counting import records_there
from dashboard.session import Session
from engine.projects.state import USUAL_ROWS, Sizes

_MOST: Final = 10**9
_RECORDS, _ROWS = "sizes-records", "sizes-rows"
_KNOWN: Final = (
    "From a publication, or because the table covers a known population. It says beforehand how "
    "near a plan will come, and what can be counted on. What you enter is kept as confirmed to be "
    "public."
)


def sizes(session: Session) -> None:
    """Ask for both numbers."""
    found = session.sizes
    st.subheader("How many records?", anchor=False)
    with st.container(key="sizes"):
        records, rows = st.columns(2, gap="medium")
    with records:
        _number(session, "Records in the table, at least", _RECORDS, found.records, "not known yet")
        _counted(session, found)
    with rows:
        usual = found.records or USUAL_ROWS
        _number(session, "Rows in the synthetic table", _ROWS, found.rows, f"{usual:,}")
    with st.container():
        st.caption(_said(session))


def _counted(session: Session, found: Sizes) -> None:
    """A button that takes the number of records there are, where that may be known."""
    there = records_there(session)
    if there is not None and found.records is None:
        st.button(
            f"{there:,}, and everybody may know it",
            key="take-sizes-records",
            icon=":material/format_list_numbered:",
            on_click=session.size_up,
            args=(found.model_copy(update={"records": there}),),
        )


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


def _number(session: Session, label: str, key: str, value: int | None, empty: str) -> None:
    fill(key, value)
    st.number_input(
        label,
        min_value=1,
        max_value=_MOST,
        value=None,
        step=1,
        key=key,
        placeholder=empty,
        on_change=_take,
        args=(session,),
        help=_KNOWN if key == _RECORDS else None,
    )


def _take(session: Session) -> None:
    held = st.session_state
    session.size_up(Sizes(records=held[_RECORDS], rows=held[_ROWS]))
