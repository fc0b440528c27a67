"""A packet as it was handed over: a folder or a zip file from an untrusted source.

Nothing is unpacked to disk, no link is followed, and no file is read that is larger than such a
file can be, whatever a zip says about itself.
"""

from __future__ import annotations

import hashlib
import stat
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, Final, Literal

from understudy.core.refusal import Refusal
from understudy.report.archive import is_as_written
from understudy.report.files import Stored, is_file_of_a_packet, is_plain, most_bytes

_AGAIN: Final = "Get the packet again from whoever made it."
_MOST_ENTRIES: Final = 512
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Other ways of packing may ask for gigabytes before the first byte is there."""

_ELSEWHERE: Final = frozenset({"", ".", ".."})
_BLOCK: Final = 1 << 20


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

    def stored(self, name: str) -> Stored:
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


class Folder(Bundle):
    """A packet in a folder."""

    def __init__(self, path: Path) -> None:
        found = [each.name for each in path.iterdir() if is_plain(each)]
        self._path = path
        self.wrapping = "folder"
        self.names = frozenset(filter(is_file_of_a_packet, found))
        self.strangers = sum(1 for _ in path.iterdir()) - len(self.names)

    def open(self, name: str) -> IO[bytes]:
        """See `Bundle`."""
        return (self._path / name).open("rb")


class Zip(Bundle):
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
        """See `Bundle`."""
        return self._archive.open(self._entries[name])


@contextmanager
def open_bundle(path: Path) -> Iterator[Bundle]:
    """Provide a packet's folder or zip file.

    Raises:
        Refusal: it is neither, or cannot be read.
    """
    try:
        if path.is_dir():
            yield Folder(path)
            return
        if path.exists() and not path.is_file():
            raise OSError
        with path.open("rb") as file, zipfile.ZipFile(path) as archive:
            yield Zip(archive, file)
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
