"""Data: which table, and what its columns may contain."""

from __future__ import annotations

import streamlit as st

from dashboard.frame import link, show
from dashboard.parts.columns import columns
from dashboard.parts.confirm import confirm
from dashboard.parts.data.positions import positions
from dashboard.parts.data.recognition import awaiting, recognition
from dashboard.parts.data.sequences import sequences, wants_answer
from dashboard.parts.data.sizes import sizes
from dashboard.parts.opening import LEADS_ON, opened, opening
from dashboard.parts.schema_file import schema_file
from dashboard.parts.undoing import undoing
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
    # Whose the rows are is asked first only where there is a reason to: the columns are what most
    # people come for.
    first = not of_positions and wants_answer(session)
    if first:
        sequences(session)
    st.subheader("What each column may contain", anchor=False)
    said = "Released records can hold what is said here, and nothing else."
    if not session.declared and not of_positions:
        said += " What is suggested was read off your table: put what is publicly known in its "
        said += "place."
    undoing(session, said)
    columns(session)
    schema_file(session)
    if not of_positions:
        if not first:
            sequences(session)
        sizes(session)
    confirm(session, "data")
    if session.declared:
        link("buckets", "Next: Buckets")


show(
    "Data",
    "Open the confidential table, and say what its columns may contain.",
    _body,
)
