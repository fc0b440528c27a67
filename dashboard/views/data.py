"""Data: which table, and what its columns may contain."""

from __future__ import annotations

import streamlit as st

from dashboard.frame import link, show
from dashboard.parts.columns import columns
from dashboard.parts.confirm import confirm
from dashboard.parts.data.positions import positions
from dashboard.parts.data.recognition import awaiting, recognition
from dashboard.parts.data.sequences import sequences
from dashboard.parts.data.sizes import sizes
from dashboard.parts.opening import LEADS_ON, opened, opening
from dashboard.parts.schema_file import schema_file
from dashboard.session import Session


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
    of_positions = positions(session)
    if not of_positions:
        sequences(session)
        sizes(session)
    st.subheader("What each column may contain", anchor=False)
    said = "This is the public frame of the table: released records can hold anything it allows "
    said += "and nothing else."
    if not session.declared and not of_positions:
        said += " What is suggested was read off your table, so put what is publicly known in "
        said += "its place."
    st.markdown(said)
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
