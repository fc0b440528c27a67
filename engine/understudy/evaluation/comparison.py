"""The distances of several tables from the held-out records, at equal numbers of records.

Total variation of a sample grows as the sample shrinks, so every table is cut to the same
number of records, and *other real records* of that number show the best that is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.arrays import AnyArray
from understudy.core.files import internal_arrays, make_private
from understudy.evaluation.distances import Distances, distances
from understudy.evaluation.study import FEWEST, Table
from understudy.table.records import Records

_FILE: Final = "compared.npz"


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


@dataclass(frozen=True)
class QuickFigures:
    """Tables beside the held-out records, as a run measures them at its end. Internal.

    Attributes:
        compared: the tables.
        told: what a reader has to know, a sentence or two each.
    """

    compared: tuple[Compared, ...]
    told: tuple[str, ...] = ()

    def save(self, folder: Path) -> None:
        """Write compared.npz into a folder.

        Raises:
            OSError: it cannot be written.
        """
        make_private(folder)
        arrays: dict[str, AnyArray] = {
            "names": np.array([each.name for each in self.compared], dtype=np.str_),
            "records": np.array([each.records for each in self.compared], dtype=np.int64),
            "told": np.array(self.told, dtype=np.str_),
        }
        for place, each in enumerate(self.compared):
            arrays[f"pairs{place}"] = each.distances.pairs
        internal_arrays(folder / _FILE, arrays)

    @classmethod
    def load(cls, folder: Path) -> QuickFigures | None:
        """Read what `save` wrote; None where there is nothing.

        Raises:
            OSError, ValueError, KeyError: it cannot be read.
        """
        if not (folder / _FILE).exists():
            return None
        with np.load(folder / _FILE, allow_pickle=False) as arrays:
            named = zip(arrays["names"].tolist(), arrays["records"].tolist(), strict=True)
            return cls(
                tuple(
                    Compared(name, records, Distances(np.diag(pairs).copy(), pairs))
                    for place, (name, records) in enumerate(named)
                    for pairs in [arrays[f"pairs{place}"]]
                ),
                tuple(arrays["told"].tolist()) if "told" in arrays else (),
            )


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
