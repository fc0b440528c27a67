"""A packet as it was handed over: a folder or a zip file, which is not trusted.

Nothing is unpacked to disk, no link is followed, and no file is read that is larger than such a
file can be, whatever a zip says about itself.

The same files make the same archive, up to their compression. A zip file has room beside its
files: before, between and after them, in comments, extra fields, dates and folder entries. Nothing
may stand there. Bytes are deflated differently by different programs, so that alone is not
compared; each stream has to end where the file says.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, Final, Literal

from understudy.core.refusal import Refusal
from understudy.report.files import Stored, is_file_of_a_packet, is_plain, most_bytes

EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""When every file of a packet was made, as far as anybody is told."""

_LEVEL: Final = 6
_UNIX: Final = 3
_PLAIN: Final = 0o100644 << 16
_BLOCK: Final = 1 << 20
_DEFLATED: Final = -15
_MOST: Final = (1 << 32) - 1
"""Where a zip file needs further fields for its sizes."""

_HEADER: Final = 30
"""Bytes of an entry's header before its name."""

_END: Final = struct.Struct("<4s4H2LH")


def write_archive(top: str, paths: Iterable[Path], sink: BinaryIO) -> None:
    """Write files as one zip file: the same files, the same bytes.

    Args:
        top: the folder that they are in inside.
        paths: the files; they are put in the order of their names.
        sink: what takes the bytes.

    Raises:
        OSError: a file cannot be read.
    """
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for path in sorted(paths, key=lambda each: each.name):
            entry = _entry(f"{top}/{path.name}")
            entry.file_size = path.stat().st_size
            with path.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, _BLOCK)


def is_as_written(file: BinaryIO, archive: zipfile.ZipFile) -> bool:
    """Return whether a zip file holds its entries and nothing else, as `write_archive` would have
    laid them out.

    Args:
        file: all of it; it is read from its beginning.
        archive: the same, opened; its entries are taken for plain deflated files.

    Raises:
        OSError: it cannot be read.
    """
    file.seek(0, 2)
    if file.tell() > _MOST:
        return False
    place, directory = 0, b""
    for found in sorted(archive.infolist(), key=lambda each: each.filename):
        # A name that begins with a null character is read as none.
        if not found.filename or found.is_dir():
            return False
        ours = _entry(found.filename)
        ours.CRC, ours.compress_size, ours.file_size = (
            found.CRC,
            found.compress_size,
            found.file_size,
        )
        header = ours.FileHeader()
        file.seek(place)
        if file.read(len(header)) != header:
            return False
        if not _is_stream(file, found.compress_size, found.file_size):
            return False
        directory += _directory_entry(ours, place)
        place += len(header) + found.compress_size
    many = len(archive.infolist())
    end = _END.pack(b"PK\5\6", 0, 0, many, many, len(directory), place, 0)
    file.seek(place)
    return file.read() == directory + end


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = _UNIX
    entry.external_attr = _PLAIN
    return entry


def _directory_entry(entry: zipfile.ZipInfo, place: int) -> bytes:
    """Return the entry in the directory at the end: its header again, and where it stands."""
    header = entry.FileHeader()
    name = header[_HEADER:]
    made_by = bytes((entry.create_version, entry.create_system))
    rest = struct.pack("<3H2L", 0, 0, 0, entry.external_attr, place)
    return b"PK\1\2" + made_by + header[4:_HEADER] + rest + name


def _is_stream(file: BinaryIO, packed: int, unpacked: int) -> bool:
    """Return whether what follows is one deflated stream of these sizes; none of it is kept."""
    stream = zlib.decompressobj(_DEFLATED)
    block = b""
    while not stream.eof:
        if not block:
            block = file.read(min(packed, _BLOCK))
            packed -= len(block)
        try:
            some = stream.decompress(block, _BLOCK)
        except zlib.error:
            return False
        if not some and not block:
            return False
        unpacked -= len(some)
        if unpacked < 0:
            return False
        block = stream.unconsumed_tail
    return packed == unpacked == 0 and not stream.unused_data


_AGAIN: Final = "Get the packet again from whoever made it."
_MOST_ENTRIES: Final = 512
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Other ways of packing may ask for gigabytes before the first byte is there."""

_ELSEWHERE: Final = frozenset({"", ".", ".."})


class Bundle(ABC):
    """The files of a packet by name.

    Attributes:
        names: every file that is there and can belong to a packet.
        strangers: how many others are there: files of other names, folders, links.
        wrapping: what they are in.
    """

    names: frozenset[str]
    strangers: int
    wrapping: Literal["folder", "zip file", "other zip file"]

    @abstractmethod
    def open(self, name: str) -> IO[bytes]:
        """Return one of `names`.

        Raises:
            OSError, zipfile.BadZipFile: it cannot be read.
        """

    def read(self, name: str) -> bytes:
        """Return a whole file.

        Raises:
            Refusal: it is missing, too large, or cannot be read.
        """
        return b"".join(self._blocks(name))

    def describe_file(self, name: str) -> Stored:
        """Return the size and hash of a file.

        Raises:
            Refusal: as `read`.
        """
        size, found = 0, hashlib.sha256()
        for block in self._blocks(name):
            size += len(block)
            found.update(block)
        return Stored(size, found.hexdigest())

    def _blocks(self, name: str) -> Iterator[bytes]:
        if name not in self.names:
            raise Refusal(f"{name} is missing.", _AGAIN)
        most, so_far = most_bytes(name), 0
        try:
            with self.open(name) as file:
                while block := file.read(_BLOCK):
                    so_far += len(block)
                    if so_far > most:
                        raise Refusal(f"{name} is too large to be what it says.", _AGAIN)
                    yield block
        except Refusal:
            raise
        except (
            OSError,
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ):
            raise Refusal(f"{name} cannot be read.", _AGAIN) from None


class FolderBundle(Bundle):
    """A packet in a folder."""

    def __init__(self, path: Path) -> None:
        found = [each.name for each in path.iterdir() if is_plain(each)]
        self._path = path
        self.wrapping = "folder"
        self.names = frozenset(filter(is_file_of_a_packet, found))
        self.strangers = sum(1 for _ in path.iterdir()) - len(self.names)

    def open(self, name: str) -> IO[bytes]:
        return (self._path / name).open("rb")


class ZipBundle(Bundle):
    """A packet in a zip file, its files in one folder or in none.

    Its wrapping is another zip file where there is anything in it beside its files.
    """

    def __init__(self, archive: zipfile.ZipFile, file: BinaryIO) -> None:
        entries = archive.infolist()
        if len(entries) > _MOST_ENTRIES:
            raise Refusal("The zip file holds far more files than a packet has.", _AGAIN)
        tops = {each.filename.split("/")[0] for each in entries if "/" in each.filename}
        top = f"{tops.pop()}/" if len(tops) == 1 and not tops & _ELSEWHERE else ""
        self._archive = archive
        self._entries: Mapping[str, zipfile.ZipInfo] = {
            each.filename.removeprefix(top): each for each in entries if _is_file(each, top)
        }
        self.names = frozenset(self._entries)
        folders = sum(each.filename == top for each in entries)
        self.strangers = len(entries) - folders - len(self.names)
        alone = not self.strangers and is_as_written(file, archive)
        self.wrapping = "zip file" if alone else "other zip file"

    def open(self, name: str) -> IO[bytes]:
        return self._archive.open(self._entries[name])


@contextmanager
def open_bundle(path: Path) -> Iterator[Bundle]:
    """Provide a packet's folder or zip file.

    Raises:
        Refusal: it is neither, or cannot be read.
    """
    try:
        if path.is_dir():
            yield FolderBundle(path)
            return
        if path.exists() and not path.is_file():
            raise OSError
        with path.open("rb") as file, zipfile.ZipFile(path) as archive:
            yield ZipBundle(archive, file)
    except FileNotFoundError:
        raise Refusal(
            f"There is no packet {path}.", "Name the folder of a packet, or its zip file."
        ) from None
    except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, ValueError) as error:
        if isinstance(error, Refusal):
            raise
        raise Refusal(
            f"{path} is neither the folder of a packet nor a zip file.",
            "Name the folder of a packet, or its zip file.",
        ) from None


def _is_file(entry: zipfile.ZipInfo, top: str) -> bool:
    """Return whether an entry is a plain file of a packet, in the one folder that there may be."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    name = entry.filename.removeprefix(top)
    return (
        entry.filename == f"{top}{name}"
        and is_file_of_a_packet(name)
        and kind in (0, stat.S_IFREG)
        and entry.compress_type in _PACKED
        and not entry.flag_bits & 0x1
        and entry.file_size <= most_bytes(name)
    )
