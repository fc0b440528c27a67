"""Families: an attribute with its parents, whose buckets number the rows of its table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import IntArray
from understudy.models.sequential import Columns
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Family:
    """An attribute and its parents, and how the parents' buckets number a configuration.

    Attributes:
        child: the attribute.
        parents: its parents.
        places: for each parent, (cardinality,) what each of its codes adds to the number of the
            configuration.
        configurations: how many configurations the buckets of the parents have.
    """

    child: int
    parents: tuple[int, ...]
    places: tuple[IntArray, ...]
    configurations: int

    @classmethod
    def of(cls, schema: Schema, child: int, parents: tuple[int, ...]) -> Family:
        """Return mixed-radix numbers over the buckets of the parents, the last varying fastest."""
        counts = [schema.columns[parent].bucket_count for parent in parents]
        radix = np.cumprod([1, *reversed(counts)])
        places = tuple(
            schema.columns[parent].bucket_map * stride
            for parent, stride in zip(parents, reversed(radix[:-1]), strict=True)
        )
        return cls(child, parents, places, int(radix[-1]))

    def configuration(self, columns: Columns) -> IntArray:
        """Return the number of the parents' configuration, for columns of codes in schema order."""
        total = np.zeros(len(columns[self.child]), dtype=np.int64)
        for place, parent in zip(self.places, self.parents, strict=True):
            # Codes are within the schema: `Records` and `draw` see to it.
            total += np.take(place, columns[parent], mode="clip")
        return total
