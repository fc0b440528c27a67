"""How the open file is read: said in plain words, confirmed with the rest, and changed here."""

from __future__ import annotations

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Reading
from understudy.table.pictures.declared import are_pictures
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.recognising import read_anew
from understudy_dashboard.session import Session

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ENCODINGS = ("utf-8", "utf-16", "windows-1252", "iso-8859-1", "iso-8859-15", "mac-roman")

_KINDS = {
    "parquet": "Parquet",
    "excel": "Excel workbook",
    "stata": "Stata file",
    "spss": "SPSS file",
    "spss-portable": "SPSS portable file",
    "sas": "SAS file",
    "sas-transport": "SAS transport file",
    "tracks": "tracks (GPX or PLT)",
    "database": "read from a database",
}
_QUOTES = {'"': 'double quotation marks (")', "'": "single quotation marks (')", None: "none"}
_LINES = {False: "a line feed (most files)", True: "a carriage return alone (old Macs)"}


def described(reading: Reading, schema: Schema | None) -> str:
    """Return how a table was read, in a few words."""
    if schema is not None and are_pictures(schema):
        return "pictures, a record for each"
    made = "" if reading.positions is None else ", positions made into days on a map"
    if reading.kind != "csv":
        return f"{_KINDS[reading.kind]}{made}"
    separator = SEPARATORS.get(reading.separator or "", words.plain(reading.separator or ""))
    return f"CSV, values separated by {separator}, encoding {reading.encoding}{made}"


def file_reading(session: Session) -> None:
    """The way a text file or workbook is read, and a form to change it."""
    table = session.table
    assert table is not None
    if table.raw.reading.kind not in ("csv", "excel") or table.sample:
        return
    if session.schema is not None and are_pictures(session.schema):
        return
    with st.expander("How this file is read", icon=":material/menu_book:"):
        st.markdown(
            "This is public, and confirmed below with the columns. It was suggested from this file "
            "once; from then on every file of this project is read so, and each record by itself. "
            "What does not fit is a value outside of its column."
        )
        if table.again is None:
            st.markdown(described(table.raw.reading, session.schema))
            st.caption("To change it, open the file itself again.")
            return
        with st.form(f"reading-{session.revision}", border=False):
            text = table.raw.reading.kind == "csv"
            turn = session.revision
            shown = _text if text else _workbook
            asked = shown(table.raw.reading, turn)
            suggest = st.checkbox(
                "Describe the columns afresh",
                value=not session.declared,
                key=f"reading-suggest-{session.revision}",
                help="What you changed in them is lost. Otherwise they stay as they are, and what "
                "is read otherwise now may lie outside.",
            )
            pressed = st.form_submit_button("Read it like this", icon=":material/refresh:")
        if pressed:
            _read(session, asked, suggest=suggest)


def _read(session: Session, asked: dict[str, object], *, suggest: bool) -> None:
    assert session.table is not None
    try:
        reading = session.table.raw.reading.changed(**asked)
        if reading == session.table.raw.reading:
            return
        with st.spinner("Reading the table…"):
            read_anew(session, reading, suggest=suggest)
    except Refusal as refusal:
        refuse(refusal)
        return
    session.notices.append("The file was read anew. Look through its columns again.")
    st.rerun()


def _text(reading: Reading, turn: int) -> dict[str, object]:
    """Return the fields about a text file, and what they hold."""
    left, right = st.columns(2)
    encoding = left.text_input(
        "Encoding: how letters are written",
        value=reading.encoding or "",
        key=f"reading-encoding-{turn}",
        help="Look at accented letters. Common ones: " + ", ".join(ENCODINGS) + ".",
    )
    separators = {**SEPARATORS, reading.separator or ",": _separator(reading)}
    separator = right.selectbox(
        "Between two values stands",
        list(separators),
        index=list(separators).index(reading.separator or ","),
        format_func=separators.__getitem__,
        key=f"reading-separator-{turn}",
    )
    quote = left.selectbox(
        "Around values that hold it",
        list(_QUOTES),
        index=list(_QUOTES).index(reading.quote),
        format_func=_QUOTES.__getitem__,
        key=f"reading-quote-{turn}",
    )
    returns = right.selectbox(
        "A line ends with",
        list(_LINES),
        index=int(reading.carriage_returns),
        format_func=_LINES.__getitem__,
        key=f"reading-returns-{turn}",
    )
    breaks = st.checkbox(
        "A value in quotation marks may run over several lines",
        value=reading.line_breaks,
        key=f"reading-breaks-{turn}",
        help="Leave it off where it does not happen: then every line is a record, and a quotation "
        "mark that is left open spoils its own line only.",
    )
    encoding = encoding.strip()
    if encoding.lower() in ("utf-16", "utf-32"):
        encoding += "-le"
    return {
        "encoding": encoding,
        "separator": separator,
        "quote": quote,
        "carriage_returns": returns,
        "line_breaks": breaks,
    }


def _separator(reading: Reading) -> str:
    sign = reading.separator or ","
    return SEPARATORS.get(sign, sign)


def _workbook(reading: Reading, turn: int) -> dict[str, object]:
    """Return the field about a workbook, and what it holds."""
    sheet = st.text_input(
        "Sheet", value=reading.sheet or "", placeholder="the first", key=f"reading-sheet-{turn}"
    )
    return {"sheet": sheet.strip() or None}
