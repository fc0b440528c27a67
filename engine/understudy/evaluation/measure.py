"""Measures: what they are given, a study, and what they return, findings.

Every measure says what it means, which way is better and what values it can take. It measures
several subjects at once, so that no number stands without what other real records and the private
marginals score. All of it is internal.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, Literal, Protocol, Self, TypeVar, cast

import numpy as np

from understudy.core.threads import map_at_once
from understudy.models.sequential import Sequential
from understudy.table.domain import range_of
from understudy.table.records import Records

# The results of a measure: for each subject a value, its interval and its breakdown. Internal.

LEVEL = 0.95
"""The confidence level of every interval."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval at `LEVEL`."""

    low: float
    high: float


@dataclass(frozen=True)
class BreakdownEntry:
    """One entry of a breakdown.

    Attributes:
        of: the names of columns, or of one classifier.
        value: as of the measure.
        interval: as of the measure.
    """

    of: tuple[str, ...]
    value: float
    interval: Interval | None = None


@dataclass(frozen=True)
class SubjectResult:
    """The result for one subject. Internal.

    Attributes:
        value: the number.
        interval: its confidence interval; None where that is not known.
        parts: the breakdown, if there is one.
    """

    value: float
    interval: Interval | None = None
    parts: tuple[BreakdownEntry, ...] = ()


@dataclass(frozen=True)
class Finding:
    """The results of one measure for all its subjects. Internal.

    Attributes:
        key: of the measure.
        by_subject: the result by the name of the table, the model or the method.
        trouble: why nothing was found, in words; "" where something was.
        chance: by how much chance moves the difference of two results either way, in 95 of 100
            cases; None where their intervals say it.
    """

    key: str
    by_subject: Mapping[str, SubjectResult] = field(default_factory=dict)
    trouble: str = ""
    chance: float | None = None


# The input of measures: tables of equal size, and real records or people that were held out.

REALS = "other real records"
MARGINALS = "marginals"
PEOPLE = "other real people"
UNIFORM = "uniform model"
RELEASED = "released"
CANDIDATES = "before the test"
WITHOUT_NOISE = "without noise"

FEWEST = 50
"""A table with fewer records than this says more about its size than about its method."""

BEST: Final = (REALS, PEOPLE)
"""What nothing can be expected to come closer than: of tables of records, and of people's days."""

WORST: Final = (MARGINALS, UNIFORM)
"""The worst that is acceptable, likewise."""

Role = Literal["reals", "marginals", "released", "candidates", "synthetic"]
Thing = TypeVar("Thing")


class Subject(Protocol):
    """What is measured: so many records or people, by a name."""

    @property
    def name(self) -> str:
        """To a reader."""

    @property
    def role(self) -> Role:
        """What it is beside the others."""

    def __len__(self) -> int:
        """Return how many records or people there are."""


AnySubject = TypeVar("AnySubject", bound=Subject)
Real = TypeVar("Real", bound=Sized)


def reference(found: Mapping[str, Thing], names: Sequence[str]) -> Thing | None:
    """Return what is known of a reference, `BEST` or `WORST`; None where that was not measured."""
    return next((found[name] for name in names if name in found), None)


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

    def __len__(self) -> int:
        """Return how many records it has."""
        return len(self.records)


@dataclass(frozen=True, eq=False)
class StudyOf(Generic[AnySubject, Real]):
    """What measures may use, whether of tables of records or of people's days. Confidential.

    Attributes:
        tables: what is measured, all cut to the same size.
        held_out: real records or people that nothing was made or learned from: compared with,
            tested on.
        key: the seed of the randomness of measures, which is never released.
        apart: whether nothing was made or learned from what was held out. Where it was, that only
            stands for such, and what a release discloses of its own records cannot be seen.
        caveats: what a reader of the findings has to know, a sentence or two each.
    """

    tables: tuple[AnySubject, ...]
    held_out: Real
    key: int = field(kw_only=True)
    apart: bool = field(default=True, kw_only=True)
    caveats: tuple[str, ...] = field(default=(), kw_only=True)
    _made: dict[str, Any] = field(default_factory=dict, repr=False, kw_only=True)

    @property
    def predicted(self) -> str:
        """The column that is predicted, by name; "" for none."""
        return ""

    def random(self, purpose: str) -> np.random.Generator:
        """Return the generator for this purpose: the same whatever else is measured."""
        return np.random.default_rng([self.key, zlib.crc32(purpose.encode())])

    def once(self, name: str, make: Callable[[], Thing]) -> Thing:
        """Return a value that several measures need, computed once."""
        if name not in self._made:
            self._made[name] = make()
        return cast(Thing, self._made[name])

    def each(self, measure: Callable[[AnySubject], SubjectResult]) -> dict[str, SubjectResult]:
        """Return what `measure` says of every table, by its name; of two at once."""
        found = map_at_once(measure, self.tables)
        return {table.name: each for table, each in zip(self.tables, found, strict=True)}

    def complete(self) -> Self:
        """Return the same with the derived columns of its tables, where there are any."""
        return self

    def of(self, role: Role) -> AnySubject | None:
        """Return the table of this role; the first, where there are several."""
        return next((each for each in self.tables if each.role == role), None)


@dataclass(frozen=True, eq=False)
class Study(StudyOf[Table, Records]):
    """Everything that a measure of tables of records may use. Confidential.

    Attributes:
        seeds: real records that the release was made from: seeds or, for a seedless plan, those
            that its model was learned from. A classifier trained on them is what agreement is
            agreement with, and they are the members of membership inference.
        models: networks for the accuracy of models, by name, the marginals among them.
        target: the column to predict, by name.
        repeats: how often a randomised computation is repeated for an interval.
        without_derived: the same without derived columns, which models do not know; None where
            there are none.
    """

    seeds: Records
    models: Mapping[str, Sequential]
    target: str
    repeats: int
    without_derived: Study | None = field(default=None, kw_only=True)

    @property
    def of_models(self) -> Study:
        """The same in the columns that models know."""
        return self.without_derived or self

    @property
    def predicted(self) -> str:
        """The target."""
        return self.target

    def complete(self) -> Self:
        """Return the same with the columns of its tables that are derived, or put together from
        distances, which are computed in all of them as in what was released."""
        if self.held_out.schema.comparison_schema is self.held_out.schema:
            return self
        random = self.random("numbers that columns are derived from")
        return replace(
            self,
            tables=complete_tables(self.tables, random),
            held_out=complete_records(self.held_out, random),
            seeds=complete_records(self.seeds, random),
            without_derived=self,
            _made={},
        )


def complete_tables(tables: Sequence[Table], random: np.random.Generator) -> tuple[Table, ...]:
    """Return the tables with their derived columns, as `complete_records`."""
    return tuple(replace(each, records=complete_records(each.records, random)) for each in tables)


def complete_records(records: Records, random: np.random.Generator) -> Records:
    """Return records with their derived columns. Of those that are known by their cells only, the
    numbers that these are computed from are drawn evenly within them."""
    schema = records.schema
    if (
        schema.comparison_schema is not schema
        and schema.measured_places
        and records.numbers is None
    ):
        numbers = []
        for place in schema.measured_places:
            column, codes = schema.columns[place], records.codes[:, place].astype(np.int64)
            missing, lattice = column.is_missing(codes), range_of(column.domain).lattice
            cells = np.where(missing, 0, codes)
            places = lattice.lowest_in(cells) + random.integers(0, lattice.held_by(cells))
            numbers.append(np.where(missing, np.nan, lattice.numbers(places)))
        records = Records(schema, records.codes, np.column_stack(numbers), records.whose)
    return records.complete(distances=True)


def cut_to_size(
    tables: Sequence[Table], most: int, random: np.random.Generator
) -> tuple[Table, ...]:
    """Return the tables, each cut to the number of records of the smallest, and to at most `most`.

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


Looked_contra = TypeVar("Looked_contra", bound=StudyOf[Any, Any], contravariant=True)

Direction = Literal["lower", "higher", "as real"]
Unit = Literal["share", "number"]
Group = Literal[
    "places",
    "moves",
    "lives",
    "peers",
    "distances",
    "models",
    "prediction",
    "linear",
    "distinguishing",
    "propensity",
    "disclosure",
]

OF_DAYS: Final[frozenset[Group]] = frozenset({"places", "moves", "lives", "peers"})
"""The groups that are of people's days alone."""


@dataclass(frozen=True)
class About:
    """The description of a measure.

    Attributes:
        key: names it in files, such as "total-variation-pairs".
        name: names it to a reader.
        sentence: what its value means, for readers who are no statisticians.
        low, high: the ends of its range; `high` may be infinite.
        better: which way is better; “as real” where it is neither, but what other real records
            score.
        group: which measures it is shown with.
        parts: what the entries of its breakdown are, such as "pair of columns"; "" for none.
        source: where it was published.
        ideal: the best value where that is neither end of the range; None for that end.
        unit: a share, of records or of right answers and read in per cent, or a plain number.
        headline: whether it is among the few that are looked at first.
    """

    key: str
    name: str
    sentence: str
    low: float
    high: float
    better: Direction
    group: Group
    parts: str = ""
    source: str = ""
    ideal: float | None = None
    unit: Unit = "share"
    headline: bool = False


class Measure(Protocol[Looked_contra]):
    """One measure, of tables of records or of people's days. Its module imports what is slow to
    import only when it measures."""

    @property
    def about(self) -> About:
        """Its description."""

    def measure(self, study: Looked_contra) -> Mapping[str, SubjectResult]:
        """Measure every subject of the study that this measure is about, in their order.

        Raises:
            Refusal: it cannot be measured here, such as for a target of one value only.
        """
