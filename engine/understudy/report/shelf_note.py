"""What is kept of a packet on the shelf, beside it: which run, when, whether it was issued.

<place>/.shelf/<packet>.json; not for publishing, as the hour of its making would tell how long the
run can have taken at most.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from glob import escape
from pathlib import Path
from typing import Final

from understudy.core.files import make_private, replace_text

SHELF: Final = ".shelf"
"""The folder beside packets for what is kept of them; hidden, and never published."""


@dataclass(frozen=True)
class Issue:
    """The note that a packet was handed to the board.

    Attributes:
        at: when, in UTC, as ISO 8601.
        by: who issued it, as typed.
        sums: SHA-256 of its SHA256SUMS at that moment.
    """

    at: str
    by: str
    sums: str


@dataclass(frozen=True)
class Shelved:
    """What is kept beside a packet. Not for publishing.

    Attributes:
        run: the name of the run it was made from; "" where that is not known.
        made: when, in UTC, as ISO 8601.
        issued: that it was handed over; None for a draft.
    """

    run: str = ""
    made: str = ""
    issued: Issue | None = None


def place_beside(path: Path, suffix: str = ".json") -> Path:
    """Return the file in which something is kept of the packet in a folder."""
    return path.parent / SHELF / f"{path.name}{suffix}"


def keep_note(path: Path, shelved: Shelved) -> None:
    """Write the note of the packet in a folder.

    Raises:
        OSError: it cannot be written.
    """
    record = place_beside(path)
    make_private(record.parent)
    replace_text(record, json.dumps(asdict(shelved)))


def read_note(path: Path) -> Shelved:
    """Return the note of the packet in a folder; an empty one where the folder was copied without
    it."""
    with suppress(OSError, ValueError, TypeError):
        said = json.loads(place_beside(path).read_text(encoding="utf-8"))
        issued = said.pop("issued")
        return Shelved(**said, issued=None if issued is None else Issue(**issued))
    return Shelved()


def forget_note(path: Path) -> None:
    """Delete the note of the packet in a folder.

    Raises:
        OSError: it cannot be taken away.
    """
    for each in (path.parent / SHELF).glob(f"{escape(path.name)}.*"):
        each.unlink(missing_ok=True)
