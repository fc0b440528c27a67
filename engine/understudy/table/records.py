"""Records as integer codes, with the numbers of measured columns beside them; their texts, and
the same as typed Arrow columns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.table.column import Column
from understudy.table.derivations.derivation import Values
from understudy.table.domain import exact_text, range_of
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
            and in the cell that is its code; not a number exactly where the code is one
            for missing. None where the schema has no such column, and for records that are known by
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

    def complete(self, *, distances: bool = False) -> Records:
        """Return the same records as they are written, with the columns that are put together from
        others and then the derived ones, each computed from the values of its record as they are
        written: the records of `schema.full`.

        Args:
            distances: whether they have the distances too by which columns are modelled: the
                records of `schema.comparison_schema`.

        Raises:
            ValueError: a column is computed from a measured one, and of the records only the codes
                are known.
        """
        schema = self.schema
        released = schema.comparison_schema if distances else schema.full
        if released is schema:
            return self
        columns = {each.name: each for each in released.columns}
        values = {name: self._list_values(place) for place, name in enumerate(schema.names)}
        codes: dict[str, CodeArray | IntArray] = {}
        numbers: dict[str, FloatArray] = {}

        def add_column(column: Column, its_codes: IntArray, its_numbers: FloatArray | None) -> None:
            values[column.name] = Values.of_codes(column, its_codes, its_numbers)
            codes[column.name] = its_codes
            if its_numbers is not None:
                numbers[column.name] = its_numbers

        for each in schema.recodings:
            add_column(each.column, *each.rebuild(values[each.after], values[each.distance]))
        for derived in schema.derived:
            column = columns[derived.name]
            inputs = [values[name] for name in derived.formula.inputs]
            add_column(column, *derived.compute(inputs, column))
        for place, name in enumerate(schema.names):
            codes[name] = self.codes[:, place]
            held = self._take_numbers(place)
            if held is not None:
                numbers[name] = held
        measured = [numbers[released.names[place]] for place in released.measured_places]
        return Records(
            released,
            np.column_stack([codes[name] for name in released.names]),
            np.column_stack(measured) if measured else None,
            self.whose,
        )

    def recode(self, schema: Schema) -> Records:
        """Return records of columns as the file has them in the columns of a schema that models
        some by their distance from another.

        Args:
            schema: of whose `of_file` the records are.

        Raises:
            KeyError: a record cannot be put together again from its distances.
        """
        if not schema.recodings:
            return self
        places = {name: place for place, name in enumerate(self.schema.names)}
        own = {each.distance: each for each in schema.recodings}
        codes: list[CodeArray | IntArray] = []
        numbers: list[FloatArray | None] = []
        for column in schema.columns:
            if column.name in own:
                each = own[column.name]
                start, end = (self._list_values(places[name]) for name in (each.after, each.name))
                its_codes, its_numbers = each.encode(start, end, column)
                codes.append(its_codes)
                numbers.append(its_numbers)
            else:
                codes.append(self.codes[:, places[column.name]])
                numbers.append(self._take_numbers(places[column.name]))
        known = [each for each in numbers if each is not None]
        held = np.column_stack(known) if known else None
        return Records(schema, np.column_stack(codes), held, self.whose)

    def restore(self) -> Records:
        """Return the same records in the columns that the file has: those of `schema.of_file`.

        Raises:
            ValueError: as of `complete`.
        """
        schema = self.schema.of_file
        return self if schema is self.schema else self.complete().narrow(schema)

    def _take_numbers(self, place: int) -> FloatArray | None:
        """Return the numbers of a measured column, by its place; None of another."""
        if place not in self.schema.measured_places or self.numbers is None:
            return None
        return np.asarray(self.numbers[:, self.schema.measured_places.index(place)])

    def _list_values(self, place: int) -> Values:
        """Return the values of a column, by its place."""
        column, numbers = self.schema.columns[place], self._take_numbers(place)
        if column.measured and numbers is None:
            raise ValueError(f"the numbers of column {column.name!r} are not known")
        return Values.of_codes(column, self.codes[:, place], numbers)

    def under(self, schema: Schema) -> Records:
        """Return the same records under a schema that differs in nothing that codes depend on.

        Raises:
            ValueError: it differs in more.
        """
        return Records(schema, self.codes, self.numbers, self.whose)


def _go_together(column: Column, numbers: FloatArray, codes: CodeArray) -> bool:
    """Return whether each number of a measured column is one that its code stands for."""
    lattice, missing = range_of(column.domain).lattice, column.is_missing(codes)
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
    numbers = records.numbers[rows, records.schema.measured_places.index(place)]
    return _spell_numbers(column, numbers, codes)


def _spell_numbers(
    column: Column, numbers: FloatArray, codes: CodeArray
) -> tuple[Sequence[str], IntArray]:
    """Return the different texts of a measured column, and for every record the place of its
    text."""
    ranged, missing = range_of(column.domain), np.isnan(numbers)
    found, places = np.unique(ranged.lattice.places(numbers[~missing]), return_inverse=True)
    texts = [*ranged.spell_places(found.tolist()), *column.listed_texts]
    which = codes.astype(np.int64) - column.domain.size + len(found)
    which[~missing] = places
    return texts, which


# Records as typed Arrow columns, for Parquet.


def as_arrow(records: Records) -> pa.Table:
    """Return the records with their types: whole numbers as int64, others as decimals with the
    digits they are written with, those of measured columns as doubles with their unit, dates as
    such, categories as dictionaries of texts, missing as null. Columns that are kept empty are
    texts, all of them null. Derived columns are computed.

    Where a column has several codes for missing, the one that is written as nothing is null, and
    the others are the values that their texts name, such as −8. If a text names no value of its
    type, it alone is null; if several do not, the column is one of texts, as in CSV.

    Raises:
        ValueError: there is a measured column, and of the records only the codes are known.
    """
    records = records.complete()
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
    if column.missing_count > 1:
        values = arrow_values(column)
        return values.take(pa.array(codes, pa.int64()))
    missing = column.is_missing(codes) if column.missing else None
    return column.domain.to_arrow(codes, missing)


def _array_of_numbers(column: Column, records: Records, place: int) -> pa.Array:
    if records.numbers is None:
        raise ValueError(f"the numbers of column {column.name!r} are not known")
    numbers = records.numbers[:, records.schema.measured_places.index(place)]
    instead = missing_numbers(column)
    if instead is None:
        typed = typed_column(column)
        texts, places = _spell_numbers(typed, numbers, records.codes[:, place])
        return _null_blank(texts).take(pa.array(places, pa.int64()))
    if column.missing_count > 1:
        beyond = records.codes[:, place].astype(np.int64) - column.domain.size
        numbers = np.where(beyond < 0, numbers, np.array(instead)[np.maximum(0, beyond)])
    missing = np.isnan(numbers) if column.missing else None
    return range_of(column.domain).numbers_to_arrow(numbers, missing)


def missing_numbers(column: Column) -> tuple[float, ...] | None:
    """Return the number for each code for missing of a measured column, not a number for one that
    is null; None where the column is written as texts."""
    if column.domain.held_as_texts:
        return None
    if column.missing_count < 2:
        return (float("nan"),) * column.missing_count
    numbers = _list_missing_values(column)
    if numbers is None:
        return None
    return tuple(float("nan") if number is None else float(number) for number in numbers)


def arrow_values(column: Column) -> pa.Array:
    """Return code → value of a column that is not measured and has several codes for missing."""
    values = column.domain.to_arrow(np.arange(column.domain.size), None)
    if column.domain.ranged is not None:
        missing = _list_missing_values(column)
        typed = None if missing is None else _in_type(values.type, missing)
        if typed is not None:
            return pa.concat_arrays([values.cast(typed.type), typed])
    return _null_blank(typed_column(column).texts)


def typed_column(column: Column) -> Column:
    """Return a column as typed files hold it."""
    typed = column.domain.typed
    return column if typed is column.domain else column.changed(domain=typed)


def _list_missing_values(column: Column) -> Sequence[Decimal | None] | None:
    """Return the number that the text of each code for missing is written for, one of which may be
    none; None where more are."""
    ranged, values = range_of(column.domain.typed), list[Decimal | None]()
    for text in column.missing_texts:
        number = ranged.parse(text)
        written = () if number is None else (exact_text(number), ranged.spell(number))
        values.append(number if text in written else None)
    return values if values.count(None) <= 1 else None


def _in_type(kind: pa.DataType, numbers: Sequence[Decimal | None]) -> pa.Array | None:
    """Return numbers as an Arrow array of a type, or of wider decimals; None where it has not all
    of them."""
    whole = all(number is None or number == number.to_integral_value() for number in numbers)
    if pa.types.is_integer(kind) and whole:
        found = [None if number is None else int(number) for number in numbers]
        return pa.array(found, pa.int64())
    if pa.types.is_decimal(kind):
        digits = max((len(number.as_tuple().digits) for number in numbers if number), default=1)
        for width in (kind.precision, kind.scale + digits):
            try:
                return pa.array(numbers, pa.decimal128(width, kind.scale))
            except (pa.ArrowInvalid, ValueError):
                continue
    return None


def _null_blank(texts: Sequence[str]) -> pa.Array:
    """Return texts as a dictionary of texts, the empty one null."""
    places = pa.array([None if not text else place for place, text in enumerate(texts)], pa.int32())
    return pa.DictionaryArray.from_arrays(places, pa.array(texts, pa.string()))


def _list_metadata(column: Column) -> dict[str, str] | None:
    told = {"title": column.title, "unit": column.domain.units}
    if column.missing and not column.has_plain_missing:
        told["missing values"] = json.dumps(
            dict(zip(column.missing_texts, column.missing_labels, strict=True)), ensure_ascii=False
        )
    return {name: text for name, text in told.items() if text} or None
