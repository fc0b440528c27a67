"""Opening the file of a table: its size and its format."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Kind
from understudy.table.sources.file_snapshot import FileSnapshot

GIB = 1 << 30

_KINDS: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".dat": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".dta": "stata",
    ".sav": "spss",
    ".zsav": "spss",
    ".por": "spss-portable",
    ".sas7bdat": "sas",
    ".xpt": "sas-transport",
    ".xport": "sas-transport",
    ".gpx": "tracks",
    ".plt": "tracks",
    ".zip": "tracks",
}
ENDINGS = tuple(ending.removeprefix(".") for ending in _KINDS)
"""The endings of the files that can be read."""

NAMES: dict[Kind, str] = {
    "csv": "a CSV file",
    "parquet": "a Parquet file",
    "excel": "an Excel workbook",
    "stata": "a Stata file",
    "spss": "an SPSS file",
    "spss-portable": "an SPSS portable file",
    "sas": "a SAS file",
    "sas-transport": "a SAS transport file",
    "tracks": "a file of tracks",
    "database": "a database",
}
_BEGINNINGS: tuple[tuple[bytes, Kind], ...] = (
    (b"PK\x03\x04", "excel"),
    (b"$FL2", "spss"),
    (b"$FL3", "spss"),
    (b"<stata_dta>", "stata"),
    (b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0\x09\xc7\x31\x8c", "sas"),
    (b"HEADER RECORD*******LIB", "sas-transport"),
)
_OLD_STATA = range(102, 116)
_PORTABLE = b"SPSSPORT"
_PORTABLE_WITHIN = 600
_LOCKED = "protected by a password or encrypted"
_UNLOCK = "Save it without a password, then open that."
_OTHERS = (
    (
        b"\xd0\xcf\x11\xe0",
        "an old Excel or Office file, or one protected by a password",
        "Save it without a password as .xlsx or CSV.",
    ),
    (b"PARE", f"a Parquet file {_LOCKED}", _UNLOCK),
    (b"\x1f\x8b", "a gzip archive", "Unpack it first."),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", "Unpack it first."),
    (b"BZh91AY&SY", "a bzip2 archive", "Unpack it first."),
    (b"\xfd7zXZ\x00", "an xz archive", "Unpack it first."),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "Unpack it first."),
    (b"\x89PNG", "a picture", "Choose the table itself."),
    (b"\xff\xd8\xff", "a picture", "Choose the table itself."),
    (b"GIF89a", "a picture", "Choose the table itself."),
    (b"%PDF-", "a PDF document", "Choose the table itself."),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "Open it as a database, with sqlite:/// and its path as the connection string.",
    ),
    (b"ARROW1\0", "an Arrow file", "Save it as Parquet or CSV."),
)
_LOCKED_SPSS = b"ENCRYPTEDSAV"


@dataclass(frozen=True, eq=False)
class Source:
    """A file and what it is called.

    Attributes:
        name: for sentences about it.
        size: how many bytes it has.
        content: its bytes, where they were uploaded.
        file: the file, where it is one of this machine.
    """

    name: str
    size: int
    content: bytes | None = field(default=None, repr=False)
    file: FileSnapshot | None = None

    @cached_property
    def data(self) -> bytes:
        """All of its bytes, as they stood when it was opened: nothing that befalls the file later
        reaches who reads them.

        Raises:
            Refusal: the file was changed since it was opened, or cannot be read any more.
        """
        return self.piece(0, self.size)

    def bare(self) -> Source:
        """Return the same source, without its content in memory."""
        return replace(self)

    def piece(self, start: int, end: int) -> bytes:
        """Return some of its bytes.

        Raises:
            Refusal: as of `data`.
        """
        if self.content is not None:
            return self.content[start:end]
        assert self.file is not None
        return self.file.piece(start, min(end, self.size))

    @property
    def kind(self) -> Kind:
        """What it has to be read as: told by the name, or failing that by its first bytes.

        Raises:
            Refusal: the bytes are not what the name says, or nothing that can be read.
        """
        self._check_readable()
        found = self._inside()
        ending = Path(self.name).suffix.lower()
        named = _KINDS.get(ending, found)
        if named == "tracks" and found == ("excel" if ending == ".zip" else "csv"):
            # Tracks are text or a ZIP archive, and nothing in their first bytes says of what.
            return named
        if named != found:
            raise Refusal(
                f"{self.name} is not {NAMES[named]}: inside, it looks like {NAMES[found]}"
                + (" or a ZIP archive." if found == "excel" else "."),
                "Give it the ending of what it is, or choose another file.",
                field="table",
            )
        return named

    def kind_as(self, declared: Kind | None) -> Kind:
        """Return the kind of the source as a schema declares it.

        What is declared to be a text file is taken for one unless its name says otherwise: where
        its records lie, any bytes may stand.

        Raises:
            Refusal: as of `kind`.
        """
        named = _KINDS.get(Path(self.name).suffix.lower(), "csv")
        return "csv" if declared == named == "csv" else self.kind

    def _check_readable(self) -> None:
        start = self.piece(0, 32)
        for beginning, what, remedy in _OTHERS:
            if start.startswith(beginning):
                raise Refusal(f"{self.name} is {what}, not a table.", remedy, field="table")
        if start[8:].startswith(_LOCKED_SPSS):
            raise Refusal(f"{self.name} is an SPSS file {_LOCKED}.", _UNLOCK, field="table")

    def _inside(self) -> Kind:
        """Return what the bytes look like; anything unmarked is text."""
        start = self.piece(0, _PORTABLE_WITHIN)
        if start[:4] == self.piece(max(0, self.size - 4), self.size) == b"PAR1":
            return "parquet"
        for beginning, kind in _BEGINNINGS:
            if start.startswith(beginning):
                return kind
        if start[0] in _OLD_STATA and start[1:2] in (b"\1", b"\2") and start[2:3] == b"\1":
            return "stata"
        return "spss-portable" if _PORTABLE in start else "csv"


def open_source(source: Path | bytes, name: str | None, limit: int) -> Source:
    """Open a file, or take bytes that were uploaded.

    Raises:
        Refusal: there is no such file, it is a folder, it cannot be read, it is empty, or it is
            over the limit.
    """
    if isinstance(source, bytes):
        name = name or "The table"
        _check_size(name, len(source), limit)
        return Source(name, len(source), content=source)
    name = name or source.name or str(source)
    try:
        if source.is_dir():
            raise Refusal(f"{source} is a folder.", "Choose a file in it.", field="table")
        if source.exists() and not source.is_file():
            raise Refusal(f"{source} is not a file.", "Choose a file.", field="table")
        file = FileSnapshot.at(source, name)
    except FileNotFoundError:
        raise Refusal(
            f"There is no file {source}.", "Check the path for spelling.", field="table"
        ) from None
    except (OSError, ValueError) as error:
        if isinstance(error, Refusal):
            raise
        reason = getattr(error, "strerror", None) or "the path is not usable"
        raise Refusal(
            f"{source} cannot be read: {reason}.",
            "Check the path, and that the file may be read.",
            field="table",
        ) from None
    _check_size(name, file.size, limit)
    return Source(name, file.size, file=file)


def damaged_file(source: Source, kind: Kind) -> Refusal:
    """Return the refusal of a damaged file of some kind."""
    return Refusal(
        f"{source.name} is {NAMES[kind]} that is damaged, cut short or of a version that cannot be "
        "read.",
        "Save it again with the program that made it, or export the table as CSV.",
        field="table",
    )


def _check_size(name: str, size: int, limit: int) -> None:
    if size == 0:
        raise Refusal(f"{name} is empty.", "Choose a file that holds a table.", field="table")
    if size > limit:
        raise Refusal(
            f"{name} has {_size(size)}; the limit is {_size(limit)}.",
            "Save it as Parquet, leave out columns, or raise the limit.",
            field="table",
        )


def _size(count: int) -> str:
    for unit, name in ((GIB, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"
