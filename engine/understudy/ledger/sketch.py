"""An estimate of what two tables have in common, from a small sketch of each.

A sketch holds the smallest `KEPT` of the keyed hashes of the table's different records (a bottom-k
sketch, Cohen and Kaplan 2007), and one hash of all texts of each column. Which hashes are small has
nothing to do with what the records say, so the records under a bound that both sketches reach are a
random sample of either table's different records, and the share of them that is in the other
estimates the share of all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.core.proportion import exact_interval
from understudy.core.refusal import Refusal

KEPT = 4096
"""Records of which a hash is kept. With as many, one record in a hundred in common is missed with a
chance of 10⁻¹⁷; one in 1,024, with 2 %."""

MANY = 64
"""Different texts with which one column that is the same is no accident."""

TELLING = 0.01
"""The share of records in common that is asked about, where it may be as much."""

LEVEL = 0.95

_LARGEST = np.iinfo(np.uint64).max
_VERSION = 1


@dataclass(frozen=True)
class ColumnSketch:
    """What a column is known by, whatever it is called and however it is sorted.

    Attributes:
        hash: keyed, of all its texts and how often each occurs.
        different: how many different texts it has, counted up to `MANY`.
    """

    hash: int
    different: int


@dataclass(frozen=True)
class Share:
    """A share of the different records of a table that are in another, estimated.

    Attributes:
        found: how many of those compared are.
        compared: how many were compared.
    """

    found: int
    compared: int

    @property
    def estimate(self) -> float:
        """The share; 0 where nothing could be compared."""
        return self.found / self.compared if self.compared else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval of the share, at `LEVEL`."""
        return exact_interval(self.found, self.compared, LEVEL)

    @property
    def telling(self) -> bool:
        """Whether some are there, and they may be `TELLING` of all."""
        return self.found > 0 and self.interval[1] >= TELLING


@dataclass(frozen=True)
class Overlap:
    """What two tables have in common.

    Attributes:
        of_this: of the different records of the one at hand, those that are in the other.
        of_other: of the other's, those that are in the one at hand.
        columns: how many of its columns are, as a whole, columns of the other.
        identifying: whether one of these has `MANY` different texts.
    """

    of_this: Share
    of_other: Share
    columns: int
    identifying: bool

    @property
    def telling(self) -> bool:
        """Whether the two may well be of the same people, so that it has to be asked."""
        by_columns = self.columns > 1 or self.identifying
        return self.of_this.telling or self.of_other.telling or by_columns


@dataclass(frozen=True, eq=False)
class Sketch:
    """What is kept of a table. Secret: with the ledger's key, guesses can be tested against it.

    Attributes:
        rows: how many records it has.
        least: the smallest hashes of its different records, sorted; all of them where it has fewer
            than `KEPT` different records.
        columns: one for each column.
    """

    rows: int
    least: npt.NDArray[np.uint64]
    columns: tuple[ColumnSketch, ...]

    def overlap(self, other: Sketch) -> Overlap:
        """Return what this table has in common with another, under the same key."""
        bound = min(self._reach, other._reach)
        mine, its = (each.least[each.least <= bound] for each in (self, other))
        both = len(np.intersect1d(mine, its, assume_unique=True))
        there = {each.hash for each in other.columns}
        # A column of one text is the same in every table of as many records.
        same = [each for each in self.columns if each.different > 1 and each.hash in there]
        return Overlap(
            Share(both, len(mine)),
            Share(both, len(its)),
            len(same),
            any(each.different >= MANY for each in same),
        )

    @property
    def _reach(self) -> int:
        """Up to where every hash of the table is here."""
        return int(self.least[-1]) if len(self.least) == KEPT else _LARGEST

    def to_bytes(self) -> bytes:
        """Return the sketch as bytes for `read`; their number tells nothing but the number of
        columns."""
        padded = np.zeros(KEPT, dtype="<u8")
        padded[: len(self.least)] = self.least
        about = {
            "version": _VERSION,
            "rows": self.rows,
            "least": len(self.least),
            "columns": [[f"{each.hash:016x}", each.different] for each in self.columns],
        }
        return padded.tobytes() + json.dumps(about).encode()

    @classmethod
    def read(cls, said: bytes) -> Sketch:
        """Return what `to_bytes` wrote.

        Raises:
            Refusal: it is something else.
        """
        try:
            about = json.loads(said[KEPT * 8 :])
            if about["version"] != _VERSION:
                raise ValueError
            least = np.frombuffer(said[: KEPT * 8], dtype="<u8")[: about["least"]]
            columns = tuple(ColumnSketch(int(each, 16), many) for each, many in about["columns"])
            return cls(about["rows"], least.astype(np.uint64), columns)
        except (ValueError, KeyError, TypeError):
            raise Refusal(
                "A sketch of a table is not of the form that Understudy writes.",
                "Put the ledger’s folder back from a backup.",
                field="ledger",
            ) from None
