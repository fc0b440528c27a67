"""Whether a packet on the shelf is as it was made: its files, its list of hashes, and its name."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from understudy.report import files
from understudy.report.files import Stored, is_plain, list_sums

_DIGITS: Final = 12


def hash_sums(path: Path) -> str:
    """SHA-256, in hex, of a packet's list of hashes, which stands for all of its files.

    Raises:
        OSError: it cannot be read.
    """
    return hashlib.sha256((path / files.SUMS).read_bytes()).hexdigest()


def packet_name(digest: str, *, stained: bool) -> str:
    """Return the name of a packet, made from its list of hashes, so that another packet has another
    name.

    Args:
        digest: see `hash_sums`.
        stained: whether it is a demonstration.
    """
    return f"{files.STAINED if stained else ''}packet-{digest[:_DIGITS]}"


def is_whole(path: Path, issued: str | None) -> bool:
    """Return whether the files in a folder are those of its list of hashes, and that list the one
    that the packet is named by and, once issued, the one that was issued.

    Args:
        path: the packet's folder.
        issued: what `hash_sums` said when it was issued; None for a draft.
    """
    try:
        digest = hash_sums(path)
        if path.name not in (packet_name(digest, stained=False), packet_name(digest, stained=True)):
            return False
        if issued not in (None, digest):
            return False
        found = sorted(path.iterdir())
        if not all(map(is_plain, found)):
            return False
        about = [(each.name, each.stat()) for each in found]
        return _matches(
            path, tuple((name, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for name, at in about)
        )
    except OSError:
        return False


@lru_cache(maxsize=256)
def _matches(path: Path, _signature: tuple[Any, ...]) -> bool:
    """Return whether every file has its hash; looked at again only when a file was touched."""
    there = {each.name: Stored.at(each) for each in path.iterdir() if each.name != files.SUMS}
    return (path / files.SUMS).read_text(encoding="utf-8") == list_sums(there)
