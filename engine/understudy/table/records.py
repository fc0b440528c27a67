"""Records as integer codes, with the numbers of measured columns beside them; their texts, and
the same as typed Arrow columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.schema import Schema


@dataclass(frozen=True, eq=False)
class Records:
    """A table of codes and the schema that gives them meaning.

    Attributes:
        schema: the columns.
        codes: shape (records, columns), C-contiguous, read-only, each below the cardinality of
            its column.
        numbers: shape (records, measured columns), C-contiguous, read-only: the number of each
            record in the columns of `schema.measured_places`, within its bounds, of its precision
            and in the cell that is its code; not a number exactly where the code is that of
            missing. None where the schema has no such column, and for records that are known by
            their codes only, as candidates are.
        whose: shape (records,), read-only: the number of the person that each record belongs to,
            counted by who stands first; None where each record stands for itself. Confidential.

    Raises:
        ValueError: a shape does not fit the schema, a code is out of range, or a number is none
            that its column and its code allow.
    """

    schema: Schema
    codes: CodeArray = field(repr=False)
    numbers: FloatArray | None = field(default=None, repr=False)
    whose: IntArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        codes = np.asarray(self.codes)
        if codes.ndim != 2 or codes.shape[1] != len(self.schema):
            raise ValueError(f"codes of shape {codes.shape} for {len(self.schema)} columns")
        if codes.dtype.kind not in "iu":
            raise ValueError(f"codes have to be integers, not {codes.dtype}")
        if len(codes):
            over = codes.max(axis=0) >= self.schema.cardinalities
            under = codes.dtype.kind == "i" and codes.min(axis=0) < 0
            outside = np.flatnonzero(over | under)
            if outside.size:
                name = self.schema.names[outside[0]]
                raise ValueError(f"a code of column {name!r} is outside its domain")
        codes = np.ascontiguousarray(codes, dtype=np.uint16).view()
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)
        if self.numbers is not None:
            object.__setattr__(self, "numbers", self._check_numbers(self.numbers))
        if self.whose is not None:
            whose = np.ascontiguousarray(self.whose, dtype=np.int64).view()
            if whose.shape != (len(codes),):
                raise ValueError(f"owners of shape {whose.shape} for {len(codes)} records")
            whose.flags.writeable = False
            object.__setattr__(self, "whose", whose)

    def _check_numbers(self, given: FloatArray) -> FloatArray:
        """Return the numbers, read-only.

        Raises:
            ValueError: they do not go with the schema and the codes.
        """
        numbers = np.ascontiguousarray(given, dtype=np.float64).view()
        shape = (len(self.codes), len(self.schema.measured_places))
        if numbers.shape != shape or not shape[1]:
            raise ValueError(f"numbers of shape {numbers.shape} where {shape} are described")
        for column, place in zip(numbers.T, self.schema.measured_places, strict=True):
            if not _go_together(self.schema.columns[place], column, self.codes[:, place]):
                name = self.schema.names[place]
                raise ValueError(f"a number of column {name!r} does not go with its code")
        numbers.flags.writeable = False
        return numbers

    def __len__(self) -> int:
        return len(self.codes)

    def counts(self, column: int) -> IntArray:
        """Return (cardinality,) how many records hold each code of a column, by its place.
        Internal."""
        return np.bincount(
            self.codes[:, column], minlength=self.schema.columns[column].cardinality
        ).astype(np.int64)

    def take(self, rows: IntArray | BoolArray) -> Records:
        """Return some of the records, chosen by index or by mask."""
        numbers = None if self.numbers is None else self.numbers[rows]
        whose = None if self.whose is None else self.whose[rows]
        return Records(self.schema, self.codes[rows], numbers, whose)

    def narrow(self, schema: Schema) -> Records:
        """Return the same records, in the columns of a schema that has some of these, unchanged.

        Raises:
            Refusal: it has another column.
        """
        if schema.names == self.schema.names:
            return self.under(schema)
        places = [self.schema.index(name) for name in schema.names]
        numbers = None
        if self.numbers is not None and schema.measured_places:
            of = [
                self.schema.measured_places.index(places[each]) for each in schema.measured_places
            ]
            numbers = self.numbers[:, of]
        return Records(schema, self.codes[:, places], numbers, self.whose)

    def under(self, schema: Schema) -> Records:
        """Return the same records under a schema that differs in nothing that codes depend on.

        Raises:
            ValueError: it differs in more.
        """
        return Records(schema, self.codes, self.numbers, self.whose)


def _go_together(column: Column, numbers: FloatArray, codes: CodeArray) -> bool:
    """Return whether each number of a measured column is one that its code stands for."""
    lattice, missing = range_of(column.domain).lattice, codes == column.domain.size
    present = numbers[~missing]
    if not np.isnan(numbers[missing]).all() or not lattice.holds(present).all():
        return False
    return np.array_equal(lattice.cells_of(lattice.places(present)), codes[~missing])


# The texts of a column of records, as they are written to a file.


def spell_column(
    records: Records, place: int, rows: slice = slice(None)
) -> tuple[Sequence[str], npt.NDArray[np.integer]]:
    """Return the different texts of a column, and for every record the place of its text.

    Args:
        records: whose.
        place: of the column.
        rows: of which records; all, if left out.

    Raises:
        ValueError: the column is measured, and of these records only the codes are known.
    """
    column, codes = records.schema.columns[place], records.codes[rows, place]
    if not column.measured:
        return column.texts, codes
    if records.numbers is None:
        raise ValueError(f"the numbers of column {column.name!r} are not known")
    ranged = range_of(column.domain)
    numbers = records.numbers[rows, records.schema.measured_places.index(place)]
    missing = np.isnan(numbers)
    found, places = np.unique(ranged.lattice.places(numbers[~missing]), return_inverse=True)
    texts = [*ranged.spell_places(found.tolist()), *column.listed_texts]
    which = np.full(len(codes), len(found), dtype=np.int64)
    which[~missing] = places
    return texts, which


# Records as typed Arrow columns, for Parquet.


def as_arrow(records: Records) -> pa.Table:
    """Return the records with their types: whole numbers as int64, others as decimals with the
    digits they are written with, those of measured columns as doubles with their unit, dates as
    such, categories as dictionaries of texts, missing as null. Columns that are kept empty are
    texts, all of them null.

    Raises:
        ValueError: there is a measured column, and of the records only the codes are known.
    """
    columns = records.schema.columns
    arrays = {column.name: _array(column, records, place) for place, column in enumerate(columns)}
    fields = {
        column.name: pa.field(
            column.name,
            arrays[column.name].type,
            nullable=column.missing,
            metadata=_list_metadata(column),
        )
        for column in columns
    }
    for name in records.schema.header:
        if name not in fields:
            arrays[name] = pa.nulls(len(records), pa.string())
            fields[name] = pa.field(name, pa.string())
    header = records.schema.header
    form = pa.schema([fields[name] for name in header])
    return pa.Table.from_arrays([arrays[name] for name in header], schema=form)


def _array(column: Column, records: Records, place: int) -> pa.Array:
    if column.measured:
        return _array_of_numbers(column, records, place)
    codes = records.codes[:, place].astype(np.int64)
    missing = codes == column.missing_code if column.missing else None
    return column.domain.to_arrow(codes, missing)


def _array_of_numbers(column: Column, records: Records, place: int) -> pa.Array:
    if records.numbers is None:
        raise ValueError(f"the numbers of column {column.name!r} are not known")
    numbers = records.numbers[:, records.schema.measured_places.index(place)]
    missing = np.isnan(numbers) if column.missing else None
    return range_of(column.domain).numbers_to_arrow(numbers, missing)


def _list_metadata(column: Column) -> dict[str, str] | None:
    told = {"title": column.title, "unit": column.domain.units}
    return {name: text for name, text in told.items() if text} or None
