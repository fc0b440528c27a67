"""A file that is uploaded or named by its path, how it is read in plain words, and changing
that."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.first_schema import announce_width
from understudy.table.declared_reading import Reading
from understudy.table.pictures.picture_schema import are_pictures
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.header import count_header
from understudy.table.sources.odd_rows import find_odd_rows
from understudy.table.sources.reading import MOST_BYTES, read_table
from understudy.table.sources.source import ENDINGS, allowed_folders, allowed_path
from understudy_dashboard import words
from understudy_dashboard.frame import mark_internal, show_refusal
from understudy_dashboard.open_project import read_table_again
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


def describe_reading(reading: Reading, schema: Schema | None) -> str:
    """Return how a table was read, in a few words."""
    if schema is not None and are_pictures(schema):
        return "pictures, a record for each"
    made = "" if reading.positions is None else ", positions made into days on a map"
    without = ", ".join(words.escape(rule.words) for rule in reading.leave_out)
    made += f", without {without}" if without else ""
    if reading.kind != "csv":
        return f"{_KINDS[reading.kind]}{made}"
    separator = SEPARATORS.get(reading.separator or "", words.escape(reading.separator or ""))
    return f"CSV, values separated by {separator}, encoding {reading.encoding}{made}"


def draw_file_reading(session: Session) -> None:
    """Draw the way a text file or workbook is read, and a form to change it."""
    table = session.data.table
    assert table is not None
    if table.raw.reading.kind not in ("csv", "excel") or table.sample:
        return
    if session.settings.schema is not None and are_pictures(session.settings.schema):
        return
    if table.again is not None:
        _offer_rules(session)
    with st.expander("How this file is read", icon=":material/menu_book:"):
        st.markdown(
            "This is public, and confirmed below with the columns. It was suggested from this file "
            "once; from then on every file of this project is read so, and each record by itself. "
            "What does not fit is a value outside of its column."
        )
        if table.again is None:
            st.markdown(describe_reading(table.raw.reading, session.settings.schema))
            st.caption("To change it, open the file itself again.")
            return
        with st.form(f"reading-{session.revision}", border=False):
            text = table.raw.reading.kind == "csv"
            turn = session.revision
            shown = _ask_text if text else _ask_workbook
            asked = {**shown(table.raw.reading, turn), **_ask_rules(table.raw.reading, turn)}
            suggest = st.checkbox(
                "Describe the columns afresh",
                value=not session.settings.declared,
                key=f"reading-suggest-{session.revision}",
                help="What you changed in them is lost. Otherwise they stay as they are, and what "
                "is read otherwise now may lie outside.",
            )
            pressed = st.form_submit_button("Read it like this", icon=":material/refresh:")
        if pressed:
            _read_again(session, asked, suggest=suggest)


def _offer_rules(session: Session) -> None:
    """Draw the rules that would leave out rows that look like no records, if there are some."""
    table = session.data.table
    assert table is not None
    raw = table.raw
    rules = session.cache.keep("odd-rows", raw, lambda: find_odd_rows(raw).all_rules)
    if not rules:
        return
    with mark_internal("odd-rows", "Noticed in your table."):
        named = "; ".join(words.escape(rule.words) for rule in rules)
        st.markdown(f"**Some rows look like no records:** {named}.")
        st.caption(
            "A rule is public and holds for every file that is read. Whether a row is left out "
            "depends on that row alone."
        )
        if st.button("Leave these rows out", key=f"odd-rows-{session.revision}"):
            lines = [rule.line for rule in (*raw.reading.leave_out, *rules)]
            _read_again(session, {"leave_out": lines}, suggest=not session.settings.declared)


def _ask_rules(reading: Reading, turn: int) -> dict[str, object]:
    """Return the field about rows that are no records, and what it holds."""
    lines = st.text_area(
        "Rows that are no records, a rule a line",
        value="\n".join(rule.line for rule in reading.leave_out),
        key=f"reading-rows-{turn}",
        height=68,
        placeholder="none",
        help="“names again” for rows that name the columns again; “first value alone” for rows "
        "with nothing but a first value, as footers are; “begins with Total” for rows whose first "
        "value begins so; “weight begins with kg” for the value of another column, as in a row of "
        "units.",
    )
    return {"leave_out": [line for line in lines.splitlines() if line.strip()]}


def _read_again(session: Session, asked: dict[str, object], *, suggest: bool) -> None:
    assert session.data.table is not None
    try:
        reading = session.data.table.raw.reading.changed(**asked)
        if reading == session.data.table.raw.reading:
            return
        with st.spinner("Reading the table…"):
            read_table_again(session, reading, suggest=suggest)
    except Refusal as refusal:
        show_refusal(refusal)
        return
    session.notices.append("The file was read anew. Look through its columns again.")
    st.rerun()


def _ask_text(reading: Reading, turn: int) -> dict[str, object]:
    """Return the fields about a text file, and what they hold."""
    left, right = st.columns(2)
    encoding = left.text_input(
        "Encoding: how letters are written",
        value=reading.encoding or "",
        key=f"reading-encoding-{turn}",
        help="Look at accented letters. Common ones: " + ", ".join(ENCODINGS) + ".",
    )
    separators = {**SEPARATORS, reading.separator or ",": _name_separator(reading)}
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


def _name_separator(reading: Reading) -> str:
    sign = reading.separator or ","
    return SEPARATORS.get(sign, sign)


def _ask_workbook(reading: Reading, turn: int) -> dict[str, object]:
    """Return the field about a workbook, and what it holds."""
    sheet = st.text_input(
        "Sheet", value=reading.sheet or "", placeholder="the first", key=f"reading-sheet-{turn}"
    )
    return {"sheet": sheet.strip() or None}


class TakenFile(Protocol):
    """Takes a table: its name, what reads it, of a database how it was reached, and of a file what
    reads it in a given way and whether it was said how it is read."""

    def __call__(
        self,
        name: str,
        read: Callable[[], RawTable],
        connection: tuple[str, str] = ...,
        again: Callable[[Reading], RawTable] | None = ...,
        *,
        reading_chosen: bool = ...,
    ) -> None: ...


def upload_limit() -> int:
    """Return the most megabytes that can be uploaded: the server's own setting."""
    return int(st.get_option("server.maxUploadSize"))


def draw_upload(turn: int, take: TakenFile) -> None:
    """Draw a place to put a file.

    Args:
        turn: raised whenever the place should be empty again.
        take: what takes it.
    """
    limit = upload_limit()
    given = st.file_uploader(
        "A CSV, Parquet, Excel, Stata, SPSS or SAS file, or tracks as GPX",
        type=list(ENDINGS),
        key=f"upload-{turn}",
        max_upload_size=limit,
        help=f"Up to {limit:,} MB. A larger one is opened by its path, or from a database. The "
        "limit is set when the page is started: understudy dashboard --upload-limit.",
    )
    place = st.container()
    settings = _ask_settings("upload")
    if given is not None:
        content = given.getvalue()
        with place:
            _announce_width(content, settings)
            _take_upload(take, lambda: content, given.name, settings, limit << 20)


def ask_file_path(take: TakenFile) -> None:
    """Draw a field for the path of a file."""
    folders = allowed_folders()
    with st.form("path", border=False):
        typed = st.text_input(
            "The path of a file on this machine",
            key="table-path",
            placeholder="/home/me/survey.csv",
            help=f"For large files, up to {MOST_BYTES >> 30} GB: nothing is copied or sent.",
        )
        if folders is not None:
            st.caption(describe_folders(folders))
        place = st.container()
        asked = st.form_submit_button("Open this path")
    settings = _ask_settings("path")
    if not asked:
        return
    with place:
        if not typed.strip():
            show_refusal(Refusal("No path is given.", "Enter where the file is, or upload it."))
            return
        named = Path(typed.strip())
        with suppress(Refusal):
            # Whether it may be opened is answered as it is.
            _announce_width(allowed_path(named, folders), settings)
        _take_upload(take, lambda: allowed_path(named, folders), named.name, settings, MOST_BYTES)


def _announce_width(source: Path | bytes, settings: Mapping[str, Any]) -> None:
    """Say at once, by the header alone, if a table has more columns than can be used together."""
    said = announce_width(count_header(source, settings.get("separator")))
    if said:
        st.info(
            f"{said} Once it is open, search the list for those you need, and use only these.",
            icon=":material/view_column:",
        )


def _take_upload(
    take: TakenFile,
    source: Callable[[], Path | bytes],
    name: str,
    settings: dict[str, Any],
    limit: int,
) -> None:
    """Take a file, and what reads it once more in another way.

    Args:
        take: what takes it.
        source: the file; raises `Refusal` where it may not be opened.
        name: what it is called.
        settings: how it is read, as far as somebody said so.
        limit: the most bytes.
    """
    take(
        name,
        lambda: read_table(source(), name=name, limit_bytes=limit, trusted=False, **settings),
        again=lambda reading: read_table(
            source(), reading, name=name, limit_bytes=limit, trusted=False
        ),
        reading_chosen=bool(settings),
    )


def describe_folders(folders: tuple[Path, ...]) -> str:
    """Return where files may be opened from, in a sentence."""
    if not folders:
        return "On this server, no folder is named that files may be opened from."
    listed = ", ".join(words.escape(f"{folder}{os.sep}") for folder in folders)
    return f"On this server, files are opened from below {listed} only."


def _ask_settings(key: str) -> dict[str, Any]:
    """Return what to read a file with, where finding it out fails."""
    with st.expander("If it is not read as it should be"):
        separator = st.selectbox(
            "Values are separated by (CSV)",
            ("", *SEPARATORS),
            format_func=lambda sign: SEPARATORS.get(sign, "found by itself"),
            key=f"separator-{key}",
        )
        encoding = st.selectbox(
            "Encoding of its texts",
            ("", *ENCODINGS),
            format_func=lambda name: name or "found by itself",
            key=f"encoding-{key}",
        )
        sheet = st.text_input(
            "Sheet of the workbook (Excel)", placeholder="the first", key=f"sheet-{key}"
        )
    given = {"separator": separator, "encoding": encoding, "sheet": sheet.strip()}
    return {name: value for name, value in given.items() if value}
