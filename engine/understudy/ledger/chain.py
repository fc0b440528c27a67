"""A hash chain of events: a change of any event is detected.

Each link holds the hash of the one before, and a hash of all it holds. Whoever noted the last hash
elsewhere can also tell whether links were cut off the end, or the chain was written anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from understudy.core.refusal import Refusal

GENESIS = "0" * 64
"""What stands for the hash before the first link."""

FIELDS = ("seq", "at", "kind", "dataset", "run", "body", "previous", "hash")

_TEXTS = ("at", "kind", "body", "previous", "hash")
_RESTORE = (
    "Put the ledger back from a backup. To go on without it, move its folder away and start a new "
    "one, which will not know what was spent before."
)


@dataclass(frozen=True)
class Link:
    """One event as it is kept.

    Attributes:
        seq: its place, from 1.
        at: when it was written, in UTC, as ISO 8601.
        kind: what happened.
        dataset, run: what it is about; None where it is about neither.
        body: the particulars, as canonical JSON.
        previous: the hash of the link before; `GENESIS` for the first.
        hash: SHA-256, in hex, of `previous` and of everything else as canonical JSON.
    """

    seq: int
    at: str
    kind: str
    dataset: str | None
    run: str | None
    body: str
    previous: str
    hash: str

    @property
    def row(self) -> tuple[int | str | None, ...]:
        """The fields in their order."""
        return tuple(getattr(self, name) for name in FIELDS)


@dataclass(frozen=True)
class Checked:
    """A chain found whole.

    Attributes:
        events: how many links it has.
        head: the last hash; worth noting down elsewhere.
    """

    events: int
    head: str


def write_canonical(value: Any) -> str:
    """JSON with one way of writing each value, in ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def next_link(
    last: Link | None,
    at: str,
    kind: str,
    dataset: str | None,
    run: str | None,
    body: Mapping[str, Any],
) -> Link:
    """Return the link that comes after another; after None, the first."""
    seq, previous = (1, GENESIS) if last is None else (last.seq + 1, last.hash)
    unsealed = Link(seq, at, kind, dataset, run, write_canonical(body), previous, hash="")
    return replace(unsealed, hash=_seal(unsealed))


def _seal(link: Link) -> str:
    """Return the hash that a link should have, its body being canonical JSON."""
    rest = {"dataset": link.dataset, "kind": link.kind, "run": link.run, "seq": link.seq}
    # These keys follow "at" and "body" in the order of the alphabet.
    whole = f'{{"at":{write_canonical(link.at)},"body":{link.body},{write_canonical(rest)[1:]}'
    return hashlib.sha256((link.previous + whole).encode()).hexdigest()


def check_chain(links: Sequence[Link], head: str | None = None) -> Checked:
    """Check a chain from its first link to its last.

    Args:
        links: all of it, in order.
        head: a last hash noted earlier, which must be in it still.

    Raises:
        Refusal: a link was changed, exchanged, added or taken out; or `head` is not in it.
    """
    before = GENESIS
    for place, link in enumerate(links, 1):
        if not _sound(link, place, before):
            raise Refusal(
                f"The ledger was changed from outside: event {place:,} is not what was written.",
                _RESTORE,
                field="ledger",
            )
        before = link.hash
    if head is not None and head.strip().lower() not in {GENESIS, *(link.hash for link in links)}:
        raise Refusal(
            "The ledger does not lead on from the hash that was noted: events were cut off its "
            "end, or it was written anew.",
            _RESTORE,
            field="head",
        )
    return Checked(len(links), before)


def _sound(link: Link, place: int, before: str) -> bool:
    if link.seq != place or link.previous != before:
        return False
    if not all(type(getattr(link, name)) is str for name in _TEXTS):
        return False
    if not all(value is None or type(value) is str for value in (link.dataset, link.run)):
        return False
    return link.hash == _seal(link)


def to_lines(links: Sequence[Link]) -> str:
    """Return a chain as JSON lines, one for each link."""
    rows = ({**_name_fields(link), "body": json.loads(link.body)} for link in links)
    return "".join(write_canonical(row) + "\n" for row in rows)


def _name_fields(link: Link) -> dict[str, Any]:
    return dict(zip(FIELDS, link.row, strict=True))


def verify_export(text: str, head: str | None = None) -> Checked:
    """Check an exported chain, without the ledger that it came from.

    Args:
        text: JSON lines.
        head: a last hash noted earlier.

    Raises:
        Refusal: it is not an exported ledger, or as `check_table`.
    """
    return check_chain([_link(line) for line in text.splitlines() if line.strip()], head)


def _link(line: str) -> Link:
    try:
        row = json.loads(line)
        if set(row) != set(FIELDS) or write_canonical(row) != line.strip():
            raise ValueError
        return Link(**{**row, "body": write_canonical(row["body"])})
    except (ValueError, TypeError):
        raise Refusal(
            "This is not an exported ledger, or it was changed since.",
            "Give the file as `understudy ledger export` wrote it.",
            field="file",
        ) from None
