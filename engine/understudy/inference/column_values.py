"""The values of a column in the view in which it was counted: which codes a name stands for, and
which numbers a value holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.models.views import View
from understudy.table.column import Column


@dataclass(frozen=True, eq=False)
class ValueNumbers:
    """The numbers of the values of a view.

    Attributes:
        even: the mean of those that each holds, if all are equally likely.
        lowest, highest: the ends of each.
        held: which values are numbers, and not codes for missing.
    """

    even: FloatArray
    lowest: FloatArray
    highest: FloatArray
    held: BoolArray

    @property
    def exact(self) -> bool:
        """Whether each value is one number."""
        return bool((self.lowest == self.highest).all())

    @classmethod
    def of(cls, column: Column, level: int) -> ValueNumbers:
        """Return the numbers of a column at a level."""
        lattice = column.domain.ranged.lattice  # type: ignore[union-attr]
        codes = np.arange(column.domain.size)
        first, many = lattice.lowest_in(codes), lattice.held_by(codes)
        lows, highs = lattice.numbers(first), lattice.numbers(first + many - 1)
        groups = column.level_map(level)[: column.domain.size]
        size = column.level_size(level)
        lowest, highest = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(lowest, groups, lows)
        np.maximum.at(highest, groups, highs)
        weights = column.domain.even_weights
        sums = np.bincount(groups, weights * (lows + highs) / 2, size)
        held = np.isfinite(lowest)
        even = np.where(held, sums / np.maximum(np.bincount(groups, weights, size), 1e-300), 0.0)
        return cls(even, np.where(held, lowest, 0.0), np.where(held, highest, 0.0), held)


def find_codes(column: Column, name: str) -> BoolArray:
    """Return (cardinality,) which codes a text or label stands for, of a value or of a group.

    Raises:
        Refusal: for none.
    """
    if name in column.texts:
        return np.asarray(np.arange(column.cardinality) == column.texts.index(name))
    for level in range(column.coarsest + 1):
        labels = column.level_labels(level)
        if name in labels:
            return np.asarray(column.level_map(level) == labels.index(name))
    raise Refusal(
        f"“{name}” is no value and no group of values of “{column.name}”.",
        "Name one as the schema has it, such as " + ", ".join(column.labels[:3]) + ".",
        field="value",
    )


def list_value_codes(column: Column, view: View) -> Mapping[str, BoolArray]:
    """Return the codes of every value of a view, by its label."""
    labels = column.level_labels(view.level)
    groups = column.level_map(view.level)
    return {label: groups == place for place, label in enumerate(labels)}


def fold_codes(column: Column, view: View, codes: BoolArray) -> BoolArray:
    """Return (size,) which values of a view consist of some codes."""
    values = np.zeros(column.level_size(view.level), dtype=bool)
    values[column.level_map(view.level)[codes]] = True
    return values


def are_whole_values(column: Column, view: View, codes: BoolArray) -> bool:
    """Return whether some codes are whole values of a view."""
    groups = column.level_map(view.level)
    return not np.intersect1d(groups[codes], groups[~codes]).size
