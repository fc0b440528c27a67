"""Saving the schema as a file, loading one, and codebooks."""

from __future__ import annotations

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.encoding import outside
from understudy.table.schema import Schema
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import refuse
from understudy_dashboard.parts.codebook import codebook
from understudy_dashboard.session import Session

_MOST_MEGABYTES = 32


def schema_file(session: Session) -> None:
    """A fold with downloads of the schema, an upload that replaces it, and one laid over it."""
    schema = session.schema
    assert schema is not None
    with (
        st.expander("Schema file and codebook", icon=":material/menu_book:"),
        st.container(horizontal=True, vertical_alignment="center"),
    ):
        st.download_button(
            "Save the schema file",
            data=schema.to_json(),
            file_name="schema.json",
            mime="application/json",
            on_click="ignore",
            icon=":material/download:",
            key="schema-download",
        )
        if is_demonstration():
            return
        with st.popover("Load a schema file", icon=":material/upload:"):
            _load(session)
        codebook(session)


def _load(session: Session) -> None:
    """An upload that replaces the schema."""
    given = st.file_uploader(
        "A Table Schema in JSON",
        type=["json"],
        key=f"schema-{session.revision}",
        max_upload_size=_MOST_MEGABYTES,
        help="As saved here. It replaces what every column may contain.",
    )
    if given is None or session.table is None:
        return
    try:
        loaded = Schema.from_json(text_of(given.getvalue()))
        table, loaded = session.table.under(session.table.told(loaded))
        outside(table.raw, loaded)
        session.take_as_read(table)
        session.notes = {}
        session.describe(loaded)
    except Refusal as refusal:
        refuse(refusal)
        return
    session.notices.append("The schema file is loaded.")
    st.rerun()


def text_of(data: bytes) -> str:
    """Return the text of an uploaded file.

    Raises:
        Refusal: it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal(
            "The file is not UTF-8 text.", "Choose the JSON file that was saved here."
        ) from None
