"""The schema as a file, and codebooks."""

from __future__ import annotations

import streamlit as st

from understudy.core.numerals import join_first
from understudy.core.refusal import Refusal
from understudy.table.authoring.codebook import Merged, merge_codebook
from understudy.table.authoring.codebook_file import MOST_BYTES, csv_codebook, read_codebook
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
    said += f": {join_first(parts, _NAMED)}." if parts else "."
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
        unknown = join_first([words.escape(name) for name in found.unknown], _NAMED)
        cautions.append(f"The table has no {unknown}, which the codebook names.")
    if found.silent:
        silent = join_first([words.escape(name) for name in found.silent], _NAMED)
        cautions.append(f"The codebook says nothing about {silent}.")
    return cautions


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
