"""Opening a table of a database, or what a query returns."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.sources.source import allowed_folders
from understudy_dashboard.frame import refuse
from understudy_dashboard.parts.opening_file import Taken
from understudy_dashboard.session import Session

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_CONNECTION, _PASSWORD, _QUERY = "database-connection", "database-password", "database-query"
_REMEMBERED = "database-remembered"
_FIELDS = ("connection", "password", "query")


def database(session: Session, take: Taken) -> None:
    """A form with a connection string, a password and what to read.

    The password is forgotten with the form. One that was typed into the connection string is moved
    to its own field, where nobody can read it.
    """
    _remember(session)
    with st.form("database", border=False):
        connection = st.text_input(
            "Connection string",
            key=_CONNECTION,
            placeholder="postgresql://user@host/database",
            help="As SQLAlchemy writes it. PostgreSQL: postgresql://user@host:5432/database. "
            "SQLite: sqlite:/// and the path of the file.",
        )
        places = {"connection": st.container()}
        password = st.text_input(
            "Password",
            type="password",
            key=_PASSWORD,
            autocomplete="off",
            help="Used once to connect. It is not kept anywhere.",
        )
        places["password"] = st.container()
        query = st.text_area(
            "Table, or a query that begins with SELECT",
            key=_QUERY,
            height=100,
            placeholder="people",
            help="It is run for reading only. Best with an account that may do nothing else.",
        )
        places["query"] = st.container()
        asked = st.form_submit_button("Open from the database", on_click=_hide_password)
        places["table"] = st.container()
    if asked:
        _take(session, take, places, connection, password, query)


def _take(
    session: Session,
    take: Taken,
    places: dict[str, DeltaGenerator],
    connection: str,
    password: str,
    query: str,
) -> None:
    """Read it, and answer a refusal beside the field that it is about."""
    # SQLAlchemy takes a moment to load, and most tables come from files.
    from understudy.table.sources.databases.address import without_password
    from understudy.table.sources.databases.database import read_query, table_name

    try:
        name = table_name(connection, query)
        with places["table"], st.spinner("Asking the database…"):
            raw = read_query(
                connection, query, password=password or None, folders=allowed_folders()
            )
    except Refusal as refusal:
        with places[refusal.field if refusal.field in _FIELDS else "table"]:
            refuse(refusal)
        return
    kept = without_password(connection), query.strip()
    with places["table"]:
        take(name, lambda: raw, reached=kept)


def _remember(session: Session) -> None:
    """Fill in what the open project was last read with."""
    if session.project is None or st.session_state.get(_REMEMBERED) == session.revision:
        return
    st.session_state[_REMEMBERED] = session.revision
    about = session.project.about()
    st.session_state[_CONNECTION], st.session_state[_QUERY] = about.connection, about.query


def _hide_password() -> None:
    """Move a password out of the connection string, where everybody can read it."""
    from understudy.table.sources.databases.address import password_in, without_password

    connection = st.session_state.get(_CONNECTION, "")
    with suppress(Refusal):
        password = password_in(connection)
        if password:
            st.session_state[_PASSWORD] = password
            st.session_state[_CONNECTION] = without_password(connection)
