"""Files that only their owner may read, written atomically, and the refusal of a full disk."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from understudy.core.refusal import Refusal

# Atomic writes of files that only their owner may read, and the refusal where a disk is full.

if TYPE_CHECKING:
    from understudy.core.arrays import AnyArray

_OTHERS: Final = 0o077
"""The mode bits for anybody but the owner."""

INTERNAL: Final = "Computed from confidential records without noise. Not for release."
"""The mark of every internal file, under the key “internal”."""

_FULL = (errno.ENOSPC, errno.EDQUOT)


def is_full(error: BaseException) -> bool:
    """Return whether an error means that a disk, or a quota on it, is full."""
    return isinstance(error, OSError) and error.errno in _FULL


def refuse_full_disk(place: Path | str, go_on: str = "try again") -> Refusal:
    """Return the refusal where a disk is full.

    Args:
        place: a file or folder on it.
        go_on: what to do once there is room, as the rest of a sentence.
    """
    return Refusal(f"The disk that holds {place} is full.", f"Free some space and {go_on}.")


def refuse_disk_error(error: OSError, path: Path | None = None) -> Refusal:
    """Return the refusal for what the operating system said about a file or a folder."""
    place = path or error.filename or "A file"
    if is_full(error):
        return refuse_full_disk(place)
    said = (error.strerror or "it cannot be used").lower()
    return Refusal(
        f"{place} cannot be used: {said}.",
        "Check the name, and that you may read and write there.",
    )


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Provide a new file that replaces `path` when the block ends, or is deleted on an error.

    A reader sees the old file or the new one, after a power failure too. Only its owner may read
    it.

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


def make_private(folder: Path) -> None:
    """Make a folder that only its owner may look into; close an existing one to others.

    Raises:
        OSError: it cannot be made.
        Refusal: others may look into it, and this user cannot close it.
    """
    missing = [each for each in (folder, *folder.parents) if not each.is_dir()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    if not folder.stat().st_mode & _OTHERS:
        return
    if _is_its_own(folder):
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) & ~_OTHERS)
    if folder.stat().st_mode & _OTHERS:
        raise Refusal(
            f"Others on this machine may look into the folder {folder}, where confidential things "
            "are kept, and it holds more than these or is not yours.",
            f"Have its owner close it, with “chmod 700 {folder}”, or name a folder of its own, as "
            "$UNDERSTUDY_HOME for instance.",
            field="out",
        )


def _is_its_own(folder: Path) -> bool:
    """Return whether a folder may be closed: it and all that is in it belong to this user, and it
    is neither shared nor a home, root or temporary folder."""
    about, needed = folder.stat(), (Path("/"), Path.home(), Path(tempfile.gettempdir()))
    shared = about.st_mode & stat.S_ISVTX
    if shared or any(each.exists() and folder.samefile(each) for each in needed):
        return False
    return all(each.st_uid == os.geteuid() for each in (about, *_entries(folder)))


def _entries(folder: Path) -> Iterator[os.stat_result]:
    with os.scandir(folder) as found:
        for each in found:
            with suppress(FileNotFoundError):
                yield each.stat(follow_symlinks=False)


def read_small_file(path: Path, most: int) -> bytes:
    """Return all of a file that somebody named, and that is small if it is what it should be.

    Args:
        path: of the file.
        most: how many bytes it may have.

    Raises:
        OSError: it is too large, no plain file, as a device or a pipe is that may never end, or
            cannot be read.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EINVAL, "Not a plain file", str(path))
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, "Too large to be what it should be", str(path))
    return data


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hex.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def replace_text(path: Path, text: str) -> None:
    """Write a text file atomically, in UTF-8."""
    with atomic_file(path) as file:
        file.write(text.encode())


def write_internal_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write internal values as JSON, atomically and marked as internal.

    Args:
        path: where.
        values: what JSON holds; a dataclass among them stands as an object of its fields.
    """
    marked = {"internal": INTERNAL, **values}
    # On one line: for any other, Python's own encoder is used, which takes four times as long.
    replace_text(path, json.dumps(marked, ensure_ascii=False, default=vars))


def write_internal_arrays(path: Path, arrays: Mapping[str, AnyArray]) -> None:
    """Write internal arrays as an .npz, atomically and marked as internal."""
    # Imported here because every command imports this module, and few write arrays.
    import numpy as np

    marked: dict[str, AnyArray] = {"internal": np.array(INTERNAL), **arrays}
    with atomic_file(path) as file:
        np.savez(file, allow_pickle=False, **marked)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power failure: fsync of the folder.

    Raises:
        OSError: the system cannot.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Precautions of a process that holds confidential records.


def keep_secret() -> None:
    """Turn core dumps off, and make new files and folders readable by their owner only. Child
    processes inherit both."""
    os.umask(0o077)
    forbid_core_dumps()


def forbid_core_dumps() -> None:
    """Turn core dumps off for this process and its children, where the system has them."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
