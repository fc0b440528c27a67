"""Mutants that break nothing, each listed with its reason in `harmless.toml`.

An entry names a module, a place in it (a function, or the name of a value), and what of it is
meant: single changes as the run prints them, kinds of changes, or all where neither is named.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.mutation.operators import Mutant

FILE: Final = Path(__file__).with_name("harmless.toml")


@dataclass(frozen=True)
class Entry:
    """One entry of the list.

    Attributes:
        module: the module's path.
        place: the function, or what is given a value.
        why: the reason why nothing breaks.
        changes: which changes; empty for all of these kinds.
        kinds: which kinds of changes; empty for all.
    """

    module: str
    place: str
    why: str
    changes: frozenset[str]
    kinds: frozenset[str]

    def means(self, mutant: Mutant) -> bool:
        """Return whether a mutant is listed here."""
        return (
            (mutant.path, mutant.place) == (self.module, self.place)
            and (not self.changes or mutant.text in self.changes)
            and (not self.kinds or mutant.operator in self.kinds)
        )


@dataclass(frozen=True)
class Listed:
    """The whole list."""

    entries: tuple[Entry, ...]

    def reason(self, mutant: Mutant) -> str:
        """Return why a mutant breaks nothing; nothing where it is not listed."""
        return next((each.why for each in self.entries if each.means(mutant)), "")


@cache
def listed(file: Path = FILE) -> Listed:
    """Read the list."""
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    found = []
    for module, entries in rows.items():
        for row in entries:
            of = frozenset(row.get("changes", ())), frozenset(row.get("kinds", ()))
            found.extend(Entry(module, place, row["why"], *of) for place in row["places"])
    return Listed(tuple(found))
