"""Files of tracks as a table with a row for each point: a GPX or PLT file, or a ZIP archive or
folder of them."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from engine.core.refusal import Refusal
from engine.table.declared_reading import Reading
from engine.table.raw import RawTable
from engine.table.sources.header import check_rows
from engine.table.sources.size_limits import check_unpacked
from engine.table.sources.source import GIB, Source
from engine.table.sources.table_builder import TableBuilder
from engine.table.sources.tracks.gpx import NotTracks, gpx_points
from engine.table.sources.tracks.plt import plt_points
from engine.table.sources.tracks.points import Point, thinned

COLUMNS = ("folder", "file", "track", "time", "latitude", "longitude")
MOST_FILES = 200_000
MOST_BYTES = 4 * GIB
"""The most files of an archive or a folder, and the most bytes of all in a folder."""

_MOST_A_FILE = GIB // 4
_ENDINGS = (".gpx", ".plt")
_OF_GEOLIFE = "Trajectory"
_THINNED = (
    "Of the points of a track within the same five minutes, the last is read: positions count by "
    "slots of 20 minutes."
)


@dataclass(frozen=True)
class Folder:
    """A folder of tracks.

    Attributes:
        path: where it is.
        size: how many bytes its files of tracks have together.
    """

    path: Path
    size: int


def read_tracks(source: Source) -> RawTable:
    """The points of a file of tracks, or of an archive of them; columns as of `COLUMNS`.

    A row says in which folder and file its point stands, and in which track of it: its name, or the
    file and its number.

    Raises:
        Refusal: there is no point, a file is damaged or too large, or the archive is.
    """
    if Path(source.name).suffix.lower() == ".zip":
        return _table(source.name, _unpacked(source))
    return _table(source.name, [(source.name, source.data)])


def read_track_folder(folder: Folder) -> RawTable:
    """The points of all files of tracks in a folder and those within it.

    Raises:
        Refusal: as of `read_tracks`.
    """
    return _table(folder.path.name or "The folder", _contents(folder.path))


def track_folder(path: Path) -> Folder:
    """A folder, and how much is in it.

    Raises:
        Refusal: it holds more files than are read, or more bytes.
    """
    sizes = [each.stat().st_size for each in _files(path)]
    if len(sizes) > MOST_FILES or sum(sizes) > MOST_BYTES:
        raise _too_many(str(path))
    return Folder(path, sum(sizes))


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    for each in _files(path):
        if each.stat().st_size > _MOST_A_FILE:
            raise _too_many(path.name)
        yield each.relative_to(path).as_posix(), each.read_bytes()


def _files(path: Path) -> list[Path]:
    """The files of tracks below a folder, none of them a link, in the order of their paths."""
    below = (Path(top, name) for top, _, names in os.walk(path) for name in names)
    return sorted(each for each in below if _is_track(each.name) and not each.is_symlink())


def _is_track(name: str) -> bool:
    return name.lower().endswith(_ENDINGS)


def _unpacked(source: Source) -> Iterator[tuple[str, bytes]]:
    """The files of tracks in an archive, in the order of their names; all others stay packed."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            found = sorted(
                (each for each in archive.infolist() if _is_track(each.filename)),
                key=lambda each: each.filename,
            )
            check_unpacked(source, sum(each.file_size for each in found))
            if len(found) > MOST_FILES or any(each.file_size > _MOST_A_FILE for each in found):
                raise _too_many(source.name)
            for each in found:
                with archive.open(each) as file:
                    yield each.filename, file.read(each.file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        raise Refusal(
            f"{source.name} is a ZIP archive that is damaged, cut short, protected by a password "
            "or packed in a way that cannot be read.",
            "Pack the files anew, without a password.",
            field="table",
        ) from None


def _too_many(name: str) -> Refusal:
    return Refusal(
        f"{name} holds more files of tracks, or larger ones, than are read at once.",
        "Read the files of some of the years or months only, for all people alike.",
        field="table",
    )


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
    """What to call a file of an archive, whose own name may be a person's."""
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
