"""Tables side by side: each as far from the held-out records as it is, at equal numbers.

Total variation of a sample grows as the sample shrinks, so every table is cut to the same
number of records, and *other real records* of that number show the best there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.evaluation.distances import Distances, distances
from engine.privacy.randomness import RandomSource
from engine.table.records import Records

FEWEST = 50
"""A table with fewer records than this says more about its size than about its method."""


@dataclass(frozen=True)
class Compared:
    """One table beside the held-out records.

    Attributes:
        name: what it is, for a legend.
        records: how many of its records were looked at.
        distances: how far they are from the held-out records.
    """

    name: str
    records: int
    distances: Distances


def compare(
    tables: Mapping[str, Records], held_out: Records, most: int, source: RandomSource
) -> tuple[Compared, ...]:
    """Distances of each table to the held-out records, at most `most` records of each.

    Tables of fewer than `FEWEST` records are left out; the others are cut to the smallest of
    them, so that their sizes are equal.
    """
    usable = {name: table for name, table in tables.items() if len(table) >= FEWEST}
    if not usable or len(held_out) < FEWEST:
        return ()
    size = min(most, *(len(table) for table in usable.values()))
    return tuple(
        Compared(name, size, distances(_some(table, size, source), held_out))
        for name, table in usable.items()
    )


def _some(table: Records, size: int, source: RandomSource) -> Records:
    """`size` records of the table, chosen without replacement."""
    if len(table) == size:
        return table
    return table.take(np.sort(np.argsort(source.words(len(table)), kind="stable")[:size]))
