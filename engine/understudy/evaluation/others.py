"""Released tables of other columns than the confidential table's: their shared columns, one by one.

A column is shared where the confidential table has one of the same name and the same values. What
such a table says of its other columns, and of columns together, is not measured: nothing real
stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.numerals import count, percent
from understudy.evaluation.study import FEWEST, Study, sample_of
from understudy.table.records import Records
from understudy.table.schema import Schema


@dataclass(frozen=True)
class SharedColumn:
    """A column that the confidential table has too.

    Attributes:
        name: of it.
        distance: total variation from the held-out records, in [0, 1].
        real: the same of as many other real records; None where there are none.
    """

    name: str
    distance: float
    real: float | None


@dataclass(frozen=True)
class OtherTable:
    """A released table of other columns, as far as it is measured. Internal.

    Attributes:
        name: of its output.
        records: how many it has.
        shared: the columns that are measured.
        unmeasured: the names of the others.
    """

    name: str
    records: int
    shared: tuple[SharedColumn, ...]
    unmeasured: tuple[str, ...]

    @property
    def said(self) -> str:
        """What was found and what was not, in sentences."""
        found = [f"Table “{self.name}”, {count(self.records, 'record')} of other columns."]
        if self.shared:
            columns = "; ".join(_said(each) for each in self.shared)
            found.append(f"Distances of single columns from held-out records: {columns}.")
        elif self.records < FEWEST:
            found.append(f"It has fewer than {FEWEST} records, too few to measure.")
        if self.unmeasured and self.records >= FEWEST:
            names = ", ".join(self.unmeasured)
            found.append(f"Not in the confidential table, so not measured: {names}.")
        found.append("What it says of columns together is not measured.")
        return " ".join(found)


def other_table(name: str, table: Records, study: Study) -> OtherTable:
    """Measure a released table of other columns.

    Args:
        name: of its output.
        table: its records.
        study: what the tables of the confidential columns are measured with.
    """
    own, real = study.held_out, study.of("reals")
    if len(table) < FEWEST or len(own) < FEWEST:
        return OtherTable(name, len(table), (), table.schema.names)
    shared = _shared(table.schema, own.schema)
    reals = None
    if real is not None:
        reals = sample_of(real.records, len(table), study.random(f"others {name}"))
    columns = tuple(
        SharedColumn(
            column,
            _distance(table, place, own, there),
            None if reals is None else _distance(reals, there, own, there),
        )
        for column, (place, there) in shared.items()
    )
    unmeasured = tuple(each for each in table.schema.names if each not in shared)
    return OtherTable(name, len(table), columns, unmeasured)


def _shared(schema: Schema, own: Schema) -> dict[str, tuple[int, int]]:
    """Return the place of each shared column in both."""
    found = {}
    for place, column in enumerate(schema.columns):
        there = own.names.index(column.name) if column.name in own.names else None
        if there is not None and own.columns[there].texts == column.texts:
            found[column.name] = (place, there)
    return found


def _distance(table: Records, place: int, own: Records, there: int) -> float:
    ours, theirs = table.counts(place) / len(table), own.counts(there) / len(own)
    return float(np.abs(ours - theirs).sum() / 2)


def _said(column: SharedColumn) -> str:
    real = "" if column.real is None else f", as many other real records {percent(column.real)}"
    return f"{column.name} {percent(column.distance)}{real}"
