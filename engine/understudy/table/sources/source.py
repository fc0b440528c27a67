"""The file of a table: whether it may be opened, its size, its format, and reading it as it was at
one moment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from understudy.core.refusal import Refusal
from understudy.core.sandbox import SandboxBounds
from understudy.table.declared_reading import Kind

# Limits on how much a file may grow when it is read.
#
# A malicious file of a few kilobytes can claim a table of gigabytes. Real tables grow tenfold, or
# hundredfold where most of their cells are empty. The size that a file declares is checked before
# memory is taken for it, and the size of the result is checked again.

MOST_TIMES, SMALL = 200, 64 << 20
"""How much a file may unpack to, beyond so many bytes."""

_HELD_TIMES, _CODE_BYTES = 100, 4
"""How much its table may take, beyond as many, and what each cell takes."""

_SECONDS, _BYTES_A_SECOND = 120.0, 100_000
"""The time limit, fixed and per byte: ten times what the slowest format takes on a slow machine."""

_MEMORY, _TIMES = 1 << 30, 8
"""The memory limit, fixed and per byte of the file."""

_TEXT_MEMORY, _TEXT_TIMES = 4 << 30, 40
"""The same of text and Parquet, which only a mistake or no memory left makes take as much."""


def reading_bounds(size: int) -> SandboxBounds:
    """Return what a process may take that reads a foreign format of so many bytes."""
    return SandboxBounds(_MEMORY + _TIMES * size, _SECONDS + size / _BYTES_A_SECOND)


def text_bounds(size: int) -> SandboxBounds:
    """Return what a process may take that reads text or Parquet of so many bytes. A text takes
    several times its size, and Parquet unpacks to as much as is checked beforehand."""
    return SandboxBounds(_TEXT_MEMORY + _TEXT_TIMES * size, _SECONDS + size / _BYTES_A_SECOND)


def most_unpacked(size: int) -> int:
    """Return how many bytes a file of so many may unpack to."""
    return max(MOST_TIMES * size, SMALL)


def most_held(size: int) -> int:
    """Return how many bytes the table of a file of so many may take."""
    return max(_HELD_TIMES * size, SMALL)


def check_unpacked(source: Source, unpacked: int) -> None:
    """Check what a file says that it unpacks to.

    Args:
        source: the file.
        unpacked: in bytes.

    Raises:
        Refusal: it is more than any table does.
    """
    if unpacked > most_unpacked(source.size):
        raise Refusal(
            f"{source.name} unpacks to more than {MOST_TIMES} times its size, as no table does.",
            "Save the table as CSV, if it is what it should be.",
            field="table",
        )


def check_held(source: Source, rows: int, columns: int, texts: int = 0) -> None:
    """Check what the table of a file takes.

    Args:
        source: the file.
        rows: how many records it says it has, or has had so far.
        columns: how many columns.
        texts: the bytes of its texts so far.

    Raises:
        Refusal: it is more than any table of such a file does, or more columns than are believed.
    """
    if rows * columns * _CODE_BYTES + texts > most_held(source.size):
        raise too_large_table(source)


def too_little_memory(source: Source) -> Refusal:
    """Return the refusal of a file that this machine has too little memory to read."""
    return Refusal(
        f"There is too little memory here to read {source.name}.",
        "Leave out columns or save it as Parquet, close what else is open, or open it on a machine "
        "with more memory.",
        field="table",
    )


def too_large_table(source: Source) -> Refusal:
    """Return the refusal of a small file with far too large a table."""
    return Refusal(
        f"{source.name} takes far more memory to read than a file of its size should.",
        "Leave out empty rows and columns, or save the table as CSV, if it is what it should be.",
        field="table",
    )


# Restricting which files of this machine may be opened to some folders.

FOLDERS = "UNDERSTUDY_FOLDERS"
"""The setting that names the folders, separated as on the system's path."""


def allowed_folders() -> tuple[Path, ...] | None:
    """Return the folders that the setting names; None where there is no such setting."""
    named = os.environ.get(FOLDERS)
    if named is None:
        return None
    return tuple(Path(each).expanduser() for each in named.split(os.pathsep) if each.strip())


def allowed_path(path: Path, folders: Sequence[Path] | None, *, field: str = "table") -> Path:
    """Return where a path leads in the end, links followed, if that may be opened.

    What lies elsewhere is answered the same whether it exists or not.

    Args:
        path: as typed; “~” is the home folder.
        folders: what may be opened lies below one of these; None for anywhere.
        field: the field of the refusal.

    Raises:
        Refusal: it leads out of the folders, or cannot be followed.
    """
    if folders is None:
        return path.expanduser()
    try:
        found = path.expanduser().resolve()
        roots = [folder.resolve() for folder in folders]
    except (OSError, RuntimeError, ValueError):
        raise _outside(field) from None
    if not any(found.is_relative_to(root) for root in roots):
        raise _outside(field)
    return found


def _outside(field: str) -> Refusal:
    return Refusal(
        "The path leads to a place that this server does not open files from.",
        "Choose a file below the folders that whoever runs the server has named, or upload it.",
        field=field,
    )


# Reading a file as it was at one moment, or refusing where it was changed since.
#
# Another program may write to a file while it is read. What is read then is neither the old table
# nor the new one, and mapped memory of a file that was cut short ends the process that looks at it.
# So bytes are read into memory of our own, and the file has to be the same file, of the same length
# and untouched, before and after.

_BLOCK = 1 << 24
_TICK_NS = 20_000_000
"""Systems note the time of a change as of their last tick; two changes within one look like one."""


@dataclass(frozen=True)
class Stamp:
    """Metadata that changes when a file is written to or replaced.

    Attributes:
        place: its number, and that of its device.
        size: in bytes.
        written: when its content last changed, in nanoseconds.
        touched: when anything about it did, which no program can set back.
    """

    place: tuple[int, int]
    size: int
    written: int
    touched: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """Return the stamp of a file that was looked at."""
        place = found.st_dev, found.st_ino
        return cls(place, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    @property
    def is_fresh(self) -> bool:
        """Whether another change could still leave the same stamp."""
        return 0 <= time.time_ns() - max(self.written, self.touched) < _TICK_NS


@dataclass(frozen=True)
class FileSnapshot:
    """A file as it was at one moment.

    Attributes:
        path: where it is, whatever the working folder will be.
        name: for sentences about it.
        stamp: by which it is known to be the same.
    """

    path: Path
    name: str
    stamp: Stamp

    @classmethod
    def at(cls, path: Path, name: str) -> FileSnapshot:
        """Return the file that is there now.

        Raises:
            OSError, ValueError: there is none, or it may not be read.
        """
        with path.open("rb") as file:
            stamp = Stamp.of(os.fstat(file.fileno()))
            while stamp.is_fresh:
                time.sleep(_TICK_NS / 4e9)
                stamp = Stamp.of(os.fstat(file.fileno()))
        return cls(path.absolute(), name, stamp)

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.stamp.size

    def piece(self, start: int, end: int) -> bytes:
        """Return some of its bytes.

        Raises:
            Refusal: it was changed, or cannot be read any more.
        """
        try:
            with self.path.open("rb", buffering=0) as file:
                self._check(Stamp.of(os.fstat(file.fileno())))
                data = _read(file.fileno(), start, end)
                self._check(Stamp.of(os.fstat(file.fileno())))
        except OSError:
            raise _refuse_gone(self.name) from None
        except MemoryError:
            raise Refusal(
                f"{self.name} is larger than the memory that is free.",
                "Close other programs, or save it as Parquet or with fewer columns.",
                field="table",
            ) from None
        if len(data) < end - start:
            raise changed_file(self.name)
        return data

    def check(self) -> None:
        """Check that it is the same still.

        Raises:
            Refusal: it was changed, or is gone.
        """
        try:
            found = self.path.stat()
        except OSError:
            raise _refuse_gone(self.name) from None
        self._check(Stamp.of(found))

    def _check(self, stamp: Stamp) -> None:
        if stamp != self.stamp:
            raise changed_file(self.name)


def _read(handle: int, start: int, end: int) -> bytes:
    """Return the bytes from–to, fewer if the file has ended; held once."""
    if end - start <= _BLOCK:
        return os.pread(handle, end - start, start)
    os.lseek(handle, start, os.SEEK_SET)
    with open(handle, "rb", closefd=False) as file:
        return file.read(end - start)


def changed_file(name: str) -> Refusal:
    """Return the refusal of a file that was changed while it was read."""
    return Refusal(
        f"{name} was changed while it was being used.",
        "Start again, and leave the file as it is until the end.",
        field="table",
    )


def _refuse_gone(name: str) -> Refusal:
    return Refusal(f"{name} cannot be read any more.", "Put the file back.", field="table")


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
