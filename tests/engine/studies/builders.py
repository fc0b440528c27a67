"""The numbers of tables and figures that a name speaks of. Comparisons that are made up of numbers
alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from understudy.studies.comparison import Comparison, ComparisonEntry

_NAMED = re.compile(r"(Table|Figure)s? ([\d.]+\d|\d)(?: (and|to) ([\d.]+\d|\d))?")


def numbered(names: Iterable[str]) -> set[tuple[str, str]]:
    """Such as (“Figure”, “7.4”), of every name."""
    found = set()
    for name in names:
        for kind, first, how, last in _NAMED.findall(name):
            if how == "to":
                head, _, end = first.rpartition(".")
                dot = "." if head else ""
                stop = int(last.rpartition(".")[2])
                found |= {(kind, f"{head}{dot}{n}") for n in range(int(end), stop + 1)}
            else:
                found |= {(kind, each) for each in (first, last) if each}
    return found


def compared(name: str, ours: Mapping[tuple[str, ...], float]) -> Comparison:
    """A comparison whose numbers of ours these are, by their cells."""
    cells = len(next(iter(ours)))
    entries = tuple(ComparisonEntry(of, None, value) for of, value in ours.items())
    return Comparison(name, "", "", ("",) * cells, entries)
