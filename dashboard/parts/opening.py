"""Opening a table: the sample census, an uploaded file, or a file on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import words
from dashboard.frame import link, refuse
from dashboard.internal import internal
from dashboard.session import Session, Table
from engine.refusal import Refusal
from engine.table.raw import FileFormat
from engine.table.reading import read_table
from sample_data import census

MEGABYTES = 500
"""The most that can be uploaded; a larger file is opened by its path."""

ENDINGS = ["csv", "tsv", "tab", "txt", "dat", "parquet", "pq", "xlsx", "xlsm"]
_SEPARATORS = {"": "found by itself", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_ENCODINGS = ("", "utf-8", "utf-16", "windows-1252", "iso-8859-1", "iso-8859-15", "mac-roman")


def open_sample(session: Session) -> None:
    """Open the sample census with its declared schema."""
    raw = read_table(census.TABLE)
    session.open(Table("the sample census", raw, sample=True), census.schema())
    session.notices.append(
        "The sample census is open, and everything is ready: you can generate at once, or walk "
        "through the steps. Nobody in it exists."
    )


def opening(session: Session) -> None:
    """The ways to open a table, side by side."""
    sample, own = st.columns([2, 3], gap="large")
    with sample, st.container(border=True):
        _sample(session)
    with own, st.container(border=True):
        _own(session)
    st.caption(
        ":material/home: The table is read into this computer’s memory by this page and goes "
        "nowhere else. It is forgotten when you close the page."
    )


def _sample(session: Session) -> None:
    st.subheader("See how it works", anchor=False)
    st.markdown(
        "60,000 simulated people with age, work, schooling and income. Nobody in it exists, so "
        "nothing can go wrong, and it is the place to try settings."
    )
    if st.button(
        "Try it with the sample census", type="primary", icon=":material/play_arrow:", key="sample"
    ):
        with st.spinner("Opening the sample census…"):
            open_sample(session)
        st.rerun()


def _own(session: Session) -> None:
    st.subheader("Open your own table", anchor=False)
    st.markdown("One record a row, one person at most one record, names of columns on top.")
    uploaded = st.file_uploader(
        "A CSV, Parquet or Excel file",
        type=ENDINGS,
        key=f"upload-{session.revision}",
        max_upload_size=MEGABYTES,
        help=f"Up to {MEGABYTES} MB. A larger file is opened by its path, below.",
    )
    below_upload = st.container()
    with st.form("path", border=False):
        path = st.text_input(
            "Or the path of a file on this machine",
            key="table-path",
            placeholder="/home/me/survey.csv",
            help="For large files: nothing is copied.",
        )
        given = st.form_submit_button("Open this path")
        below_path = st.container()
    settings = _settings()
    if uploaded is not None:
        with below_upload:
            _take(session, uploaded.name, settings, uploaded=uploaded)
    elif given:
        with below_path:
            _take_path(session, path.strip(), settings)


def _take_path(session: Session, path: str, settings: dict[str, Any]) -> None:
    if not path:
        refuse(Refusal("No path is given.", "Enter where the file is, or upload it."))
        return
    place = Path(path).expanduser()
    _take(session, place.name, settings, place=place)


def _settings() -> dict[str, Any]:
    """What to read a file with, where finding it out fails."""
    with st.expander("If it is not read as it should be"):
        separator = st.selectbox(
            "Values are separated by", list(_SEPARATORS), format_func=_SEPARATORS.__getitem__
        )
        encoding = st.selectbox(
            "Encoding", _ENCODINGS, format_func=lambda name: name or "found by itself"
        )
        sheet = st.text_input("Sheet of the workbook", placeholder="the first")
    given = {"separator": separator, "encoding": encoding, "sheet": sheet.strip()}
    return {name: value for name, value in given.items() if value}


def _take(
    session: Session,
    name: str,
    settings: dict[str, Any],
    *,
    uploaded: Any = None,
    place: Path | None = None,
) -> None:
    """Read a file and open it; the upload's bytes go when the page is drawn next."""
    try:
        with st.spinner("Reading the table…"):
            if place is None:
                limit = MEGABYTES << 20
                raw = read_table(uploaded.getvalue(), name=name, limit_bytes=limit, **settings)
            else:
                raw = read_table(place, **settings)
            session.open(Table(name, raw))
    except Refusal as refusal:
        refuse(refusal)
        return
    session.notices.append(f"{words.plain(name)} is open. Look through what is suggested below.")
    st.rerun()


def opened(session: Session) -> None:
    """The table that is open, how it was read, and a way to close it."""
    table = session.table
    assert table is not None
    with st.container(border=True):
        about, close = st.columns([5, 1], vertical_alignment="center")
        about.markdown(f"**{words.plain(table.name)}** · {described(table.raw.format)}")
        if close.button("Close this table", key="close", width="stretch"):
            session.close()
            st.rerun()
        for note in table.raw.notes:
            st.caption(f":material/info: {words.plain(note)}")
        with internal("rows", "How many records there are is confidential too."):
            st.markdown(
                f"{words.count(table.raw.rows, 'record')}, "
                f"{words.count(len(table.raw.names), 'column')}"
            )
        if table.sample and session.declared:
            link("generate", "Everything is ready: go straight to Generate")


def described(form: FileFormat) -> str:
    """How a file was read, in words."""
    if form.kind != "csv":
        return {"parquet": "Parquet", "excel": "Excel workbook"}[form.kind]
    separator = _SEPARATORS.get(form.separator or "", words.plain(form.separator or ""))
    mark = " with a byte order mark" if form.bom else ""
    return f"CSV, values separated by {separator}, encoding {form.encoding}{mark}"
