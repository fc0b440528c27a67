"""The input of measures: tables of equal numbers of records, and held-out records."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

import numpy as np

from engine.evaluation.finding import Measured
from engine.models.sequential import Sequential
from engine.table.records import Records

REALS = "other real records"
MARGINALS = "marginals"
RELEASED = "released"
CANDIDATES = "before the test"
WITHOUT_NOISE = "without noise"

FEWEST = 50
"""A table with fewer records than this says more about its size than about its method."""

Role = Literal["reals", "marginals", "released", "candidates", "synthetic"]
Thing = TypeVar("Thing")


@dataclass(frozen=True, eq=False)
class Table:
    """A table that is measured.

    Attributes:
        name: to a reader.
        role: other real records, the best there can be; the private marginals, the worst that
            is acceptable; what was released; candidates of the same plan before the test; or
            further records made in the same way: at another ω, for comparison only, or the second
            and later tables of a run that released several.
        records: its records.
    """

    name: str
    role: Role
    records: Records


@dataclass(frozen=True, eq=False)
class Study:
    """Everything a measure may use. Confidential.

    Attributes:
        tables: what is measured, all cut to the same number of records.
        held_out: real records that nothing was made or learned from: compared with, tested on.
        seeds: real records that the release was made from: seeds or, for a seedless plan, those
            that its model was learned from. A classifier trained on them is what agreement is
            agreement with, and they are the members of membership inference.
        models: networks for the accuracy of models, by name, the marginals among them.
        target: the column to predict, by name.
        repeats: how often a randomised computation is repeated for an interval.
        key: the seed of the randomness of measures, which is never released.
        apart: whether nothing was made or learned from the held-out records. Where it was, they
            only stand for such, and what a release discloses of its own records cannot be seen.
        caveats: what a reader of the findings has to know, a sentence or two each.
    """

    tables: tuple[Table, ...]
    held_out: Records
    seeds: Records
    models: Mapping[str, Sequential]
    target: str
    repeats: int
    key: int
    apart: bool = True
    caveats: tuple[str, ...] = ()
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    def random(self, purpose: str) -> np.random.Generator:
        """The generator for this purpose: the same whatever else is measured."""
        return np.random.default_rng([self.key, zlib.crc32(purpose.encode())])

    def once(self, name: str, make: Callable[[], Thing]) -> Thing:
        """A value that several measures need, computed once."""
        if name not in self._made:
            self._made[name] = make()
        return cast(Thing, self._made[name])

    def each(self, measure: Callable[[Table], Measured]) -> dict[str, Measured]:
        """What `measure` says of every table, by its name."""
        return {table.name: measure(table) for table in self.tables}

    def of(self, role: Role) -> Table | None:
        """The table of this role; the first, where there are several."""
        return next((each for each in self.tables if each.role == role), None)


def cut_to_size(
    tables: Sequence[Table], most: int, random: np.random.Generator
) -> tuple[Table, ...]:
    """The tables, each cut to the number of records of the smallest, and to at most `most`.

    Distances and the accuracy of classifiers depend on the number of records, so tables are
    comparable only at equal numbers.
    """
    size = min(most, *(len(each.records) for each in tables))
    return tuple(
        Table(each.name, each.role, sample_of(each.records, size, random)) for each in tables
    )


def sample_of(records: Records, size: int, random: np.random.Generator) -> Records:
    """`size` of the records, chosen without replacement, in their order; all, if fewer."""
    if len(records) <= size:
        return records
    return records.take(np.sort(random.choice(len(records), size, replace=False)))
