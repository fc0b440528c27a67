"""Many small files of one kind in a folder or a ZIP archive: tracks, pictures.

They come in the order of their names, and what else lies there stays closed. Sizes are compared
before anything is opened, so that none unpacks to more than was declared. Nothing is written
anywhere, so that a name within an archive leads nowhere.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from understudy.core.refusal import Refusal
from understudy.table.sources.source import GIB, Source, check_unpacked

MOST_FILES: Final = 200_000
MOST_BYTES: Final = 4 * GIB
"""The most files of an archive or a folder, and the most bytes of all in a folder."""


@dataclass(frozen=True)
class Folder:
    """A folder of such files.

    Attributes:
        path: where it is.
        size: how many bytes those files have together.
    """

    path: Path
    size: int

    @property
    def name(self) -> str:
        """What it is called."""
        return self.path.name or "The folder"


@dataclass(frozen=True)
class ManyFiles:
    """Files of a kind.

    Attributes:
        wanted: whether a name is that of one.
        most_bytes: of one of them.
        called: what they are to a reader: “pictures”.
        fewer: what to do where there are too many, as a sentence.
    """

    wanted: Callable[[str], bool]
    most_bytes: int
    called: str
    fewer: str

    def folder(self, path: Path) -> Folder:
        """Return a folder, and how much is in it and in those within it.

        Raises:
            Refusal: it holds more files than are read, or more bytes.
        """
        sizes = [each.stat().st_size for each in self._below(path)]
        found = Folder(path, sum(sizes))
        if len(sizes) > MOST_FILES or found.size > MOST_BYTES:
            raise self._too_many(found.name)
        return found

    def within(self, folder: Folder) -> Iterator[tuple[str, bytes]]:
        """Yield the path within a folder, and the bytes, of each file.

        Raises:
            Refusal: one is larger than is read.
        """
        for each in self._below(folder.path):
            if each.stat().st_size > self.most_bytes:
                raise self._too_many(folder.name)
            yield each.relative_to(folder.path).as_posix(), each.read_bytes()

    def unpack(self, source: Source) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the bytes of each file in an archive.

        Raises:
            Refusal: it is damaged, or holds more files, or larger ones, than are read.
        """
        with self._archive(source) as archive:
            found = sorted(
                (each for each in archive.infolist() if self.wanted(each.filename)),
                key=lambda each: each.filename,
            )
            check_unpacked(source, sum(each.file_size for each in found))
            large = any(each.file_size > self.most_bytes for each in found)
            if len(found) > MOST_FILES or large:
                raise self._too_many(source.name)
            for each in found:
                with archive.open(each) as file:
                    yield each.filename, file.read(each.file_size)

    def names(self, source: Source) -> tuple[str, ...]:
        """Return the names of all files in an archive, of other kinds too.

        Raises:
            Refusal: it is damaged.
        """
        with self._archive(source) as archive:
            return tuple(each.filename for each in archive.infolist() if not each.is_dir())

    @contextmanager
    def _archive(self, source: Source) -> Iterator[zipfile.ZipFile]:
        """Open an archive; whatever is wrong with it while it is read is a refusal."""
        try:
            with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
                yield archive
        except (
            zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError
        ):  # fmt: skip
            raise Refusal(
                f"{source.name} is not a ZIP archive, or one that is damaged, cut short, protected "
                "by a password or packed in a way that cannot be read.",
                f"Pack the {self.called} anew, without a password.",
                field="table",
            ) from None

    def _below(self, path: Path) -> list[Path]:
        """Return the files below a folder, none of them a link, in the order of their paths."""
        below = (Path(top, name) for top, _, names in os.walk(path) for name in names)
        return sorted(each for each in below if self.wanted(each.name) and not each.is_symlink())

    def _too_many(self, name: str) -> Refusal:
        return Refusal(
            f"{name} holds more {self.called}, or larger ones, than are read at once.",
            self.fewer,
            field="table",
        )
