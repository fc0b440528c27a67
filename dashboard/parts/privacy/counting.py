"""The number of records or people that a promise counts on, beside that of the open table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard.held import Held
from dashboard.parts.privacy.form import Extra
from dashboard.session import Session
from engine.core.refusal import Refusal


def of_the_table(session: Session, held: Held, name: str) -> Extra:
    """What stands below the number of records of a plan: a button that takes that of the table.

    Args:
        session: the page's state.
        held: the settings.
        name: of the setting that is the number.
    """
    return Extra(below=partial(_take, session, held, name, records_there, "records"))


def people_of_the_table(session: Session, held: Held, name: str) -> Extra:
    """The same of the number of people: a button that takes how many are in the table."""
    return Extra(below=partial(_take, session, held, name, _people, "people"))


def _take(
    session: Session,
    held: Held,
    name: str,
    there_of: Callable[[Session], int | None],
    counted: str,
) -> None:
    there = there_of(session)
    if there is None or getattr(held, name) == there:
        return
    st.button(
        f"The table has {there:,} {counted}, and everybody may know it: use this number",
        key=f"take-{name}",
        icon=":material/format_list_numbered:",
        on_click=setattr,
        args=(held, name, there),
    )


def records_there(session: Session) -> int | None:
    """How many records the open table keeps. Internal."""
    if session.table is None or session.schema is None:
        return None
    people = session.schema.people
    if people is None:
        return session.table.raw.rows
    try:
        return session.tally(people).records
    except Refusal:
        return None


def _people(session: Session) -> int | None:
    """How many people are in the open table. Internal."""
    if session.table is None or session.schema is None or session.schema.people is None:
        return None
    try:
        return session.tally(session.schema.people).people
    except Refusal:
        return None
