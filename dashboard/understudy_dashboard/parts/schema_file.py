"""The schema as a file, codebooks, and the confirmation that all of it is public knowledge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.bulk_resolution import set_origin
from understudy.table.authoring.codebook import Merged, merge_codebook
from understudy.table.authoring.codebook_file import MOST_BYTES, csv_codebook, read_codebook
from understudy.table.authoring.declaration import name_left_out
from understudy.table.column import KNOWN, ORIGINS, Origin, origins_said
from understudy.table.encoding import outside
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import show_refusal
from understudy_dashboard.session import Session

_NAMED = 6
_EXAMPLE = """\
| name | label | values | minimum | maximum | missing |
|---|---|---|---|---|---|
| sex | Sex of the person | 1=male; 2=female | | | 9 |
| age | Age in years | | 0 | 120 | |
"""


def draw_codebook(session: Session) -> None:
    """Draw a download of the codebook, and an upload of one."""
    schema = session.settings.schema
    assert schema is not None
    st.download_button(
        "Save the codebook",
        data=lambda: csv_codebook(schema),
        file_name="codebook.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/menu_book:",
        key="codebook-download",
        help="Names, titles, values, groups and ranges as a table (CSV), to read or to fill in "
        "elsewhere.",
    )
    with st.popover("Take in a codebook", icon=":material/dictionary:"):
        st.markdown(
            "Names, labels and values of some or all columns. What it leaves open stays as it is."
        )
        st.markdown(_EXAMPLE)
        given = st.file_uploader(
            "A codebook, as a table or in JSON",
            type=["csv", "tsv", "txt", "xlsx", "json"],
            key=f"codebook-{session.revision}",
            max_upload_size=MOST_BYTES >> 20,
        )
        if given is None or session.data.table is None:
            return
        try:
            _take_codebook(session, given.getvalue(), given.name)
        except Refusal as refusal:
            show_refusal(refusal)
            return
    st.rerun()


def _take_codebook(session: Session, data: bytes, name: str) -> None:
    """Lay a codebook over the schema, and say what was taken and what was not.

    Raises:
        Refusal: it cannot be read, or is about other columns.
    """
    assert session.settings.schema is not None
    assert session.data.table is not None
    omissions = {each.name: each.why for each in session.settings.schema.omissions}
    chosen = {
        each
        for each, (column, _) in session.left_out.items()
        if column is not None or omissions.get(each, "unusable") != "unusable"
    }
    chosen |= {each.name for each in session.settings.schema.derived}
    found = merge_codebook(
        session.settings.schema,
        read_codebook(data, name),
        names=session.data.table.raw.names,
        leave_out=chosen,
    )
    session.data.notes = {
        each: notes for each, notes in session.data.notes.items() if each not in found.taken
    }
    session.describe(found.schema)
    session.notices.append(_describe_taken(found))
    session.cautions.extend(_list_not_taken(found))


def _describe_taken(found: Merged) -> str:
    changed = {name: what for name, what in found.taken.items() if what}
    same = len(found.taken) - len(changed)
    parts = [f"{words.escape(name)} ({', '.join(what)})" for name, what in changed.items()]
    said = f"The codebook changed {words.count(len(changed), 'column')}"
    said += f": {_join_names(parts)}." if parts else "."
    if same:
        said += f" {words.count(same, 'column')} it describes as here already."
    return said


def _list_not_taken(found: Merged) -> list[str]:
    cautions = [
        f"{words.escape(name)} stays as it was: {words.escape(why)}"
        for name, why in list(found.unfit.items())[:_NAMED]
    ]
    if len(found.unfit) > _NAMED:
        cautions.append(f"So do {len(found.unfit) - _NAMED} more columns of the codebook.")
    if found.unknown:
        cautions.append(
            f"The table has no {_join_names(words.escape(name) for name in found.unknown)}, which "
            "the "
            "codebook names."
        )
    if found.silent:
        cautions.append(
            "The codebook says nothing about "
            f"{_join_names(words.escape(name) for name in found.silent)}."
        )
    return cautions


def _join_names(names: Iterable[str]) -> str:
    every = list(names)
    first = ", ".join(every[:_NAMED])
    return first if len(every) <= _NAMED else f"{first} and {len(every) - _NAMED} more"


_MOST_MEGABYTES = 32


def draw_schema_file(session: Session) -> None:
    """Draw a fold with downloads of the schema, an upload that replaces it, and one laid over
    it."""
    schema = session.settings.schema
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
            _ask_schema_file(session)
        draw_codebook(session)


def _ask_schema_file(session: Session) -> None:
    """Draw an upload that replaces the schema."""
    given = st.file_uploader(
        "A Table Schema in JSON",
        type=["json"],
        key=f"schema-{session.revision}",
        max_upload_size=_MOST_MEGABYTES,
        help="As saved here. It replaces what every column may contain.",
    )
    if given is None or session.data.table is None:
        return
    try:
        loaded = Schema.from_json(read_upload(given.getvalue()))
        table, loaded = session.data.table.fit_reading(session.data.table.with_reading(loaded))
        outside(table.raw, loaded)
        session.replace_table(table)
        session.data.notes = {}
        session.describe(loaded)
    except Refusal as refusal:
        show_refusal(refusal)
        return
    session.notices.append("The schema file is loaded.")
    st.rerun()


def read_upload(data: bytes) -> str:
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


def draw_confirmation(session: Session, place: str) -> None:
    """Ask for the confirmation, or show that it is there.

    Args:
        session: the page's state.
        place: the page it stands on, to tell the widgets apart.
    """
    schema = session.settings.schema
    assert schema is not None
    st.subheader("Public knowledge", anchor=False)
    if schema.declared and schema.declaration is not None:
        when = f"{schema.declaration.at.astimezone():%-d %B %Y}"
        note = f" “{words.escape(schema.declaration.note)}”" if schema.declaration.note else ""
        st.success(f"Confirmed on {when}.{note}", icon=":material/verified:")
        _draw_origins(schema)
        return
    if schema.declaration is not None:
        st.info(
            "Columns, buckets, whose the rows are or the way the file is read changed after the "
            "confirmation, so it is asked for again."
        )
    _draw_what_is_confirmed(session, schema)
    _draw_origins(schema)
    key = f"{place}-{schema.fingerprint}"
    left = [each.name for each in schema.columns if not each.origin]
    source, published = st.columns(2, gap="medium")
    with source:
        origin = _ask_origin(left, place)
    with published:
        note = st.text_input(
            "Where it is published",
            key=f"note-{key}",
            placeholder="such as Codebook of 2024; may stay empty",
        )
    public = words.PUBLIC_KNOWLEDGE + words.PUBLIC_DERIVATIONS * bool(schema.derived)
    public += words.PUBLIC_RULES * bool(schema.rules)
    agreed = st.checkbox(public, key=f"public-{key}")
    half = session.rule_draft is not None and session.rule_draft.is_begun
    if half:
        st.warning(
            "A rule was begun on the Data page and is not finished: finish it, or do without it.",
            icon=":material/rule:",
        )
    if st.button(
        "Confirm",
        type="primary",
        disabled=not agreed or half,
        key=f"confirm-{place}",
        icon=":material/rule:",
    ):
        if origin is not None:
            session.editing.checked.update(left)
            schema = set_origin(schema, origin, left)
        if session.data.table is not None:
            schema = name_left_out(schema, session.data.table.raw)
        session.describe(schema.declare_public(note=note.strip()), by_form=True)
        session.notices.append("Confirmed. It is kept in the schema file and goes to the board.")
        st.rerun()


def _draw_what_is_confirmed(session: Session, schema: Schema) -> None:
    """Draw what whoever confirms a schema has to think of."""
    st.markdown(
        "List every value that *could* occur, not only those that do: a value taken from "
        "somebody’s record gives it away before any noise is added."
    )
    if schema.people is not None:
        st.markdown(
            "The number of rows kept per person must be public too: take it from the study design, "
            "such as the number of waves, and not from the table."
        )
    if session.left_out:
        st.markdown(
            f"Left out of your file: {words.count(len(session.left_out), 'column')}. The data "
            "dictionary and the packet name each with the kind of reason, and no value of it."
        )


def _ask_origin(left: Sequence[str], place: str) -> Origin | None:
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


def _draw_origins(schema: Schema) -> None:
    said = origins_said(each.origin for each in schema.columns)
    if said:
        st.markdown(said)
