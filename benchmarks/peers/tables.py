"""The tables that are learned from, and the real records that they are held against.

Records that are tested on are never learned from. Of the simulated census there are as many as
one likes, so *other reals* are records that nobody learned from either. Of a file there are not:
there the other reals are some of those learned from, which is said beside the figures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from understudy.core.refusal import Refusal
from understudy.samples import census
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.encoding import encode
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

CENSUS = "census"

_LEARNED, _HELD_OUT, _MADE = 250_000, 40_000, 60_000
_SEED = 2013
_TESTED_SHARE = 6
"""One record in so many of a file is held out."""


@dataclass(frozen=True, eq=False)
class Bench:
    """A table as the methods and the evaluation get it.

    Attributes:
        name: in folders and headings.
        learned: what every method learns from.
        held_out: real records that are tested on.
        others: as many other real records as a method makes.
        target: the column to predict, by name.
        notes: sentences that a reader of the figures needs.
    """

    name: str
    learned: Records
    held_out: Records
    others: Records
    target: str
    notes: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        """The public domains."""
        return self.learned.schema

    @property
    def made(self) -> int:
        """How many records every method makes."""
        return len(self.others)

    @property
    def fingerprint(self) -> str:
        """Tells these very records, in these parts, from any others."""
        digest = hashlib.sha256(self.schema.fingerprint.encode())
        for part in (self.learned, self.held_out, self.others):
            digest.update(np.ascontiguousarray(part.codes).tobytes())
        return digest.hexdigest()


def simulated(target: str | None = None) -> Bench:
    """The simulated census."""
    schema = census.schema()
    parts = (_LEARNED, _HELD_OUT, _MADE)
    codes = census.simulate(sum(parts), _SEED)
    learned, held_out, others = (
        Records(schema, each) for each in np.split(codes, np.cumsum(parts)[:-1])
    )
    note = f"{_LEARNED:,} simulated records learned from, {_HELD_OUT:,} others tested on."
    return Bench(CENSUS, learned, held_out, others, target or _binary(schema), (note,))


def of_file(path: Path, schema: Schema | None = None, target: str | None = None) -> Bench:
    """A table in a file.

    Args:
        path: any file that Understudy reads.
        schema: its public domains; suggested from the file where not given.
        target: the column to predict; the last one of two values where not given.

    Raises:
        Refusal: the file cannot be read, does not fit, or has no column of two values.
    """
    raw = read_table(path)
    notes = []
    if schema is None:
        schema = suggest_schema(raw).schema
        notes.append("The domains were suggested from the table itself, so they are not public.")
    return cut(path.stem, encode(raw, schema), target, notes)


def cut(name: str, records: Records, target: str | None, notes: Sequence[str] = ()) -> Bench:
    """Some real records in the parts that a bench has, at random by a fixed seed."""
    random = np.random.default_rng(_SEED)
    tested = min(_HELD_OUT, len(records) // _TESTED_SHARE)
    held_out, learned = np.split(random.permutation(len(records)), [tested])
    others = learned[: min(_MADE, len(learned))]
    note = (
        f"{len(learned):,} records learned from, {tested:,} others tested on. “Other reals” are "
        f"{len(others):,} of those learned from."
    )
    return Bench(
        name,
        records.take(learned),
        records.take(held_out),
        records.take(others),
        target or _binary(records.schema),
        (note, *notes),
    )


def opened(table: str, schema: Path | None, target: str | None) -> Bench:
    """The table of this name: “census”, or a file.

    Raises:
        Refusal: as of `of_file`.
    """
    if table == CENSUS:
        return simulated(target)
    return of_file(Path(table), None if schema is None else Schema.load(schema), target)


def _binary(schema: Schema) -> str:
    """The last column of two values."""
    found = [column.name for column in schema.columns if column.cardinality == 2]
    if not found:
        raise Refusal("No column has two values.", "Name the column to predict.", field="target")
    return found[-1]
