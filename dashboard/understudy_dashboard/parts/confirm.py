"""The confirmation that domains and buckets are public knowledge."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from understudy.table.authoring.settling import settled
from understudy.table.column import KNOWN, ORIGINS, Origin, origins_said
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.session import Session


def confirm(session: Session, place: str) -> None:
    """Ask for the confirmation, or show that it is there.

    Args:
        session: the page's state.
        place: the page it stands on, to tell the widgets apart.
    """
    schema = session.schema
    assert schema is not None
    st.subheader("Public knowledge", anchor=False)
    if schema.declared and schema.declaration is not None:
        when = f"{schema.declaration.at.astimezone():%-d %B %Y}"
        note = f" “{words.plain(schema.declaration.note)}”" if schema.declaration.note else ""
        st.success(f"Confirmed on {when}.{note}", icon=":material/verified:")
        _told(schema)
        return
    if schema.declaration is not None:
        st.info(
            "Columns, buckets, whose the rows are or the way the file is read changed after the "
            "confirmation, so it is asked for again."
        )
    st.markdown(
        "List what *could* occur, not what does: a value taken from somebody’s record gives it "
        "away before any noise is added."
    )
    if schema.people is not None:
        st.markdown(
            "So is how many rows of a person are kept: take it from the design of the data, such "
            "as the number of waves, and not from what the table shows."
        )
    _told(schema)
    key = f"{place}-{schema.fingerprint}"
    left = [each.name for each in schema.columns if not each.origin]
    source, published = st.columns(2, gap="medium")
    with source:
        origin = _origin(left, place)
    with published:
        note = st.text_input(
            "Where it is published",
            key=f"note-{key}",
            placeholder="such as Codebook of 2024; may stay empty",
        )
    agreed = st.checkbox(words.PUBLIC_KNOWLEDGE, key=f"public-{key}")
    if st.button(
        "Confirm",
        type="primary",
        disabled=not agreed,
        key=f"confirm-{place}",
        icon=":material/rule:",
    ):
        if origin is not None:
            session.editing.checked.update(left)
            schema = settled(schema, origin, left)
        session.describe(schema.declare_public(note=note.strip()), by_form=True)
        session.notices.append("Confirmed. It is kept in the schema file and goes to the board.")
        st.rerun()


def _origin(left: Sequence[str], place: str) -> Origin | None:
    """Return where the columns are known from of which nobody has said so; None where that stays
    open."""
    if not left:
        return None
    return st.selectbox(
        f"Where {words.count(len(left), 'column')} {'is' if len(left) == 1 else 'are'} known from",
        KNOWN,
        index=None,
        format_func=lambda each: ORIGINS[each],
        key=f"origin-{place}",
        placeholder="optional; the board sees that it is blank",
    )


def _told(schema: Schema) -> None:
    said = origins_said(each.origin for each in schema.columns)
    if said:
        st.markdown(said)
