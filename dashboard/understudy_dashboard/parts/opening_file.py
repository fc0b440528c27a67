"""Opening a table from a file: uploaded, or by its path on the server's machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable
from understudy.table.sources.reading import ENDINGS, MOST_BYTES, read_table
from understudy.table.sources.source import allowed_folders, allowed_path
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.parts.file_reading import ENCODINGS, SEPARATORS


class Taken(Protocol):
    """Takes a table: its name, what reads it, of a database how it was reached, and of a file what
    reads it in a given way and whether it was said how it is read."""

    def __call__(
        self,
        name: str,
        read: Callable[[], RawTable],
        reached: tuple[str, str] = ...,
        again: Callable[[Reading], RawTable] | None = ...,
        *,
        insisted: bool = ...,
    ) -> None: ...


def upload_limit() -> int:
    """Return the most megabytes that can be uploaded: the server's own setting."""
    return int(st.get_option("server.maxUploadSize"))


def upload(turn: int, take: Taken) -> None:
    """A place to put a file.

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
    settings = _settings("upload")
    if given is not None:
        content = given.getvalue()
        with place:
            _take(take, lambda: content, given.name, settings, limit << 20)


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
            st.caption(where_from(folders))
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
        _take(take, lambda: allowed_path(named, folders), named.name, settings, MOST_BYTES)


def _take(
    take: Taken, source: Callable[[], Path | bytes], name: str, settings: dict[str, Any], limit: int
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
        insisted=bool(settings),
    )


def where_from(folders: tuple[Path, ...]) -> str:
    """Return where files may be opened from, in a sentence."""
    if not folders:
        return "On this server, no folder is named that files may be opened from."
    listed = ", ".join(words.plain(f"{folder}{os.sep}") for folder in folders)
    return f"On this server, files are opened from below {listed} only."


def _settings(key: str) -> dict[str, Any]:
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
