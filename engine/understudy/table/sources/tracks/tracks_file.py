"""Files of tracks as a table with a row for each point: a GPX or PLT file, or a ZIP archive or
folder of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final

from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable
from understudy.table.sources.header import check_rows
from understudy.table.sources.many_files import Folder, ManyFiles
from understudy.table.sources.source import ENDINGS, GIB, Source
from understudy.table.sources.table_builder import TableBuilder
from understudy.table.sources.tracks.gpx import NotTracks, gpx_points
from understudy.table.sources.tracks.plt import plt_points
from understudy.table.sources.tracks.points import Point, thinned

COLUMNS = ("folder", "file", "track", "time", "latitude", "longitude")
_MOST_A_FILE = GIB // 4
_ENDINGS = (".gpx", ".plt")
_OF_GEOLIFE = "Trajectory"
_THINNED = (
    "Of the points of a track within the same five minutes, the last is read: positions count by "
    "slots of 20 minutes."
)


def _is_track(name: str) -> bool:
    return name.lower().endswith(_ENDINGS)


FILES: Final = ManyFiles(
    _is_track,
    _MOST_A_FILE,
    "files of tracks",
    "Read the files of some of the years or months only, for all people alike.",
)
"""Files of tracks in a folder or an archive."""


def read_tracks(source: Source) -> RawTable:
    """Return the points of a file of tracks, or of an archive of them; columns as of `COLUMNS`.

    A row says in which folder and file its point stands, and in which track of it: its name, or the
    file and its number.

    Raises:
        Refusal: there is no point, a file is damaged or too large, or the archive is.
    """
    if Path(source.name).suffix.lower() == ".zip":
        check_no_table(source)
        return _table(source.name, FILES.unpacked(source))
    return _table(source.name, [(source.name, source.data)])


def check_no_table(source: Source) -> None:
    """Check that an archive without tracks is not one of tables, which are read unpacked.

    Raises:
        Refusal: it is, or it is no archive. No name in it is told.
    """
    names = FILES.names(source)
    endings = Counter(PurePosixPath(name).suffix.lower() for name in names)
    tables = {each: many for each, many in endings.items() if each[1:] in ENDINGS}
    if tables and not any(map(FILES.wanted, names)):
        what = " and ".join(count(n, f"{each} file") for each, n in sorted(tables.items()))
        raise Refusal(
            f"{source.name} is an archive with {what} and no track in it. A table is not read out "
            "of an archive.",
            "Unpack it, and choose the file of the table.",
            field="table",
        )


def read_track_folder(folder: Folder) -> RawTable:
    """Return the points of all files of tracks in a folder and those within it.

    Raises:
        Refusal: as of `read_tracks`.
    """
    return _table(folder.name, FILES.within(folder))


def _table(name: str, files: Iterable[tuple[str, bytes]]) -> RawTable:
    builder = TableBuilder(COLUMNS, [str] * len(COLUMNS))
    for number, (path, data) in enumerate(files, 1):
        try:
            points = list(thinned(_points(path, data)))
        except NotTracks as wrong:
            raise Refusal(
                f"{_numbered(name, path, number)} {wrong}.",
                "Save it again with the program that made it, or leave it out.",
                field="table",
            ) from None
        if points:
            builder.add(_columns(PurePosixPath(path), points))
    if not builder.rows:
        raise Refusal(
            f"{name} holds no track with a point.",
            "Choose .gpx or .plt files, or a ZIP archive of them. Routes and waypoints are no "
            "tracks.",
            field="table",
        )
    check_rows(builder.rows, name)
    return RawTable(builder.table(), Reading(kind="tracks"), (_THINNED,))


def _points(path: str, data: bytes) -> Iterable[Point]:
    return gpx_points(data) if path.lower().endswith(".gpx") else plt_points(data)


def _numbered(name: str, path: str, number: int) -> str:
    """Return what to call a file of an archive, whose own name may be a person's."""
    return name if name == path else f"File {number:,} in {name}, by the order of their names,"


def _columns(path: PurePosixPath, points: list[Point]) -> list[list[str]]:
    parent = path.parent.parent if path.parent.name == _OF_GEOLIFE else path.parent
    count = len(points)
    return [
        [str(parent)] * count,
        [str(path)] * count,
        [f"{path} {each.track}" if each.track.isdigit() else each.track for each in points],
        [each.time for each in points],
        [each.latitude for each in points],
        [each.longitude for each in points],
    ]
