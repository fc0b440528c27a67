"""A codebook taken in, laid over what the columns may contain; and one saved."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.codebook import Merged, merge_codebook
from understudy.table.authoring.codebook_file import MOST_BYTES, csv_codebook, read_codebook
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.session import Session

_NAMED = 6
_EXAMPLE = """\
| name | label | values | minimum | maximum | missing |
|---|---|---|---|---|---|
| sex | Sex of the person | 1=male; 2=female | | | 9 |
| age | Age in years | | 0 | 120 | |
"""


def codebook(session: Session) -> None:
    """A download of the codebook, and an upload of one."""
    schema = session.schema
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
        if given is None or session.table is None:
            return
        try:
            _take(session, given.getvalue(), given.name)
        except Refusal as refusal:
            refuse(refusal)
            return
    st.rerun()


def _take(session: Session, data: bytes, name: str) -> None:
    """Lay a codebook over the schema, and say what was taken and what was not.

    Raises:
        Refusal: it cannot be read, or is about other columns.
    """
    assert session.schema is not None
    assert session.table is not None
    chosen = {each for each, (column, _) in session.left_out.items() if column is not None}
    found = merge_codebook(
        session.schema,
        read_codebook(data, name),
        names=session.table.raw.names,
        leave_out=chosen,
    )
    session.notes = {
        each: notes for each, notes in session.notes.items() if each not in found.taken
    }
    session.describe(found.schema)
    session.notices.append(_taken(found))
    session.cautions.extend(_not_taken(found))


def _taken(found: Merged) -> str:
    changed = {name: what for name, what in found.taken.items() if what}
    same = len(found.taken) - len(changed)
    parts = [f"{words.plain(name)} ({', '.join(what)})" for name, what in changed.items()]
    said = f"The codebook changed {words.count(len(changed), 'column')}"
    said += f": {_listed(parts)}." if parts else "."
    if same:
        said += f" {words.count(same, 'column')} it describes as here already."
    return said


def _not_taken(found: Merged) -> list[str]:
    cautions = [
        f"{words.plain(name)} stays as it was: {words.plain(why)}"
        for name, why in list(found.unfit.items())[:_NAMED]
    ]
    if len(found.unfit) > _NAMED:
        cautions.append(f"So do {len(found.unfit) - _NAMED} more columns of the codebook.")
    if found.unknown:
        cautions.append(
            f"The table has no {_listed(words.plain(name) for name in found.unknown)}, which the "
            "codebook names."
        )
    if found.silent:
        cautions.append(
            "The codebook says nothing about "
            f"{_listed(words.plain(name) for name in found.silent)}."
        )
    return cautions


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    first = ", ".join(every[:_NAMED])
    return first if len(every) <= _NAMED else f"{first} and {len(every) - _NAMED} more"
