"""A maximum spanning forest of the ties between columns, and an order of the columns along it.

Where every column comes after one that it is tied to most, one parent keeps each of these ties. In
an order by size alone a long list can come after two that it depends on, neither of which knows of
the other, and a table of all three would be far too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar


class Tie(Protocol):
    """What two columns tell of one another."""

    @property
    def ends(self) -> tuple[int, int]:
        """The two columns, by index."""

    @property
    def told(self) -> float:
        """How much each tells of the other, in any unit of information."""


T = TypeVar("T", bound=Tie)


def spanning(ties: Iterable[T], columns: int, least: float) -> list[T]:
    """Return the ties of a maximum spanning forest, each of more than `least` (Kruskal 1956)."""
    tree = list(range(columns))
    chosen = []
    for tie in sorted(ties, key=lambda each: -each.told):
        one, other = (tree[end] for end in tie.ends)
        if one != other and tie.told > least:
            chosen.append(tie)
            tree = [one if each == other else each for each in tree]
    return chosen


def coarsest_first(ties: Sequence[Tie], sizes: Sequence[int]) -> list[int]:
    """Return the columns, each but the first of its tree after one that it is tied to; of those
    that may come next the coarsest, and of equals the first.

    Args:
        ties: such that none closes a circle.
        sizes: of each column, how many values it has.
    """
    beside: list[list[int]] = [[] for _ in sizes]
    for tie in ties:
        one, other = tie.ends
        beside[one].append(other)
        beside[other].append(one)
    coarse = sorted(range(len(sizes)), key=lambda place: sizes[place])
    roots = {min(_reached(beside, place), key=coarse.index) for place in coarse}
    order: list[int] = []
    while len(order) < len(sizes):
        ready = (
            place
            for place in coarse
            if place not in order
            and (place in roots or any(each in order for each in beside[place]))
        )
        order.append(next(ready))
    return order


def _reached(beside: Sequence[Sequence[int]], start: int) -> set[int]:
    """Return all columns of a tree."""
    found, waiting = {start}, [start]
    while waiting:
        further = [each for each in beside[waiting.pop()] if each not in found]
        found.update(further)
        waiting += further
    return found
