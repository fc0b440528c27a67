"""The distances of several tables from the held-out records, at equal numbers of records.

Total variation, ½ Σ |p − q| (2.2), of single columns and of pairs: the largest difference in the
share of records that any statement about the column (or the pair) can show. Range [0, 1], lower is
closer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.arrays import AnyArray, FloatArray
from understudy.core.files import make_private, write_internal_arrays
from understudy.evaluation.cells import Sides
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import (
    FEWEST,
    BreakdownEntry,
    Table,
    complete_records,
    complete_tables,
)
from understudy.evaluation.measures.shares import total_variation
from understudy.table.records import Records

# Total variation between two tables, of single attributes and of pairs.
#
# ½ Σ |p − q| (2.2): the largest difference in the share of records that any statement about the
# attribute (or the pair) can show. Range [0, 1], lower is closer.


@dataclass(frozen=True)
class Distances:
    """How far a table is from the held-out records.

    Attributes:
        single: (m,) total variation of each attribute.
        pairs: (m, m) total variation of each pair, symmetric, the diagonal being `single`.
    """

    single: FloatArray
    pairs: FloatArray

    @property
    def each_pair(self) -> FloatArray:
        """(m(m − 1)/2,) every pair once, row by row above the diagonal."""
        return self.pairs[np.triu_indices(len(self.single), 1)]

    @property
    def typical_column(self) -> float:
        """The median over the attributes."""
        return float(np.median(self.single))

    @property
    def typical_pair(self) -> float:
        """The median over the pairs."""
        return float(np.median(self.each_pair))

    @property
    def farthest_pair(self) -> float:
        """The largest over the pairs."""
        return float(np.max(self.each_pair))


def distances(table: Records, reference: Records) -> Distances:
    """Compare a table with reference records of the same schema; neither may be empty."""
    sides = Sides.of(table, reference)
    attributes = len(sides.sizes)
    pairs = np.zeros((attributes, attributes))
    for columns in combinations(range(attributes), 2):
        pairs[columns] = pairs[columns[::-1]] = total_variation(sides.shares(columns))[0]
    single = np.array([total_variation(sides.shares([each]))[0] for each in range(attributes)])
    np.fill_diagonal(pairs, single)
    return Distances(single, pairs)


# The distances of several tables from the held-out records, at equal numbers of records.
#
# Total variation of a sample grows as the sample shrinks, so every table is cut to the same
# number of records, and *other real records* of that number show the best that is possible.

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
        write_internal_arrays(folder / _FILE, arrays)

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
    """Return distances of each table to the held-out records, derived columns included; none, where
    those are fewer than `FEWEST`.

    Candidates before the test are left out.
    """
    if len(held_out) < FEWEST:
        return ()
    random = np.random.default_rng(0)
    whole, held_out = complete_tables(tables, random), complete_records(held_out, random)
    return tuple(
        Compared(each.name, len(each.records), distances(each.records, held_out))
        for each in whole
        if each.role != "candidates"
    )


# The distances that count where a table was measured twice: as its run ended, and since.
#
# Both look at other draws of the tables to compare with, so they differ a little. What was measured
# since counts wherever there is such, so that one figure stands everywhere.

_KEYS: Final = ("total-variation", "total-variation-pairs")
"""The measures whose breakdowns are the columns and the pairs."""


def latest(
    compared: Sequence[Compared], evaluation: Evaluation | None, names: Sequence[str]
) -> tuple[Compared, ...]:
    """Return the tables beside held-out records. Internal.

    Args:
        compared: what was measured when the run ended.
        evaluation: everything that was measured since; None where nothing was.
        names: (m,) of the columns, to find them in the evaluation.
    """
    since = () if evaluation is None else _since(evaluation, names)
    return since or tuple(compared)


def _since(evaluation: Evaluation, names: Sequence[str]) -> tuple[Compared, ...]:
    """Return every table of which all columns and all pairs were measured, candidates left out."""
    place = {name: at for at, name in enumerate(names)}
    found = []
    for table in evaluation.tables:
        parts = [
            part
            for key in _KEYS
            if (finding := evaluation.finding(key)) is not None
            and (measured := finding.by_subject.get(table.name)) is not None
            for part in measured.parts
        ]
        square = _square(parts, place)
        if table.role != "candidates" and np.isfinite(square).all():
            distances = Distances(np.diagonal(square).copy(), square)
            found.append(Compared(table.name, table.records, distances))
    return tuple(found)


def _square(parts: Sequence[BreakdownEntry], place: dict[str, int]) -> FloatArray:
    """Return (m, m) what each part says of its pair or, on the diagonal, of its column; NaN where
    none says anything."""
    square = np.full((len(place), len(place)), np.nan)
    for part in parts:
        if part.of and all(name in place for name in part.of):
            one, other = place[part.of[0]], place[part.of[-1]]
            square[one, other] = square[other, one] = part.value
    return square
