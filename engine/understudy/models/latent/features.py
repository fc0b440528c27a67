"""Records as vectors: columns of two values as flags, and columns of numbers by their bounds.

Everything here follows from the schema, which is public. The second value of a flag, in the
schema's order, is its one and counts as `S`; the first counts as 0. A number is standardised by its
public bounds, from −S to S. A record of many flags can be thinned, so that it moves sums by little:
of a record with more ones than a public bound, that many are kept, drawn uniformly by coins of its
own, whatever other records there are. The label beside pictures is an entry for each of its values,
of which a record has exactly one that is `S`; it is never thinned away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import AnyArray, BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.privacy.randomness import RandomSource
from understudy.table.column import Column
from understudy.table.pictures.picture_schema import LABEL, are_pictures
from understudy.table.schema import Schema

S = 1 << 10
"""What the upper bound of every column is put to."""


@dataclass(frozen=True)
class Standardised:
    """The ordered columns of a schema: those with numbers between public bounds.

    A measured column is known by its cells, as everywhere that works on codes; the number of a
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
        """Return (n, c) whether each number is there, of (n, m) codes."""
        return codes[:, self.places] < self.sizes

    def numbers(self, codes: CodeArray) -> IntArray:
        """Return (n, c) whole numbers from −S to S, of (n, m) codes in schema order."""
        own = codes[:, self.places].astype(np.int64)
        return np.where(own < self.sizes, (2 * own + 1 - self.sizes) * S // self.sizes, 0)

    def codes(self, numbers: FloatArray) -> CodeArray:
        """Return (n, c) the nearest code of each number; beyond the bounds, that of the bound."""
        nearest = np.rint((numbers / S * self.sizes + self.sizes - 1) / 2)
        return np.clip(nearest, 0, self.sizes - 1).astype(np.uint16)


@dataclass(frozen=True)
class Features:
    """Which columns of a schema are flags and which are numbers; flags come first in vectors, then
    the values of a label, then numbers.

    Attributes:
        columns: how many columns the schema has, all of which are one or the other.
        flags: the columns of two values, by index in the schema.
        numbers: the columns of numbers.
        label: the place of a label of more than two values in the schema; None where there is none.
        values: how many values it has; 0 without one.
    """

    columns: int
    flags: tuple[int, ...]
    numbers: Standardised
    label: int | None = None
    values: int = 0

    @classmethod
    def of(cls, schema: Schema) -> Features:
        """Return the features of a schema.

        Raises:
            Refusal: a column can be missing, is constant, or has neither two values nor numbers.
        """
        label = _label(schema)
        for place, column in enumerate(schema.columns):
            if place != label:
                _check(column)
        numbers = Standardised.of(schema)
        others = {*numbers.places, label}
        flags = tuple(place for place in range(len(schema)) if place not in others)
        values = 0 if label is None else schema.columns[label].cardinality
        return cls(len(schema), flags, numbers, label, values)

    @property
    def ones(self) -> int:
        """How many entries of a vector are 0 or 1: flags, and the values of a label."""
        return len(self.flags) + self.values

    @property
    def exclusive(self) -> slice | None:
        """The entries of which exactly one is 1; None where there are none."""
        return None if self.label is None else slice(len(self.flags), self.ones)

    def check_width(self, width: int) -> None:
        """Check that a latent space of so many dimensions is one.

        Raises:
            Refusal: it has none, or as many as there are columns.
        """
        if not 1 <= width < self.columns:
            raise Refusal(
                f"A latent space of {width:,} dimensions does not suit {self.columns:,} columns.",
                f"Choose from 1 to {self.columns - 1:,} dimensions.",
                field="width",
            )

    def not_zero(self, most_ones: int) -> int:
        """Return how many entries of a vector can be other than 0, if at most so many flags are
        ones."""
        return min(most_ones, len(self.flags)) + (self.label is not None) + len(self.numbers)

    def vectors(
        self, codes: CodeArray, most_ones: int, source: RandomSource
    ) -> npt.NDArray[np.int16]:
        """Return (n, e) whole numbers from −S to S of (n, m) codes: flags, the values of a label,
        numbers. Internal.

        Args:
            codes: in the order of the schema.
            most_ones: the ones that are kept of a record at most.
            source: by which ones above the most are left out.
        """
        bits = np.hstack(
            [thin_bits(codes[:, self.flags], most_ones, source), self._indicator_columns(codes)]
        )
        return np.hstack([bits.astype(np.int16) * S, self.numbers.numbers(codes).astype(np.int16)])

    def entries(self, codes: CodeArray) -> FloatArray:
        """Return (n, e) as `vectors`, nothing thinned: ones as 1, numbers from −S to S. Internal
        where the codes are."""
        bits = np.hstack([codes[:, self.flags], self._indicator_columns(codes)])
        return np.hstack([bits, self.numbers.numbers(codes)]).astype(np.float64)

    def codes(self, bits: CodeArray, numbers: FloatArray) -> CodeArray:
        """Return (n, m) codes in the order of the schema, of (n, ones) bits and (n, numbers)
        numbers from −S to S."""
        found = self.by_column(bits.astype(np.float64), self.numbers.codes(numbers))
        return found.astype(np.uint16)

    def by_column(self, ones: FloatArray, numbers: AnyArray) -> FloatArray:
        """Return (n, m) in the order of the schema: of a flag its entry, of a label the place of
        the largest of its entries, of a number what is given."""
        found = np.empty((len(ones), self.columns))
        found[:, self.flags] = ones[:, : len(self.flags)]
        if self.label is not None:
            found[:, self.label] = ones[:, self.exclusive].argmax(axis=1)
        found[:, self.numbers.places] = numbers
        return found

    def _indicator_columns(self, codes: CodeArray) -> CodeArray:
        """Return (n, values) which value of the label each record has."""
        if self.label is None:
            return np.empty((len(codes), 0), dtype=np.uint16)
        found = codes[:, self.label, None] == np.arange(self.values)
        return np.asarray(found, dtype=np.uint16)


def thin_bits(bits: CodeArray, most: int, source: RandomSource) -> CodeArray:
    """Return (n, m) bits with at most `most` ones a record, those kept drawn uniformly."""
    over = np.flatnonzero(bits.sum(axis=1) > most)
    chance = source.uniforms(over.size * bits.shape[1]).reshape(over.size, bits.shape[1])
    chance[bits[over] == 0] = 2.0
    kept = np.zeros(chance.shape, dtype=np.uint16)
    np.put_along_axis(kept, np.argsort(chance, axis=1)[:, :most], 1, axis=1)
    found = bits.copy()
    found[over] = kept
    return found


def _label(schema: Schema) -> int | None:
    """Return the place of the label beside pictures, where it has more than two values."""
    last = len(schema) - 1
    column = schema.columns[last]
    wide = column.name == LABEL and column.cardinality > 2 and not column.missing
    return last if wide and are_pictures(schema) else None


def _check(column: Column) -> None:
    if column.missing:
        raise Refusal(
            f"The column “{column.name}” can be missing, and a latent model has no place for that.",
            "Declare that it is never missing, leave it out, or choose the calibrated model.",
            field=column.name,
        )
    if column.cardinality == 1:
        raise Refusal(
            f"The column “{column.name}” has one value, and goes together with nothing.",
            "Leave it out, or add the other value to the schema.",
            field=column.name,
        )
    if column.cardinality != 2 and not column.ordered:
        raise Refusal(
            f"The column “{column.name}” has {column.cardinality:,} values without a range.",
            "Make two groups of its values, give it a range, or choose the calibrated model.",
            field=column.name,
        )
