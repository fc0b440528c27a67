"""The ways to open a table: a simulated sample, a file, a database."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Literal

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Reading, usual
from understudy.table.positions.likely import likely
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import link, refuse
from understudy_dashboard.internal import internal
from understudy_dashboard.opened import Table
from understudy_dashboard.parts.file_reading import described, file_reading
from understudy_dashboard.parts.opening_database import database
from understudy_dashboard.parts.opening_file import path, upload
from understudy_dashboard.parts.opening_pictures import pictures
from understudy_dashboard.recognising import take
from understudy_dashboard.samples import CENSUS, CITY, STAYS, Sample
from understudy_dashboard.session import Session

LEADS_ON = "opening-leads-on"
"""Set until Data is drawn: a table that is opened on the page of projects leads on to it."""
_FOUND = {"new": "is open.", "known": "is recognised, and everything stands as you left it."}
_WAYS = ("Upload a file", "A file on this machine", "A database", "Pictures")


def open_sample(session: Session, sample: Sample = CENSUS) -> None:
    """Open a simulated table with its declared schema."""
    take(session, sample.table, sample.schema())
    session.notices.append(sample.ready)


def opening(session: Session) -> None:
    """The ways to open a table, side by side; of a project that waits for its own, no others."""
    if is_demonstration():
        with st.container(border=True, width=560):
            _sample(session)
        return
    if session.project is not None:
        with st.container(border=True):
            _own(session)
    else:
        sample_at, own = st.columns([2, 3], gap="large")
        with sample_at, st.container(border=True):
            _sample(session)
        with own, st.container(border=True):
            _own(session)
    st.caption(
        ":material/home: The table is read into the memory of the computer that runs this page "
        "and goes nowhere else. It is forgotten when you close the page."
    )


def _sample(session: Session) -> None:
    st.subheader("See how it works", anchor=False)
    _offered(session, CENSUS, "sample", "primary")
    _offered(session, CITY, "sample-city", "secondary")
    _offered(session, STAYS, "sample-discharges", "secondary")


def _offered(
    session: Session, sample: Sample, key: str, kind: Literal["primary", "secondary"]
) -> None:
    """What a sample holds, and a button that opens it."""
    st.markdown(sample.about)
    if st.button(f"Try it with {sample.name}", type=kind, icon=":material/play_arrow:", key=key):
        with st.spinner(f"Opening {sample.name}…"):
            open_sample(session, sample)
        st.rerun()


def _own(session: Session) -> None:
    st.subheader("Open your own table", anchor=False)
    st.markdown(
        "One record a row, each column with a name. Where one person has several rows, you say so "
        "once it is open."
    )

    def taken(
        name: str,
        read: Callable[[], RawTable],
        reached: tuple[str, str] = ("", ""),
        again: Callable[[Reading], RawTable] | None = None,
        *,
        insisted: bool = False,
    ) -> None:
        def opened() -> Table:
            raw = _first_read(session, read, None if insisted else again)
            # An upload's bytes are kept only where there is another way to read them.
            other = again if _in_other_ways(raw) else None
            return Table(name, raw, reached=reached, again=other, insisted=insisted)

        _take(session, name, opened)

    def as_pictures(name: str, read: Callable[[], RawTable], schema: Schema) -> None:
        _take(session, name, lambda: Table(name, read(), reached=("", "")), schema)

    by_upload, by_path, by_query, by_picture = st.tabs(_WAYS, key="opening-ways")
    with by_upload:
        upload(session.revision, taken)
    with by_path:
        path(taken)
    with by_query:
        database(session, taken)
    with by_picture:
        pictures(session.revision, as_pictures)


def _in_other_ways(raw: RawTable) -> bool:
    """Return whether a file may be read otherwise than it was."""
    positions = raw.reading.positions is not None or likely(raw.names).found
    return positions or raw.reading.kind in ("csv", "excel")


def _first_read(
    session: Session,
    read: Callable[[], RawTable],
    again: Callable[[Reading], RawTable] | None,
) -> RawTable:
    """Read a file as the open project has it read; if that fails, as the file suggests, so that the
    page can ask.

    Raises:
        Refusal: it is no table either way; why not in the first.
    """
    if session.schema is None or again is None:
        return read()
    try:
        return again(session.schema.reading or usual("csv"))
    except Refusal as as_declared:
        with suppress(Refusal):
            return read()
        raise Refusal(as_declared.problem, as_declared.remedy, field=as_declared.field) from None


def _take(
    session: Session, name: str, read: Callable[[], Table], schema: Schema | None = None
) -> None:
    """Read a table and open it; an upload's bytes go when the page is drawn next.

    Args:
        session: the page's state.
        name: what to call the table.
        read: reads it.
        schema: the schema that was declared with it, where one was.
    """
    try:
        with st.spinner("Reading the table…"):
            found = take(session, read(), schema)
            # Said before the spinner ends: whoever pressed twice has the page drawn anew there.
            if found != "asked":
                session.notices.append(f"{words.plain(_beginning(name))} {_FOUND[found]}")
    except Refusal as refusal:
        refuse(refusal)
        return
    st.rerun()


def _beginning(name: str) -> str:
    """Return a table's name at the beginning of a sentence; that of a file stays as it is."""
    return f"A{name[1:]}" if name.startswith("a query of ") else name


def _size(table: Table) -> str:
    records = words.count(table.raw.rows, "record")
    return f"{records}, {words.count(len(table.raw.names), 'column')}"


def opened(session: Session) -> None:
    """The table that is open, how it was read, and a way to close it."""
    table = session.table
    assert table is not None
    with st.container(border=True):
        with st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        ):
            st.markdown(
                f"**{words.plain(table.name)}** · {described(table.raw.reading, session.schema)}"
            )
            if st.button("Close this table", key="close"):
                session.put_away()
                st.rerun()
        file_reading(session)
        made_of_positions = table.raw.reading.positions is not None
        for note in () if made_of_positions else table.raw.notes:
            st.caption(f":material/info: {words.plain(note)}")
        if session.simulated:
            st.caption(f"{_size(table)}. Nobody in it exists, so how many there are is public.")
        else:
            with internal("rows", f"{_size(table)}. How many there are is confidential too."):
                pass
        if table.name == CENSUS.name and session.declared:
            link("generate", "Everything is ready: go straight to Generate")
