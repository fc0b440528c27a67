"""Comparisons that are made up of numbers alone."""

from __future__ import annotations

from collections.abc import Mapping

from understudy.studies.comparison import Comparison, Entry


def compared(name: str, ours: Mapping[tuple[str, ...], float]) -> Comparison:
    """A comparison whose numbers of ours these are, by their cells."""
    cells = len(next(iter(ours)))
    entries = tuple(Entry(of, None, value) for of, value in ours.items())
    return Comparison(name, "", "", ("",) * cells, entries)
