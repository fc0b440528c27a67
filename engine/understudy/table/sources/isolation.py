"""Reading foreign formats in a limited process, so that a malicious file crashes nothing else.

The reader of statistics files is written in C and can crash on damaged files; a workbook or an
archive of a few kilobytes can unpack to gigabytes. The other process opens the file itself and
sends texts back, whose size is checked before memory is taken for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn

import pyarrow as pa

from understudy.core.refusal import Refusal
from understudy.core.sandbox import Ended, run_in_sandbox
from understudy.table.declared_reading import Kind, Reading
from understudy.table.raw import RawTable
from understudy.table.sources.source import (
    NAMES,
    Source,
    damaged_file,
    most_held,
    reading_bounds,
    text_bounds,
    too_large_table,
    too_little_memory,
)

if TYPE_CHECKING:
    from understudy.table.sources.csv.csv_suggestion import Hints

_STATISTICS = "understudy.table.sources.isolated_statistics"
_TEXTS = "understudy.table.sources.isolated_text"
_MODULES: dict[Kind, str] = {
    "excel": "understudy.table.sources.isolated_excel",
    "tracks": "understudy.table.sources.isolated_tracks",
}
"""What does the work for each kind."""

Asked = tuple[Source, Kind, str | None, str | None, int]
"""The request: a file, its kind, its encoding, its sheet and its size limit."""


def read_isolated(
    source: Source, kind: Kind, *, encoding: str | None = None, sheet: str | None = None, limit: int
) -> RawTable:
    """`statistics_file.read_statistics`, `excel_file.read_excel` or `tracks_file.read_tracks`, in a
    process of its own.

    Args:
        source: the file.
        kind: its kind.
        encoding, sheet, limit: as there.

    Raises:
        Refusal: as there, or the file ends what reads it, or takes too much memory or time.
    """
    asked: Asked = (source.bare(), kind, encoding, sheet, limit)
    return _read_confined(_MODULES.get(kind, _STATISTICS), asked, source, kind)


AskedText = tuple[Source, Kind, Reading | None, "Hints | None"]
"""The request to read text or Parquet: a file, its kind, and how a text is read."""

HERE: Final = 4 << 20
"""A file of at most so many bytes is read in the process that asks, where it takes little memory,
unless it is Parquet that somebody else may have made."""


def read_text_apart(
    source: Source,
    kind: Kind,
    reading: Reading | None,
    hints: Hints | None = None,
    *,
    trusted: bool,
) -> RawTable:
    """Read as `csv_file.read_csv` or `parquet_file.read_parquet`, in a process of its own unless
    the file is small: if memory runs short, what reads them ends its process without a word.

    Args:
        source: the file.
        kind: “csv” or “parquet”.
        reading, hints: of a text, as of `csv_file.read_csv`.
        trusted: whether whoever asks made the file or chose it on their own machine.

    Raises:
        Refusal: as there, or there is too little memory to read it.
    """
    asked: AskedText = (source.bare(), kind, reading, hints)
    bounds = text_bounds(source.size)
    try:
        if source.size <= HERE and (trusted or kind == "csv"):
            return read_text_here(source, kind, reading, hints)
        return run_in_sandbox(_TEXTS, asked, bounds, lambda pipe: _receive_table(pipe, source))
    except MemoryError:
        raise too_little_memory(source) from None
    except Ended as ended:
        if ended.why == "time" or (kind == "parquet" and ended.why == "crash"):
            _refuse(source, kind, ended)
        raise too_little_memory(source) from None


def read_text_here(
    source: Source, kind: Kind, reading: Reading | None, hints: Hints | None = None
) -> RawTable:
    """Read text or Parquet in this process; see `read_text_apart`."""
    if kind == "parquet":
        from understudy.table.sources.parquet_file import read_parquet

        return read_parquet(source)
    from understudy.table.sources.csv.csv_file import read_csv

    return read_csv(source, reading, hints)


def read_isolated_folder(path: Path) -> RawTable:
    """Call `tracks_file.read_track_folder` in a process of its own.

    Raises:
        Refusal: as there, or the files end what reads them, or take too much memory or time.
    """
    from understudy.table.sources.tracks.tracks_file import FILES

    folder = FILES.folder(path)
    return _read_confined(_MODULES["tracks"], folder, Source(path.name, folder.size), "tracks")


def _read_confined(module: str, asked: object, source: Source, kind: Kind) -> RawTable:
    try:
        return run_in_sandbox(
            module, asked, reading_bounds(source.size), lambda pipe: _receive_table(pipe, source)
        )
    except Ended as ended:
        _refuse(source, kind, ended)


def _refuse(source: Source, kind: Kind, ended: Ended) -> NoReturn:
    if ended.why == "memory":
        raise too_large_table(source) from None
    if ended.why == "time":
        raise Refusal(
            f"{source.name} takes far longer to read than {NAMES[kind]} of its size does.",
            "Save it again with the program that made it, or export the table as CSV.",
            field="table",
        ) from None
    raise damaged_file(source, kind) from None


def table_writer(raw: RawTable) -> Callable[[BinaryIO], None]:
    """Return a function that writes a table into a pipe."""

    def write(pipe: BinaryIO) -> None:
        about = {**raw.about(), "bytes": raw.arrow.nbytes}
        pipe.write(json.dumps(about).encode() + b"\n")
        with pa.ipc.new_stream(pipe, raw.arrow.schema) as stream:
            stream.write_table(raw.arrow)

    return write


def _receive_table(pipe: BinaryIO, source: Source) -> RawTable:
    """Read a table from a pipe.

    Raises:
        Refusal: it is far too large for such a file.
        OSError, ValueError: it ends too soon.
    """
    said: dict[str, Any] = json.loads(pipe.readline())
    if said.pop("bytes") > most_held(source.size):
        raise too_large_table(source)
    with pa.ipc.open_stream(pipe) as stream:
        table = stream.read_all().combine_chunks()
    return RawTable.restore_table(table, said)
