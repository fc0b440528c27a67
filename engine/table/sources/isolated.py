"""Reading foreign formats in a limited process, so that a malicious file crashes nothing else.

The reader of statistics files is written in C and can crash on damaged files; a workbook or an
archive of a few kilobytes can unpack to gigabytes. The other process opens the file itself and
sends texts back, whose size is checked before memory is taken for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import pyarrow as pa

from engine.core.confined import Ended, confined
from engine.core.refusal import Refusal
from engine.table.declared_reading import Kind
from engine.table.raw import RawTable
from engine.table.sources.size_limits import most_held, reading_bounds, too_large_table
from engine.table.sources.source import NAMES, Source, damaged_file

_STATISTICS = "engine.table.sources.isolated_statistics"
_MODULES: dict[Kind, str] = {
    "excel": "engine.table.sources.isolated_excel",
    "tracks": "engine.table.sources.isolated_tracks",
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
    return _confined(_MODULES.get(kind, _STATISTICS), asked, source, kind)


def read_isolated_folder(path: Path) -> RawTable:
    """`tracks_file.read_track_folder`, in a process of its own.

    Raises:
        Refusal: as there, or the files end what reads them, or take too much memory or time.
    """
    from engine.table.sources.tracks.tracks_file import FILES

    folder = FILES.folder(path)
    return _confined(_MODULES["tracks"], folder, Source(path.name, folder.size), "tracks")


def _confined(module: str, asked: object, source: Source, kind: Kind) -> RawTable:
    try:
        return confined(
            module, asked, reading_bounds(source.size), lambda pipe: _received(pipe, source)
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
    """A function that writes a table into a pipe."""

    def write(pipe: BinaryIO) -> None:
        about = {**raw.about(), "bytes": raw.arrow.nbytes}
        pipe.write(json.dumps(about).encode() + b"\n")
        with pa.ipc.new_stream(pipe, raw.arrow.schema) as stream:
            stream.write_table(raw.arrow)

    return write


def _received(pipe: BinaryIO, source: Source) -> RawTable:
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
    return RawTable.restored(table, said)
