"""Codes of ordered columns as whole numbers between −S and S, by public bounds alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.table.schema import Schema

S = 1 << 10
"""What the upper bound of every column is put to."""


@dataclass(frozen=True)
class Standardised:
    """The ordered columns of a schema: those with numbers between public bounds.

    A continuous column is known by its cells, as everywhere that works on codes; the number of a
    cell is its middle. A missing value has no number, and counts as 0, the middle of the range.

    Attributes:
        places: the columns, by index in the schema.
        sizes: (c,) how many values each has, missing left out.
    """

    places: tuple[int, ...]
    sizes: IntArray

    @classmethod
    def of(cls, schema: Schema) -> Standardised:
        """Return the columns of numbers of this schema, continuous or on a grid."""
        ranged = {
            place: column.domain.size
            for place, column in enumerate(schema.columns)
            if column.ordered
        }
        return cls(tuple(ranged), np.array(list(ranged.values()), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.places)

    def present(self, codes: CodeArray) -> BoolArray:
        """(n, c) whether each number is there, of (n, m) codes."""
        return codes[:, self.places] < self.sizes

    def numbers(self, codes: CodeArray) -> IntArray:
        """(n, c) whole numbers from −S to S, of (n, m) codes in schema order."""
        own = codes[:, self.places].astype(np.int64)
        return np.where(own < self.sizes, (2 * own + 1 - self.sizes) * S // self.sizes, 0)

    def codes(self, numbers: FloatArray) -> CodeArray:
        """(n, c) the nearest code of each number; beyond the bounds, that of the bound."""
        nearest = np.rint((numbers / S * self.sizes + self.sizes - 1) / 2)
        return np.clip(nearest, 0, self.sizes - 1).astype(np.uint16)
