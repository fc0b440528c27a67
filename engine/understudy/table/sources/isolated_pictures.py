"""Reading pictures in a limited process, so that a malicious one crashes nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from understudy.core.refusal import Refusal
from understudy.core.sandbox import Ended, run_in_sandbox
from understudy.table.pictures.grey import GreySet
from understudy.table.pictures.picture_schema import Pictures
from understudy.table.sources.many_files import Folder
from understudy.table.sources.pictures.pictures_file import FILES, read_pictures
from understudy.table.sources.source import (
    GIB,
    Source,
    most_held,
    open_source,
    reading_bounds,
    too_large_table,
)

_COUNT = 8


def isolated_pictures(
    given: Path | bytes, about: Pictures, limit: int = GIB, *, name: str | None = None
) -> GreySet:
    """`pictures_file.read_pictures` of a file, a folder or an upload, in a process of its own.

    Args:
        given: a path, or the bytes of an upload.
        about: what is declared of the pictures.
        limit: the most bytes of a file.
        name: what an upload is called; its ending says what it is.

    Raises:
        Refusal: as there, or the pictures end what reads them, or take too much memory or time.
    """
    asked = _open_given(given, name, limit)
    source = asked if isinstance(asked, Source) else Source(asked.path.name, asked.size)
    bounds = reading_bounds(source.size)
    try:
        return run_in_sandbox(
            __name__, (asked, about), bounds, lambda pipe: _receive_set(pipe, source, about)
        )
    except Ended as ended:
        if ended.why == "memory":
            raise too_large_table(source) from None
        raise Refusal(
            f"The pictures of {source.name} could not be read: one is damaged, or they take too "
            "long.",
            "Save them again with the program that made them.",
            field="table",
        ) from None


def work(asked: tuple[Source | Folder, Pictures]) -> Callable[[BinaryIO], None]:
    """Read pictures; what is sent is their number, their levels and their labels."""
    found = read_pictures(*asked)

    def write(pipe: BinaryIO) -> None:
        pipe.write(len(found.grey).to_bytes(_COUNT, "big"))
        pipe.write(found.grey.tobytes())
        pipe.write(found.labels.tobytes())

    return write


def _open_given(given: Path | bytes, name: str | None, limit: int) -> Source | Folder:
    if isinstance(given, Path) and given.is_dir():
        return FILES.folder(given)
    return open_source(given, name, limit)


def _receive_set(pipe: BinaryIO, source: Source, about: Pictures) -> GreySet:
    count = int.from_bytes(pipe.read(_COUNT), "big")
    each = about.height * about.width
    if count * each > most_held(source.size):
        raise too_large_table(source)
    grey = np.frombuffer(_exactly(pipe, count * each), dtype=np.uint8)
    labels = np.frombuffer(_exactly(pipe, count), dtype=np.uint8)
    return GreySet(about, grey.reshape(count, about.height, about.width), labels)


def _exactly(pipe: BinaryIO, size: int) -> bytes:
    found = pipe.read(size)
    if len(found) != size:
        raise ValueError("it ends too soon")
    return found
