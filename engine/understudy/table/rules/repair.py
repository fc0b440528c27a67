"""What becomes of records of a table that break rules: each record alone decides it.

A record that breaks a rule is left out, or one of its columns is set to a code for missing, as the
rule says. No other record has a say, so tables that differ in one record still do so afterwards, or
are equal. How many records break a rule is internal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.records import Records
from understudy.table.rules.conditions import ColumnsView, ColumnValues, Wholes
from understudy.table.schema import Schema

_ROWS_AT_ONCE: Final = 1 << 18


@dataclass(frozen=True, eq=False)
class RecordsView(ColumnsView):
    """Some columns of records.

    Attributes:
        by_place: (n,) the codes of each column, by its place.
        numbers: (n,) the numbers of each measured one.

    Raises:
        ValueError: the numbers of a measured column are asked for, and not known.
    """

    by_place: Mapping[int, CodeArray]
    numbers: Mapping[int, FloatArray]
    _kept: dict[int, Wholes] = field(default_factory=dict)

    def codes(self, place: int) -> npt.NDArray[np.integer]:
        """Return (n,) the code of each record in a column."""
        return self.by_place[place]

    def units(self, values: ColumnValues) -> Wholes:
        """Return (n,) the number of each record in a column, in its units."""
        place = values.place
        if place not in self._kept:
            self._kept[place] = (
                self._measure(values)
                if values.is_measured
                else values.code_units[self.codes(place)]
            )
        return self._kept[place]

    def _measure(self, values: ColumnValues) -> IntArray:
        if values.place not in self.numbers:
            raise ValueError(f"the numbers of column {values.column.name!r} are not known")
        numbers = self.numbers[values.place]
        lowest = values.lattice.numbers(np.array([0]))[0]
        places = values.lattice.places(np.where(np.isnan(numbers), lowest, numbers))
        return values.lattice.whole_numbers(places)

    def set_codes(self, place: int, codes: CodeArray) -> RecordsView:
        """Return the same records with other codes in a column."""
        return RecordsView({**self.by_place, place: codes}, self.numbers, self._kept)


@dataclass(frozen=True, eq=False)
class Repair:
    """What becomes of some records. Internal.

    Attributes:
        kept: (n,) which of them are not left out.
        codes: (n,) their codes in each column in which some are set to missing.
    """

    kept: BoolArray
    codes: Mapping[int, CodeArray]


def needed_places(schema: Schema) -> tuple[int, ...]:
    """Return the places of the columns that rules name, and that they set to missing."""
    named = {place for condition in schema.conditions for place in condition.places}
    changed = {
        rule.instead.find_code(schema.columns)[0]
        for rule in schema.rules
        if rule.instead is not None
    }
    return tuple(sorted(named | changed))


def find_repair(schema: Schema, view: RecordsView) -> Repair:
    """Return what becomes of records, by the rules in their order. A record that breaks a rule
    after all columns are set that rules say is left out.

    Args:
        schema: the rules, with what becomes of records that break each.
        view: the columns of `needed_places`.
    """
    changed: dict[int, CodeArray] = {}
    for rule, condition in zip(schema.rules, schema.conditions, strict=True):
        if rule.instead is None:
            continue
        broken = condition.judge(view).false
        if broken.any():
            place, code = rule.instead.find_code(schema.columns)
            changed[place] = np.where(broken, code, view.codes(place)).astype(np.uint16)
            view = view.set_codes(place, changed[place])
    kept = np.asarray(~find_breaches(schema, view).any(axis=0), dtype=bool)
    return Repair(kept, changed)


def find_breaches(schema: Schema, view: RecordsView) -> BoolArray:
    """Return (rules, n) which records break each rule. Internal."""
    return np.array([condition.judge(view).false for condition in schema.conditions], dtype=bool)


def view_records(records: Records, rows: slice = slice(None)) -> RecordsView:
    """Return the columns of some records, of those that its rules need."""
    schema, places = records.schema, needed_places(records.schema)
    codes = {place: records.codes[rows, place] for place in places}
    numbers = {}
    if records.numbers is not None:
        which = {place: each for each, place in enumerate(schema.measured_places)}
        numbers = {place: records.numbers[rows, which[place]] for place in places if place in which}
    return RecordsView(codes, numbers)


def repair_records(records: Records) -> Records:
    """Return records that keep the rules of their schema: those that break one are left out, or
    set to missing as it says.

    Raises:
        Refusal: none is left.
    """
    schema = records.schema
    if not schema.rules or not len(records):
        return records
    codes, kept = records.codes.copy(), np.zeros(len(records), dtype=bool)
    numbers = None if records.numbers is None else records.numbers.copy()
    for start in range(0, len(records), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        repair = find_repair(schema, view_records(records, rows))
        kept[rows] = repair.kept
        for place, column in repair.codes.items():
            codes[rows, place] = column
            if numbers is not None and place in schema.measured_places:
                missing = schema.columns[place].is_missing(column)
                numbers[rows, schema.measured_places.index(place)][missing] = np.nan
    if not kept.any():
        raise refuse_all_broken()
    return Records(schema, codes, numbers, records.whose).take(kept)


def refuse_all_broken() -> Refusal:
    """Return the refusal of a table in which no record keeps all rules."""
    return Refusal(
        "Every record of the table breaks a rule.",
        "Check the rules one by one against the table, and take out those that do not hold.",
        field="rules",
    )


def count_left_out(records: Records) -> int:
    """Count the records that are left out because they break a rule. Internal.

    Args:
        records: as they stand in the table, before any is repaired.
    """
    starts = range(0, len(records) if records.schema.rules else 0, _ROWS_AT_ONCE)
    views = (view_records(records, slice(start, start + _ROWS_AT_ONCE)) for start in starts)
    return sum(int((~find_repair(records.schema, view).kept).sum()) for view in views)
