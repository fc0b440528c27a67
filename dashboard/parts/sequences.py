"""Whose the records of the open table are, where its schema says so."""

from __future__ import annotations

import streamlit as st

from dashboard import words
from dashboard.session import Session
from engine.table.people import People


def sequences(session: Session) -> None:
    """Say what is kept of each person; nothing where each record stands for itself."""
    if session.schema is not None and session.schema.people is not None:
        st.info(kept_of_each(session.schema.people), icon=":material/groups:")


def kept_of_each(people: People) -> str:
    """Which records count, in words."""
    person, order = words.plain(people.person), words.plain(people.order)
    return (
        f"One person may have several records. Column “{person}” says whose each is, and is in "
        f"nothing that is released. Of each person the first {people.records_at_most:,} are kept, "
        f"in the order of “{order}”; no others are counted here. That is public, and is changed in "
        "the schema file."
    )
