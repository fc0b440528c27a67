"""Groups of categories in a codebook that is a table, and the levels above them.

Groups stand under groups, each code with its group, and the group for all other codes under rest;
the groups of these under groups 2 and rest 2, each group with the one above it, and so on. Where
each value has a row, its group stands under group, and the group of that under group 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from understudy.table.authoring.codebook_rows import Row, first_said, pairs, quoted
from understudy.table.buckets import ByGroups, Group
from understudy.table.column import Column
from understudy.table.levels import MOST_LEVELS

NUMBERS: Final = ("", *(f" {number}" for number in range(2, MOST_LEVELS + 2)))
"""What stands after “groups”, “group” and “rest” of each level, the finest first."""


def groups_headings(depth: int) -> list[str]:
    """Return the headings of so many levels of groups."""
    return [f"{what}{number}" for number in NUMBERS[:depth] for what in ("groups", "rest")]


def levels_of(column: Column) -> tuple[ByGroups, ...]:
    """Return the groups of a column and what is above them; none where its buckets are no
    groups."""
    return (column.buckets, *column.levels) if isinstance(column.buckets, ByGroups) else ()


def groups_cells(levels: Sequence[ByGroups], depth: int) -> list[str]:
    """Return what stands under those headings: each code or group with its group, and the name of
    the group for all others."""
    cells: list[str] = []
    for level in levels:
        within = (
            f"{quoted(value)}={quoted(group.label)}"
            for group in level.groups
            for value in group.values
        )
        cells += ["; ".join(within), "" if level.rest is None else quoted(level.rest)]
    return cells + [""] * (2 * depth - len(cells))


def groups_in(rows: Sequence[Row]) -> tuple[ByGroups, ...]:
    """Return the groups of a column and what is above them, each in the order in which they are
    named.

    Raises:
        Refusal: a code or a group is named without the group above it, or is in two of them; with
            the row.
    """
    found: list[ByGroups] = []
    for place, number in enumerate(NUMBERS):
        above = list(_within(rows, place))
        if not above:
            continue
        if len(found) < place:
            raise above[0][0].refusal(
                f"there are groups under “groups{number}” and none of the level below.",
                f"Name these under “groups{NUMBERS[place - 1]}”.",
            )
        # Two groups of one code are for the column to refuse, which knows its place.
        named = _one_each(above, number) if place else [each[1:] for each in above]
        found.append(_level(named, rows, number))
    return tuple(found)


def _one_each(above: Sequence[tuple[Row, str, str]], number: str) -> list[tuple[str, str]]:
    """Return each group once, with the one above it.

    Raises:
        Refusal: it is in two of them.
    """
    found: dict[str, str] = {}
    for row, below, label in above:
        if found.setdefault(below, label) != label:
            raise row.refusal(
                f"a group is in another group of “group{number}” than in a row before it.",
                "Give each group one group of the level above.",
            )
    return list(found.items())


def _within(rows: Sequence[Row], place: int) -> Iterator[tuple[Row, str, str]]:
    """Yield the row, the code or group, and the group above it, of all that are named of a
    level."""
    number = NUMBERS[place]
    below = f"group{NUMBERS[place - 1]}" if place else "value"
    for row in rows:
        if place and row[f"group{number}"] and not row[below]:
            raise row.refusal(
                f"a group stands under “group{number}” and none of the level below.",
                f"Name the one that it is above under “{below}”.",
            )
        if row[below] and row[f"group{number}"]:
            yield row, row[below], row[f"group{number}"]
        for code, label in pairs(row, row[f"groups{number}"]):
            if not label:
                raise row.refusal(
                    f"a code is named under “groups{number}” without its group.",
                    "Write it as 1=men.",
                )
            yield row, code, label


def _level(above: Sequence[tuple[str, str]], rows: Sequence[Row], number: str) -> ByGroups:
    members: dict[str, list[str]] = {}
    for below, label in above:
        members.setdefault(label, []).append(below)
    rest = first_said(rows, f"rest{number}")
    named = [] if rest is None else pairs(*rest)
    groups = tuple(Group(label=label, values=tuple(each)) for label, each in members.items())
    return ByGroups(groups=groups, rest=named[0][0] if named else None)
