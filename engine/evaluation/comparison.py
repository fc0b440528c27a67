"""Tables side by side: each as far from the held-out records as it is, at equal numbers.

Total variation of a sample grows as the sample shrinks, so every table is cut to the same
number of records, and *other real records* of that number show the best there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.evaluation.distances import Distances, distances
from engine.evaluation.study import FEWEST, Table
from engine.table.records import Records


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


def compare(tables: Sequence[Table], held_out: Records) -> tuple[Compared, ...]:
    """Distances of each table to the held-out records; none, where those are fewer than `FEWEST`.

    Candidates before the test are left out.
    """
    if len(held_out) < FEWEST:
        return ()
    return tuple(
        Compared(each.name, len(each.records), distances(each.records, held_out))
        for each in tables
        if each.role != "candidates"
    )
