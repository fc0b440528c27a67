"""Tell what came of the mutants, by method and module."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

from tests.mutation.listed import listed
from tests.mutation.operators import Mutant
from tests.mutation.results import Result, kind
from tests.mutation.scope import MUTATED

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
