"""Opening a table from a file: uploaded, or by its path on the server's machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from dashboard import words
from dashboard.frame import refuse
from engine.refusal import Refusal
from engine.table.declared_reading import Reading
from engine.table.places import allowed, allowed_folders
from engine.table.raw import RawTable
from engine.table.reading import ENDINGS, MOST_BYTES, read_table


class Taken(Protocol):
    """Takes a table: its name, what reads it and, of a database, how it was reached."""

    def __call__(
        self, name: str, read: Callable[[], RawTable], reached: tuple[str, str] = ...
    ) -> None: ...


_SEPARATORS = {"": "found by itself", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_ENCODINGS = ("", "utf-8", "utf-16", "windows-1252", "iso-8859-1", "iso-8859-15", "mac-roman")
_KINDS = {
    "parquet": "Parquet",
    "excel": "Excel workbook",
    "stata": "Stata file",
    "spss": "SPSS file",
    "spss-portable": "SPSS portable file",
    "sas": "SAS file",
    "sas-transport": "SAS transport file",
    "database": "read from a database",
}


def upload_limit() -> int:
    """The most megabytes that can be uploaded: the server's own setting."""
    return int(st.get_option("server.maxUploadSize"))


def upload(turn: int, take: Taken) -> None:
    """A place to put a file.

    Args:
        turn: raised whenever the place should be empty again.
        take: what takes it.
    """
    limit = upload_limit()
    given = st.file_uploader(
        "A CSV, Parquet, Excel, Stata, SPSS or SAS file",
        type=list(ENDINGS),
        key=f"upload-{turn}",
        max_upload_size=limit,
        help=f"Up to {limit:,} MB. A larger one is opened by its path, or from a database. The "
        "limit is set when the page is started: understudy dashboard --upload-limit.",
    )
    place = st.container()
    settings = _settings("upload")
    if given is not None:
        with place:
            take(
                given.name,
                lambda: read_table(
                    given.getvalue(), name=given.name, limit_bytes=limit << 20, **settings
                ),
            )


def path(take: Taken) -> None:
    """A field for the path of a file."""
    folders = allowed_folders()
    with st.form("path", border=False):
        typed = st.text_input(
            "The path of a file on this machine",
            key="table-path",
            placeholder="/home/me/survey.csv",
            help=f"For large files, up to {MOST_BYTES >> 30} GB: nothing is copied or sent.",
        )
        if folders is not None:
            st.caption(_where(folders))
        place = st.container()
        asked = st.form_submit_button("Open this path")
    settings = _settings("path")
    if not asked:
        return
    with place:
        if not typed.strip():
            refuse(Refusal("No path is given.", "Enter where the file is, or upload it."))
            return
        named = Path(typed.strip())
        take(named.name, lambda: read_table(allowed(named, folders), name=named.name, **settings))


def described(form: Reading) -> str:
    """How a table was read, in words."""
    if form.kind != "csv":
        return _KINDS[form.kind]
    separator = _SEPARATORS.get(form.separator or "", words.plain(form.separator or ""))
    return f"CSV, values separated by {separator}, encoding {form.encoding}"


def _where(folders: tuple[Path, ...]) -> str:
    if not folders:
        return "On this server, no folder is named that files may be opened from."
    listed = ", ".join(words.plain(f"{folder}{os.sep}") for folder in folders)
    return f"On this server, files are opened from below {listed} only."


def _settings(key: str) -> dict[str, Any]:
    """What to read a file with, where finding it out fails."""
    with st.expander("If it is not read as it should be"):
        separator = st.selectbox(
            "Values are separated by (CSV)",
            list(_SEPARATORS),
            format_func=_SEPARATORS.__getitem__,
            key=f"separator-{key}",
        )
        encoding = st.selectbox(
            "Encoding of its texts",
            _ENCODINGS,
            format_func=lambda name: name or "found by itself",
            key=f"encoding-{key}",
        )
        sheet = st.text_input(
            "Sheet of the workbook (Excel)", placeholder="the first", key=f"sheet-{key}"
        )
    given = {"separator": separator, "encoding": encoding, "sheet": sheet.strip()}
    return {name: value for name, value in given.items() if value}
