"""Files that are there whole or not at all, and that nobody else on this machine may read."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

INTERNAL: Final = "Computed from confidential records without noise. Not for release."
"""Stands in every internal file, under “internal”."""


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to be written, which takes the place of `path` at the end, or is gone on an error.

    A reader sees the old file or the new one, after a power cut too. Only its owner may read it.

    Raises:
        OSError: it cannot be written.
    """
    # mkstemp makes files that only their owner may read.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)  # noqa: PTH105 (atomic by contract, which is what matters here)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def replace_text(path: Path, text: str) -> None:
    """Write a text file whole, in UTF-8."""
    with whole(path) as file:
        file.write(text.encode())


def internal_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write internal values as JSON, whole and marked."""
    marked = {"internal": INTERNAL, **values}
    replace_text(path, json.dumps(marked, indent=1, ensure_ascii=False))


def internal_arrays(path: Path, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
    """Write internal arrays as an .npz, whole and marked."""
    marked: dict[str, npt.NDArray[np.generic]] = {"internal": np.array(INTERNAL), **arrays}
    with whole(path) as file:
        np.savez(file, allow_pickle=False, **marked)


def names_to_disk(folder: Path) -> None:
    """Have the names in a folder survive a power failure.

    Raises:
        OSError: they might not.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
