"""The track points of a GPX file.

The file is read as a stream and no entity is ever looked up: one that declares a document type,
which GPX has no use for, is refused, so that none can be declared in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn
from xml.parsers import expat

from understudy.table.sources.tracks.points import Point

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
