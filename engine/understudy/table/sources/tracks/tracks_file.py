"""Files of tracks as a table with a row for each point: a GPX or PLT file, or a ZIP archive or
folder of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple, NoReturn
from xml.parsers import expat

from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.table.cells import NOT_APART
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable
from understudy.table.sources.arrow_texts import TableBuilder
from understudy.table.sources.header import check_rows
from understudy.table.sources.many_files import Folder, ManyFiles
from understudy.table.sources.source import ENDINGS, GIB, Source

# The points of tracks, of which the last of every five minutes is read.

_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
_TO_TEN_MINUTES: Final = len("2024-05-01T08:2")


class Point(NamedTuple):
    """A point of a track, as texts; what a file does not say is the empty text.

    Attributes:
        time: as ISO 8601 writes it.
        latitude, longitude: in degrees.
        track: the name of its track, or its number in the file, from 1.
    """

    time: str
    latitude: str
    longitude: str
    track: str


def thin_points(points: Iterable[Point]) -> Iterator[Point]:
    """Yield the last of each track's points in the same five minutes of UTC, in the order in which
    these begin; where two are of one moment, the one that stands last. All of those whose time is
    not in UTC, or is none.

    Receivers write a point a second, and of a slot of 20 minutes only the last position counts. The
    clocks of every zone differ from UTC by whole quarters of an hour, so that it is never lost.
    """
    last: dict[object, Point] = {}
    for point in points:
        time = point.time
        key: object = len(last), "apart"
        if _UTC.fullmatch(time):
            half = time[_TO_TEN_MINUTES] < "5"
            key = time[:_TO_TEN_MINUTES], half, point.track
            known = last.get(key)
            # Without the Z, a fraction of a second sorts behind the whole second.
            if known is not None and known.time[:-1] > time[:-1]:
                continue
        last[key] = point
    yield from last.values()


# The track points of a GPX file.
#
# The file is read as a stream and no entity is ever looked up: one that declares a document type,
# which GPX has no use for, is refused, so that none can be declared in it.

_LONGEST = 1000
_SHOWN = 100


class NotTracks(ValueError):
    """A file that is not what its ending says; the text says why, and quotes nothing."""


def gpx_points(data: bytes) -> list[Point]:
    """Return the points of all tracks of a GPX file. Routes and waypoints are no track.

    Raises:
        NotTracks: it is not XML, not GPX, or declares a document type.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        raise NotTracks("is damaged, or is not XML") from None
    return reader.points


def _refuse_doctype(*_: Any) -> NoReturn:
    raise NotTracks("declares a document type, as no receiver writes it")


class _Reader:
    """Takes the elements of a file one after another."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self._path: list[str] = []
        self._tracks = 0
        self._name = ""
        self._at: tuple[str, str] = ("", "")
        self._time = ""
        self._said: list[str] = []

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if not self._path and name != "gpx":
            raise NotTracks("is XML of another kind than GPX")
        self._path.append(name)
        self._said = []
        if name == "trk":
            self._tracks += 1
            self._name = ""
        elif name == "trkpt":
            self._at = attributes.get("lat", ""), attributes.get("lon", "")
            self._time = ""

    def text(self, said: str) -> None:
        if len(self._said) < _LONGEST:
            self._said.append(said[:_LONGEST])

    def end(self, _: str) -> None:
        name = self._path.pop()
        around = self._path[-1] if self._path else ""
        said, self._said = "".join(self._said).strip()[:_SHOWN], []
        if name == "name" and around == "trk":
            self._name = said
        elif name == "time" and around == "trkpt":
            self._time = said
        elif name == "trkpt":
            latitude, longitude = self._at
            track = self._name or str(self._tracks)
            self.points.append(Point(self._time, latitude, longitude, track))


# The points of a PLT file, as the GeoLife trajectories are: six lines about the file, and then for
# each point latitude, longitude, 0, feet, days since 1899, date and time, in GMT.

_HEADER = 6
_CELLS = 7


def plt_points(data: bytes) -> Iterator[Point]:
    """Yield the points of a PLT file, which is one track. A line with another number of cells is a
    point whose parts are unreadable.

    Raises:
        NotTracks: it is not text, or has not the lines about the file.
    """
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise NotTracks("is not text") from None
    if len(lines) < _HEADER or "," in lines[0]:
        raise NotTracks("does not begin with six lines about the file")
    for line in lines[_HEADER:]:
        if not line.strip():
            continue
        cells = line.split(",")
        if len(cells) != _CELLS:
            yield Point(NOT_APART, NOT_APART, NOT_APART, "1")
            continue
        yield Point(
            f"{cells[5].strip()}T{cells[6].strip()}Z", cells[0].strip(), cells[1].strip(), "1"
        )


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
        return _table(source.name, FILES.unpack(source))
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
            points = list(thin_points(_points(path, data)))
        except NotTracks as wrong:
            raise Refusal(
                f"{_number_file(name, path, number)} {wrong}.",
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


def _number_file(name: str, path: str, number: int) -> str:
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
