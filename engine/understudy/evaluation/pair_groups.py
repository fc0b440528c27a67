"""Many pairs in few lines: each once, at a column that has many of them."""

from __future__ import annotations

from collections.abc import Iterable

Pair = tuple[int, int]


def grouped_pairs(pairs: Iterable[Pair]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Put every pair at one of its two columns, with the others that stand there: the column of
    most pairs first, then that of most of the rest."""
    of: dict[int, set[int]] = {}
    for one, other in pairs:
        of.setdefault(one, set()).add(other)
        of.setdefault(other, set()).add(one)
    said = []
    while any(of.values()):
        most = max(sorted(of), key=lambda each: len(of[each]))
        others = of.pop(most)
        said.append((most, tuple(sorted(others))))
        for other in others:
            of[other].discard(most)
    return tuple(said)
