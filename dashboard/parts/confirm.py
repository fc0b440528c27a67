"""The confirmation that domains and buckets are public knowledge."""

from __future__ import annotations

import streamlit as st

from dashboard import words
from dashboard.session import Session
from engine.table.authoring.settling import settled
from engine.table.origins import KNOWN, ORIGINS, Origin, origins_said
from engine.table.schema import Schema


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
        "Privacy rests on this: a category, bound or bucket taken from somebody’s record would "
        "give that record away before any noise is added. List what *could* occur, not what does."
    )
    if schema.people is not None:
        st.markdown(
            "So is how many rows of a person are kept: take it from the design of the data, such "
            "as the number of waves, and not from what the table shows."
        )
    _origins(session, schema, place)
    key = f"{place}-{schema.fingerprint}"
    agreed = st.checkbox(words.PUBLIC_KNOWLEDGE, key=f"public-{key}")
    note = st.text_input(
        "Where it is published (for the review board; may stay empty)",
        key=f"note-{key}",
        placeholder="Codebook of the survey, 2024 edition",
    )
    if st.button(
        "Confirm",
        type="primary",
        disabled=not agreed,
        key=f"confirm-{place}",
        icon=":material/rule:",
    ):
        session.describe(schema.declare_public(note=note.strip()), by_form=True)
        session.notices.append("Confirmed. It is kept in the schema file and goes to the board.")
        st.rerun()


def _origins(session: Session, schema: Schema, place: str) -> None:
    """How many columns are known from where, and a button that says it of all that are left."""
    _told(schema)
    left = [each.name for each in schema.columns if not each.origin]
    if not left:
        return
    source, button = st.columns([3, 2], vertical_alignment="bottom")
    origin: Origin | None = source.selectbox(
        f"Where is it known from what {words.count(len(left), 'column')} may contain?",
        KNOWN,
        index=None,
        format_func=lambda each: ORIGINS[each],
        key=f"origin-{place}",
        placeholder="may stay open; the board is told",
        help="Columns known from different sources are chosen in the list of columns on the Data "
        "page, several at once.",
    )

    def settle() -> None:
        assert origin is not None
        session.editing.checked.update(left)
        session.describe(settled(schema, origin, left), by_form=True)

    button.button(
        f"Say so of {'it' if len(left) == 1 else f'all {len(left):,}'}",
        key=f"settle-{place}",
        disabled=origin is None,
        icon=":material/done_all:",
        on_click=settle,
    )


def _told(schema: Schema) -> None:
    said = origins_said(each.origin for each in schema.columns)
    if said:
        st.markdown(said)
