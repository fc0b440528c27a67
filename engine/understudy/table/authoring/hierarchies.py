"""A hierarchy of a column's categories, or their public frequencies, as a table of a file.

The first column holds the codes. Each further one is a level, with the group of every code; one
that is headed weight, share, frequency or count holds numbers that are publicly known instead. Two
columns in which parents are codes themselves are climbed, a level a generation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from understudy.core.refusal import Refusal
from understudy.table.authoring.group_suggestions import (
    GroupSuggestion,
    Where,
    above_of,
    by_weight,
    frequent_alone,
    put_together,
)
from understudy.table.cells import parse_number
from understudy.table.domain import Domain
from understudy.table.formula_safety import unescape_formula
from understudy.table.sources.reading import read_table

MOST_BYTES: Final = 8 << 20
_WEIGHTS: Final = ("weight", "weights", "share", "frequency", "frequencies", "count", "counts")
_PARTS: Final = (5, 10, 20)
_LEAST: Final = (0.02, 0.005)


def groups_of_file(data: bytes, name: str, categories: Domain) -> tuple[GroupSuggestion, ...]:
    """Return what a hierarchy or a list of public frequencies suggests.

    Args:
        data: the file, a table as CSV or Excel have it.
        name: its name, whose ending says what it is.
        categories: of the column. Codes of the file that are none of them are passed over.

    Raises:
        Refusal: it cannot be read, is too large, has one column only, names no category of the
            column, puts a code in two groups of a level, goes round in a circle, or has a weight
            that is no number from 0 on; `field` is "hierarchy".
    """
    try:
        if len(data) > MOST_BYTES:
            raise Refusal(
                f"The hierarchy is over {MOST_BYTES >> 20} MiB.",
                "Choose a list of codes with their groups, not the table.",
            )
        return _suggest_levels(_columns(data, name), categories)
    except Refusal as refusal:
        raise Refusal(refusal.problem, refusal.remedy, field="hierarchy") from None


def _columns(data: bytes, name: str) -> dict[str, list[str]]:
    """Return the texts of the file by heading."""
    raw = read_table(data, name=name, trusted=False)
    found = {}
    for heading in raw.names:
        texts, places = raw.distinct(heading)
        found[heading] = [unescape_formula(texts[place].strip()) for place in places]
    return found


def _suggest_levels(
    columns: Mapping[str, Sequence[str]], categories: Domain
) -> tuple[GroupSuggestion, ...]:
    (_, codes), *others = columns.items()
    if not set(codes) & set(categories.texts):
        raise Refusal(
            "No code of the hierarchy is a category of the column.",
            "Write the codes in its first column as the column of the table has them.",
        )
    found: list[GroupSuggestion | None] = []
    levels = [(name, texts) for name, texts in others if name.strip().casefold() not in _WEIGHTS]
    ways = {heading: _one_each(codes, texts, heading) for heading, texts in levels}
    first = next(iter(ways.values()), {})
    if len(ways) == 1 and set(first.values()) & set(first):
        found += _suggest_generations(first, categories)
    else:
        found += _chain_levels(ways, categories)
    for heading, texts in others:
        if heading.strip().casefold() in _WEIGHTS:
            found += _suggest_by_weight(_numbers(codes, texts, heading), categories)
    return tuple(each for each in found if each is not None)


def _one_each(codes: Sequence[str], texts: Sequence[str], heading: str) -> dict[str, str]:
    """Return the text beside each code, where there is one.

    Raises:
        Refusal: a code has two of them.
    """
    found: dict[str, str] = {}
    for row, (code, text) in enumerate(zip(codes, texts, strict=True), 2):
        if code and text and found.setdefault(code, text) != text:
            raise Refusal(
                f"Row {row} of the hierarchy puts a code in another group of “{heading}” than a "
                "row before it.",
                "Give each code one group of a level.",
            )
    return found


def _suggest_generations(
    parents: Mapping[str, str], categories: Domain
) -> list[GroupSuggestion | None]:
    """Return a suggestion for each generation, the oldest first."""
    lines = {}
    for value in categories.texts:
        line = [value]
        while line[-1] in parents:
            above = parents[line[-1]]
            if above in line:
                raise Refusal(
                    "The hierarchy goes round in a circle: a code is above itself.",
                    "Let every code lead to one that has no parent.",
                )
            line.append(above)
        lines[value] = line[::-1]
    deepest = max(map(len, lines.values()))
    ways = {
        f"level {depth} of the hierarchy": {
            value: line[min(depth, len(line)) - 1] for value, line in lines.items() if len(line) > 1
        }
        for depth in range(1, deepest)
    }
    return _chain_levels(ways, categories)


def _chain_levels(ways: Mapping[str, Where], categories: Domain) -> list[GroupSuggestion | None]:
    """Return a suggestion of each level, with the coarser ones that it is within above it."""
    inside = {
        name: {value: where[value] for value in categories.texts if value in where}
        for name, where in ways.items()
    }
    by_size = sorted(inside.values(), key=lambda each: -len(set(each.values())))
    return [
        put_together(name, categories, where, above_of(where, by_size))
        for name, where in inside.items()
    ]


def _numbers(codes: Sequence[str], texts: Sequence[str], heading: str) -> dict[str, float]:
    found = {}
    for code, text in _one_each(codes, texts, heading).items():
        number = parse_number(text)
        if number is None or number < 0 or not math.isfinite(float(number)):
            raise Refusal(
                f"“{heading}” of the hierarchy holds something that is no number from 0 on.",
                "Write how frequent each code is publicly known to be, as plain numbers.",
            )
        found[code] = float(number)
    return found


def _suggest_by_weight(
    weights: Mapping[str, float], categories: Domain
) -> list[GroupSuggestion | None]:
    return [
        *(by_weight(categories, weights, parts) for parts in _PARTS if parts < categories.size),
        *(frequent_alone(categories, weights, least) for least in _LEAST),
    ]
