"""Mutants that break nothing, and what came of each mutant.

Those that break nothing are listed in `harmless.toml` with their reasons. An entry names a module,
a place in it (a function, or the name of a value), and what of it is meant: single changes as the
run prints them, kinds of changes, or all where neither is named. What came of a mutant is kept, so
that a run goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal

from tests.mutation.applying import ROOT
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


FOLDER: Final = ROOT / "build" / "mutants"
_NAME: Final = "results.jsonl"
Verdict = Literal["caught", "survived", "unreached", "broken"]
"""A mutant survived all checks that reach it, or all that there was time for; is reached by none;
or could not be put into place."""


@dataclass
class Result:
    """What came of a mutant.

    Attributes:
        key: which.
        verdict: what.
        by: the check that noticed, or why it could not be put into place.
        ran: the checks that did not notice.
        all: whether these are all that reach it.
    """

    key: str
    verdict: Verdict
    by: str = ""
    ran: list[str] = field(default_factory=list)
    all: bool = True


def read(folder: Path) -> dict[str, Result]:
    """Return the latest result of each mutant."""
    file = folder / _NAME
    if not file.exists():
        return {}
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = (json.loads(line) for line in lines if line.endswith("}"))
    return {row["key"]: Result(**row) for row in rows}


def keep(results: Iterable[Result], folder: Path) -> None:
    """Add results to the file."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _NAME).open("a", encoding="utf-8") as lines:
        for each in results:
            lines.write(json.dumps(asdict(each), ensure_ascii=False) + "\n")


def kind(check: str) -> str:
    """Return what kind of check a test is: runs held against their guarantee, another part of the
    audit, or a test of another kind."""
    if "/test_real_runs.py" in check:
        return "real runs"
    return "audit" if "/audit/" in check else "tests"


_PACKAGE: Final = "engine/understudy/"
"""Where the engine lies; a mutant's turn does not follow from it."""


def draw(mutants: Iterable[Mutant], size: int, seed: int) -> list[Mutant]:
    """Return so many mutants of each module, each equally likely.

    A mutant's turn follows from the seed and its name alone: a larger draw holds a smaller one, and
    a change to the source moves no other mutant.
    """

    def turn(mutant: Mutant) -> str:
        name = mutant.key.removeprefix(_PACKAGE)
        return hashlib.sha256(f"{seed} engine/{name}".encode()).hexdigest()

    drawn: Counter[str] = Counter()
    chosen = []
    for each in sorted(mutants, key=turn):
        if drawn[each.path] < size:
            drawn[each.path] += 1
            chosen.append(each)
    return chosen
