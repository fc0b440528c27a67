"""Default implementations of `Mechanism`; a method overrides what differs."""

from __future__ import annotations

import platform
import secrets
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic

import numpy as np

from understudy import __version__
from understudy.core.arrays import BoolArray, CodeArray
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import QuickFigures, compare
from understudy.evaluation.measure import (
    FEWEST,
    MARGINALS,
    REALS,
    RELEASED,
    Measure,
    Study,
    StudyOf,
    Table,
    cut_to_size,
)
from understudy.evaluation.registry import measures
from understudy.mechanisms import fields, setting
from understudy.mechanisms.mechanism import (
    Arrays,
    CheaperPlan,
    EvaluationRequest,
    Evidence,
    Look,
    PlannedRun,
    PlanT,
    StateT,
)
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.mechanisms.statement import TABLE
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable

HELD_OUT: Final = "held_out"
"""The name of the array that says which records were held out."""
_LOOKED_AT: Final = 10_000


@dataclass(frozen=True, eq=False)
class ArraysState:
    """A state that is nothing but arrays. Confidential.

    Attributes:
        each: by name; where some records are held out, `HELD_OUT` is (n,) and says which.
    """

    each: Arrays

    def arrays(self) -> Arrays:
        """Return every array of the state."""
        return self.each


def held_out(records: int, share: float, secret: Secret) -> BoolArray:
    """Return (n,) which records are held out, to compare with: a coin for each record.

    Args:
        records: how many there are.
        share: the chance of each.
        secret: of the run.
    """
    return secret.source("split").uniforms(records) < share


class MechanismBase(Generic[PlanT, StateT]):
    """The parts of `Mechanism` that most methods have alike, whatever their state.

    The fields are made from the declaration of the plan, any columns will do, nothing counts on
    public knowledge, nothing cheaper is proposed, one process of this machine does the work on
    records that are in memory, everything that is drawn is on the tape, and what is released is
    compared with records that were held out.
    """

    purpose: ClassVar[str] = ""
    accepted_columns: ClassVar[str] = "Columns of every kind."
    keeps_rules: ClassVar[bool] = False
    keeps_totals: ClassVar[bool] = False
    memory_reason: ClassVar[str] = "This method looks at all records at once"
    """What `requires_memory_reason` returns."""
    plan: type[PlanT]

    @property
    def kind(self) -> str:
        """The kind of its plans."""
        return self.plan.kind

    @property
    def fields(self) -> fields.FieldTable:
        """A field for each setting of the plan; see `derived`."""
        return setting.derive_fields(self.plan)

    def check_schema(self, schema: Schema) -> None:
        """Accept any schema."""

    def default_plan(self, schema: Schema) -> PlanT:
        """Return the plan of the default settings; if columns have to be named, the first."""
        named = setting.choose_columns(self.plan, schema.names)
        return self.plan.read({"domain": schema.fingerprint, **named})

    def check_public(self, decided: PlannedRun[PlanT]) -> None:
        """Require no public facts beyond the schema."""

    def count_eligible(self, decided: PlannedRun[PlanT], records: Records | StreamedTable) -> int:
        """Return the number of records."""
        return len(records)

    def check_records(self, decided: PlannedRun[PlanT], records: int) -> None:
        """Accept any number of records."""

    def check_workers(self, workers: Workers) -> None:
        """Check that no cluster is named, which would not be used.

        Raises:
            Refusal: one is.
        """
        if workers.scheduler is not None:
            raise Refusal(
                "This method does its work on one machine.",
                "Leave the scheduler out.",
                field="scheduler",
            )

    def cheaper(
        self, plan: PlanT, schema: Schema, holds: Callable[[Guarantee], bool]
    ) -> tuple[CheaperPlan, ...]:
        """Return no cheaper plans."""
        return ()

    def uses_external_randomness(self, plan: PlanT) -> bool:
        """Return False: every random number is on the tape."""
        return False

    def requires_memory_reason(self, plan: PlanT) -> str | None:
        """Return `memory_reason`, for every plan."""
        return self.memory_reason

    def program(self) -> str:
        """Return the versions of this program and of its arithmetic."""
        return f"understudy {__version__}, numpy {np.__version__}, {platform.machine()}"

    def quick_report(
        self,
        decided: PlannedRun[PlanT],
        records: Records,
        state: StateT,
        released: Records | None,
        source: RandomSource,
    ) -> Look:
        """Return how far the released table, real records, and records without any relation between
        columns are from those held out."""
        found: QuickFigures = QuickFigures(())
        if released is not None:
            random = np.random.default_rng(source.words(1))
            sides = _Sides.of(decided, records, state.arrays(), random)
            if min(map(len, (sides.held_out, sides.training, released))) >= FEWEST:
                tables = cut_to_size(_tables(sides.training, released, random), _LOOKED_AT, random)
                found = QuickFigures(compare(tables, sides.held_out), sides.caveats)
        return Look(found, {})

    def study(
        self,
        evidence: Evidence[PlanT, StateT],
        asked: EvaluationRequest,
        source: RandomSource,
        told: Callable[[str], None],
    ) -> StudyOf[Any, Any]:
        """Return the released tables beside real records that they were made from.

        Each table of the confidential columns is measured by itself, as each may be opened by
        itself, and a mean of distances would hide the worst. The first is called the released one,
        with which figures are drawn; the others, by their names, show how far tables of one run
        differ. Where too few records were held out, some of the others stand for them, and where
        only some columns were released, those are measured: `Study.caveats` says so.

        Raises:
            Refusal: no such table was released, or there are too few records, real or released.
        """
        released = evidence.released
        if released is None:
            raise Refusal(
                "This run released no table with the columns of the confidential one, so there is "
                "nothing to measure.",
                "Look at what it released on the Release page.",
            )
        random = np.random.default_rng(source.words(1))
        sides = _Sides.of(evidence.decided, evidence.records, evidence.state.arrays(), random)
        apart, used = sides.held_out, sides.training
        if min(map(len, (apart, used, released))) < FEWEST:
            raise Refusal(
                f"Fewer than {FEWEST} records were used or released, too few to compare.",
                "Start a run on a larger table, or one that releases more.",
            )
        told("Making tables to compare")
        return Study(
            tables=cut_to_size(
                [*_tables(used, released, random), *_further(evidence.alike)], asked.most, random
            ),
            held_out=apart,
            seeds=used,
            models={},
            target=asked.target,
            repeats=asked.repeats,
            key=secrets.randbits(64),
            apart=sides.is_held_out,
            caveats=sides.caveats,
        )

    def measures(self, decided: PlannedRun[PlanT]) -> tuple[Measure[Any], ...]:
        """Return the measures of tables of records."""
        return measures(epsilon=self.comparable_epsilon(decided), weights=decided.schema.weights)

    def comparable_epsilon(self, decided: PlannedRun[PlanT]) -> float:
        """Return what the whole release costs one person; 1 where nothing is promised."""
        total = decided.guarantee.total
        return total.epsilon if total.bounded and total.epsilon > 0 else 1.0


class MechanismDefaults(MechanismBase[PlanT, ArraysState], Generic[PlanT]):
    """The defaults of a method whose state is nothing but arrays."""

    def restore(self, decided: PlannedRun[PlanT], arrays: Arrays) -> ArraysState:
        """Restore the state from its arrays."""
        return ArraysState(arrays)


def synthetic_table(schema: Schema, rows: int) -> tuple[Output, ...]:
    """Return the outputs of a method that releases one synthetic table of the confidential
    columns.

    Args:
        schema: of the confidential table.
        rows: the most records that it can come to.
    """
    return (Output(TABLE, "table", "The synthetic table.", schema, rows),)


def release_batches(
    rows: int,
    batch: int,
    reached: ResumePoint,
    secret: Secret,
    draw: Callable[[int, int, RandomSource], CodeArray],
) -> Generator[Chunk, None, None]:
    """Release one table batch by batch, each batch with random numbers of its own.

    Args:
        rows: how many records, people or attempts there are in all.
        batch: how many of them a batch has.
        reached: how far the run is.
        secret: of the run.
        draw: returns the codes of a batch, from the number of its first row, how many it has, and
            its random numbers.

    Yields:
        The codes of each batch.
    """
    for first in range(reached.at, rows, batch):
        count = min(batch, rows - first)
        codes = draw(first, count, secret.source("attempts", first // batch))
        yield Chunk(TABLE, codes, first + count, first + count)


@dataclass(frozen=True)
class _Sides:
    """Real records to hold a release against, in the columns that were released.

    Attributes:
        held_out: those compared with.
        training: others, that the release was made from.
        is_held_out: whether nothing was made from the first.
        caveats: as of `Study`.
    """

    held_out: Records
    training: Records
    is_held_out: bool
    caveats: tuple[str, ...]

    @classmethod
    def of(
        cls, decided: PlannedRun, records: Records, arrays: Arrays, random: np.random.Generator
    ) -> _Sides:
        """Return those held out and the others; where too few were held out, two random halves of
        the others."""
        shown = decided.compared
        caveats = [] if shown.names == decided.schema.names else [_some_columns(decided)]
        held = arrays.get(HELD_OUT, np.zeros(len(records), dtype=bool)).astype(bool)
        apart, used = np.flatnonzero(held), np.flatnonzero(~held)
        truly = len(apart) >= FEWEST
        if not truly:
            caveats.append(_NONE_APART)
            apart, used = map(np.sort, np.array_split(random.permutation(used), 2))
        whole = records.narrow(shown)
        return cls(whole.take(apart), whole.take(used), truly, tuple(caveats))


_NONE_APART: Final = (
    "This run held out too few records to compare with, so a random half of those that the release "
    "was made from stands for them. The release may look a little nearer to them than to people "
    "it has not seen. What it discloses of its own records cannot be measured so; a run that holds "
    "records out can."
)


def _some_columns(decided: PlannedRun) -> str:
    """Return that some columns were not released, and which are measured."""
    shown, every = decided.compared.names, decided.schema.names
    return (
        f"{len(shown)} of {len(every)} columns were released, and only those are measured: "
        + ", ".join(shown)
        + "."
    )


def _further(alike: Mapping[str, Records]) -> list[Table]:
    """Return the released tables after the first, except for those too short to say anything."""
    return [
        Table(name, "synthetic", each)
        for name, each in list(alike.items())[1:]
        if len(each) >= FEWEST
    ]


def _tables(
    used: Records, released: Records, random: np.random.Generator
) -> tuple[Table, Table, Table]:
    return (
        Table(REALS, "reals", used),
        Table(MARGINALS, "marginals", _shuffle_columns(used, random)),
        Table(RELEASED, "released", released),
    )


def _shuffle_columns(records: Records, random: np.random.Generator) -> Records:
    """Return as many records with the same values in each column, and no relation between
    columns."""
    orders = [random.permutation(len(records)) for _ in records.schema.columns]
    codes = np.column_stack([records.codes[order, at] for at, order in enumerate(orders)])
    numbers = records.numbers
    if numbers is not None:
        places = records.schema.measured_places
        numbers = np.column_stack([numbers[orders[column], at] for at, column in enumerate(places)])
    return Records(records.schema, codes, numbers)
