"""What most methods do alike: a method that is made from this says only what is its own."""

from __future__ import annotations

import platform
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from understudy import __version__
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
from understudy.mechanisms import derived, fields
from understudy.mechanisms.evidence import Arrays, EvaluationRequest, Evidence, Look
from understudy.mechanisms.mechanism import CheaperPlan
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.workers import Workers
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed import StreamedTable

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


def held_out(records: int, share: float, secret: Secret) -> npt.NDArray[np.bool_]:
    """(n,) which records are held out, to compare with: a coin for each record.

    Args:
        records: how many there are.
        share: the chance of each.
        secret: of the run.
    """
    return secret.source("split").uniforms(records) < share


class MechanismDefaults:
    """The parts of `Mechanism` that most methods have alike.

    The fields are made from the declaration of the plan, any columns will do, nothing counts on
    public knowledge, nothing cheaper is proposed, one process of this machine does the work on
    records that are in memory, everything that is drawn is on the tape, and what is released is
    compared with records that were held out.
    """

    purpose: ClassVar[str] = ""
    takes: ClassVar[str] = "Columns of every kind."
    plan: ClassVar[type[MechanismPlan]]

    @property
    def fields(self) -> fields.Table:
        """A field for each setting of the plan; see `derived`."""
        return derived.derived_fields(self.plan)

    def check_schema(self, schema: Schema) -> None:
        """Any columns will do."""

    def opening(self, schema: Schema) -> MechanismPlan:
        """Return the usual settings; where columns have to be named, the first."""
        named = derived.opening(self.plan, schema.names)
        return self.plan.read({"domain": schema.fingerprint, **named})

    def check_public(self, decided: PlannedRun) -> None:
        """Nothing is called public but the schema."""

    def counted(self, decided: PlannedRun, records: Records | StreamedTable) -> int:
        """Return all records count."""
        return len(records)

    def check_records(self, decided: PlannedRun, records: int) -> None:
        """Any number will do."""

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
        self, plan: Any, schema: Schema, holds: Callable[[Guarantee], bool]
    ) -> tuple[CheaperPlan, ...]:
        """None is known."""
        return ()

    def draws_alone(self, plan: Any) -> bool:
        """No."""
        return False

    def all_at_once(self, plan: Any) -> str | None:
        """Return the method does."""
        return "This method looks at all records at once"

    def program(self) -> str:
        """Return the version, and the arithmetic."""
        return f"understudy {__version__}, numpy {np.__version__}, {platform.machine()}"

    def restore(self, decided: PlannedRun, arrays: Arrays) -> ArraysState:
        """As it was kept."""
        return ArraysState(arrays)

    def look(
        self,
        decided: PlannedRun,
        records: Records,
        state: Any,
        released: Records | None,
        source: RandomSource,
    ) -> Look:
        """Return how far the released table, real records, and records without any relation between
        columns are from those held out."""
        found: QuickFigures = QuickFigures(())
        if released is not None:
            random = np.random.default_rng(source.words(1))
            sides = _Sides.of(decided, records, state.arrays(), random)
            if min(map(len, (sides.apart, sides.used, released))) >= FEWEST:
                tables = cut_to_size(_tables(sides.used, released, random), _LOOKED_AT, random)
                found = QuickFigures(compare(tables, sides.apart), sides.caveats)
        return Look(found, {})

    def study(
        self,
        evidence: Evidence,
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
        apart, used = sides.apart, sides.used
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
            apart=sides.truly,
            caveats=sides.caveats,
        )

    def measures(self, decided: PlannedRun) -> tuple[Measure[Any], ...]:
        """Return the measures of tables of records."""
        return measures(epsilon=self.comparable_epsilon(decided))

    def comparable_epsilon(self, decided: PlannedRun) -> float:
        """Return what the whole release costs one person; 1 where nothing is promised."""
        total = decided.guarantee.total
        return total.epsilon if total.bounded and total.epsilon > 0 else 1.0


@dataclass(frozen=True)
class _Sides:
    """Real records to hold a release against, in the columns that were released.

    Attributes:
        apart: those compared with.
        used: others, that the release was made from.
        truly: whether nothing was made from the first.
        caveats: as of `Study`.
    """

    apart: Records
    used: Records
    truly: bool
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
        whole = records.narrowed(shown)
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
        Table(MARGINALS, "marginals", _unrelated(used, random)),
        Table(RELEASED, "released", released),
    )


def _unrelated(records: Records, random: np.random.Generator) -> Records:
    """As many records with the same values in each column, and no relation between columns."""
    orders = [random.permutation(len(records)) for _ in records.schema.columns]
    codes = np.column_stack([records.codes[order, at] for at, order in enumerate(orders)])
    numbers = records.numbers
    if numbers is not None:
        places = records.schema.continuous
        numbers = np.column_stack([numbers[orders[column], at] for at, column in enumerate(places)])
    return Records(records.schema, codes, numbers)
