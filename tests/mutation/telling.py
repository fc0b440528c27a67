"""Tell what came of the mutants, by method and module, and put a sample's table on a page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.mutation.operators import Mutant
from tests.mutation.results import Result, kind, listed
from tests.mutation.scope import MUTATED, SHARED

_COLUMNS: Final = (
    "mutants",
    "real runs",
    "audit",
    "tests",
    "listed",
    "survived",
    "unreached",
    "broken",
    "open",
)
_TITLE: Final = "| Mutants: "


def tell(mutants: Iterable[Mutant], known: dict[str, Result]) -> int:
    """Print the counts, and every mutant that survives and is not listed.

    Returns:
        1 where there is one, or one that has not been tried; else 0.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    survivors = []
    for each in mutants:
        what = _what(each, known.get(each.key))
        for row in (f"  {each.path}", MUTATED[each.path], "together"):
            counts[row][what] += 1
            counts[row]["mutants"] += 1
        if what in ("survived", "unreached", "broken"):
            survivors.append(
                f"{what}: {each.path}:{each.line} {each.place}: [{each.operator}] {each.text}"
            )
    for each in survivors:
        print(each)
    width = max(map(len, counts), default=0)
    print(f"{'':{width}}" + "".join(f"{name:>11}" for name in _COLUMNS))
    for row in sorted(counts, key=_order):
        print(f"{row:{width}}" + "".join(f"{counts[row][name]:>11,}" for name in _COLUMNS))
    whole = counts["together"]
    settled = sum(whole[each] for each in ("real runs", "audit", "tests", "listed"))
    return int(whole["mutants"] > settled)


def _order(row: str) -> tuple[str, bool, str]:
    path = row.strip()
    if row == "together":
        return ("~", False, "")
    return (MUTATED.get(path, path), path in MUTATED, path)


def _what(mutant: Mutant, known: Result | None) -> str:
    if known is not None and known.verdict == "caught":
        return kind(known.by)
    if listed().reason(mutant):
        return "listed"
    return known.verdict if known is not None else "open"


def tabulate(
    mutants: Iterable[Mutant], drawn: Iterable[Mutant], known: dict[str, Result], sample: str
) -> str:
    """Return the table of a sample by method, for a page.

    Args:
        mutants: all that were drawn from.
        drawn: the sample.
        known: what came of each.
        sample: which it is, in words.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)

    def count(mutant: Mutant, *columns: str) -> None:
        for row in (MUTATED[mutant.path], "together"):
            counts[row].update(columns)

    for each in mutants:
        count(each, "all", *["harmless"] * bool(listed().reason(each)))
    for each in drawn:
        what = _what(each, known.get(each.key))
        tried = [] if what in ("listed", "open") else ["tried"]
        kept = "survived" if what in ("unreached", "broken") else what
        count(each, "drawn", *tried, kept)
    columns = {
        "generated": "all",
        "listed as harmless": "harmless",
        "drawn": "drawn",
        "of these listed": "listed",
        "tried": "tried",
        "caught by real runs": "real runs",
        "by the rest of the audit": "audit",
        "by tests": "tests",
        "survived": "survived",
        "not tried yet": "open",
    }
    lines = [f"{_TITLE}{sample} | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    for row in sorted(counts, key=lambda row: (row == "together", row != SHARED, row)):
        name = "shared by all methods" if row == SHARED else row
        cells = (f"{counts[row][each]:,}" for each in columns.values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write(table: str, page: Path) -> None:
    """Put a table in the place of the earlier one of a page.

    Raises:
        ValueError: there is none.
    """
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    begin = next((at for at, line in enumerate(lines) if line.startswith(_TITLE)), None)
    if begin is None:
        raise ValueError(f"{page} has no table that begins with “{_TITLE.strip()}”.")
    end = begin
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    page.write_text("".join([*lines[:begin], table, *lines[end:]]), encoding="utf-8")
