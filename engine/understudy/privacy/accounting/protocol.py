"""Protocols: what a reader of a release may see, and so which units are composed."""

from __future__ import annotations

from typing import Final, Literal

Protocol = Literal["attempts", "releases", "published"]
"""attempts: every attempt counts, and its rejection may be seen (protocol A).
releases: exactly so many records, attempts hidden, a declared pass floor (protocol B).
published: composition over the released records, rejections ignored; for comparison only."""

READER_SEES: Final[dict[Protocol, str]] = {
    "attempts": "everything a run yields: the records, how many attempts were made, and how "
    "many of them released nothing",
    "releases": "the records, whose number was fixed beforehand; not how many attempts it took, "
    "nor how long",
    "published": "one released record after another, and nothing of the attempts that released "
    "none; a real reader sees more, so that no run is made under this reading",
}
"""For each protocol, what its guarantee lets a reader see."""


def unit_name(protocol: Protocol) -> str:
    """Return what one unit of a run is called: “attempt” or “record”."""
    return "attempt" if protocol == "attempts" else "record"


def units_in_words(count: int, what: str) -> str:
    """Return a number of units with their name."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
