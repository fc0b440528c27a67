"""Data: which table, and what its columns may contain."""

from __future__ import annotations

import streamlit as st

from understudy_dashboard.frame import draw_link, show_page
from understudy_dashboard.parts.columns import draw_columns, draw_undoing
from understudy_dashboard.parts.confirmation import count_unsaid, draw_confirmation
from understudy_dashboard.parts.derivations import draw_derivations
from understudy_dashboard.parts.known_totals import draw_known_totals
from understudy_dashboard.parts.recognition import draw_recognition, draw_waiting
from understudy_dashboard.parts.rules import draw_rules
from understudy_dashboard.parts.schema_file import draw_schema_file
from understudy_dashboard.parts.table_questions import draw_questions
from understudy_dashboard.parts.table_sources import LEADS_ON, draw_open_table, draw_opening
from understudy_dashboard.session import Session


def _draw_body(session: Session) -> None:
    st.session_state.pop(LEADS_ON, None)
    if session.question is not None:
        draw_recognition(session)
        return
    if session.data.table is None:
        draw_waiting(session)
        draw_opening(session)
        return
    draw_open_table(session)
    if not draw_questions(session):
        return
    st.subheader("What each column may contain", anchor=False)
    said = "Released records can hold what is said here, and nothing else."
    of_positions = session.data.table.raw.reading.positions is not None
    if not session.settings.declared and not of_positions:
        said += " What is suggested was read off your table: put what is publicly known in its "
        said += f"place. **{count_unsaid(session.settings.require_schema())}**"
    draw_undoing(session, said)
    draw_columns(session)
    if not of_positions:
        draw_derivations(session)
        draw_rules(session)
        draw_known_totals(session)
    draw_schema_file(session)
    draw_confirmation(session, "data")
    if session.settings.declared:
        draw_link("buckets", "Next: Buckets")


show_page(
    "Data",
    "Open the confidential table, and say what its columns may contain.",
    _draw_body,
)
