"""Data: which table, and what its columns may contain."""

from __future__ import annotations

import streamlit as st

from understudy_dashboard.frame import link, show
from understudy_dashboard.parts.columns import columns
from understudy_dashboard.parts.confirm import confirm
from understudy_dashboard.parts.data.deciding import draw_questions
from understudy_dashboard.parts.data.recognition import awaiting, recognition
from understudy_dashboard.parts.opening import LEADS_ON, opened, opening
from understudy_dashboard.parts.schema_file import schema_file
from understudy_dashboard.parts.undoing import undoing
from understudy_dashboard.session import Session


def _body(session: Session) -> None:
    st.session_state.pop(LEADS_ON, None)
    if session.question is not None:
        recognition(session)
        return
    if session.table is None:
        awaiting(session)
        opening(session)
        return
    opened(session)
    if not draw_questions(session):
        return
    st.subheader("What each column may contain", anchor=False)
    said = "Released records can hold what is said here, and nothing else."
    if not session.declared and session.table.raw.reading.positions is None:
        said += " What is suggested was read off your table: put what is publicly known in its "
        said += "place."
    undoing(session, said)
    columns(session)
    schema_file(session)
    confirm(session, "data")
    if session.declared:
        link("buckets", "Next: Buckets")


show(
    "Data",
    "Open the confidential table, and say what its columns may contain.",
    _body,
)
