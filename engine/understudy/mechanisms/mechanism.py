"""The interface of a method: a plan goes in, a planned run carries its mechanism, outputs come out.

Runs, ledger, evaluation, packets, commands and pages know methods as `Mechanism` and get them from
`understudy.mechanisms.registry` or from a `PlannedRun`; none of them names one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, Protocol

from typing_extensions import TypeVar

from understudy.core.arrays import AnyArray
from understudy.core.display import Shown, ShowsItself
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import Measure, StudyOf
from understudy.mechanisms.fields import FieldTable
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.mechanisms.plan import MechanismPlan
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable

STAGES: Final = 1
"""How many stages `Mechanism.study` tells of at most."""

Arrays = Mapping[str, AnyArray]
"""Named arrays, as they stand in one file of a run's internal folder."""


class State(Protocol):
    """What a run has drawn and learned before its first output. Confidential."""

    def arrays(self) -> Arrays:
        """Return all of it but the run's secret, to be kept and handed to `Mechanism.restore`."""
        ...


PlanT = TypeVar("PlanT", bound=MechanismPlan, default=Any)
"""The plans of a method."""

StateT = TypeVar("StateT", bound=State, default=Any)
"""The state of a method's runs."""

PlanT_co = TypeVar("PlanT_co", bound=MechanismPlan, default=MechanismPlan, covariant=True)
StateT_co = TypeVar("StateT_co", bound=State, default=Any, covariant=True)


class _Figures(Protocol):
    """What the custodian may look at after a run, and nobody else. Internal."""

    def save(self, folder: Path) -> None:
        """Write it into a folder of its own kind.

        Raises:
            OSError: it cannot be written.
        """
        ...


@dataclass(frozen=True, eq=False)
class Look:
    """What a run leaves to be looked at. Internal.

    Attributes:
        figures: measured as the run ended.
        evidence: what later inquiries work on, beside the table and the state.
        forgotten: the arrays of the state that nothing needs once the run has ended, by name, and
            that are not kept: noise above all, which taken away from what was released leaves
            exact numbers.
    """

    figures: _Figures
    evidence: Arrays
    forgotten: frozenset[str] = frozenset()

    def select_kept(self, state: Arrays) -> Arrays:
        """Return what later inquiries find of the run: the arrays of its state, except for what is
        forgotten, and the evidence."""
        still = {name: array for name, array in state.items() if name not in self.forgotten}
        return {**still, **self.evidence}


@dataclass(frozen=True, repr=False)
class PlannedRun(ShowsItself, Generic[PlanT_co]):
    """A plan, and what follows from it. Worked out once, and handed on from there.

    Attributes:
        plan: what was decided.
        schema: the public domain of the table.
        guarantee: what the plan promises.
        outputs: what a run of it releases.
        mechanism: the method of the plan.
    """

    plan: PlanT_co
    schema: Schema
    guarantee: Guarantee
    outputs: tuple[Output, ...]
    mechanism: Mechanism[Any, State]

    def describe_itself(self) -> Shown:
        """Return what it shows of itself: what is promised, and what is released."""
        total = self.guarantee.total
        tables = ", ".join(
            f"{each.name} (up to {each.rows_at_most:,} rows)" for each in self.tables
        )
        return Shown(
            f"A plan of the method “{self.plan.kind}”",
            [
                ("Guarantee", total.in_signs()),
                ("Between", self.guarantee.compared),
                *([("Tables", tables)] if tables else []),
                *_facts(self.guarantee),
            ],
            remarks=[self.guarantee.statement],
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(each.name for each in self.outputs)

    @property
    def tables(self) -> tuple[Output, ...]:
        """The outputs that are tables."""
        return tuple(each for each in self.outputs if each.kind == "table")

    @property
    def compared(self) -> Schema:
        """The columns in which what is released can be held beside real records: those of the
        confidential table, or else of the first released table that has two of them or more, and
        no other."""
        found = [each.schema for each in self.tables if each.schema is not None]
        if any(each.fingerprint == self.schema.fingerprint for each in found):
            return self.schema
        own = set(self.schema.columns)
        within = (each for each in found if len(each) > 1 and own.issuperset(each.columns))
        return next(within, self.schema)

    @property
    def measured_schema(self) -> Schema:
        """The same columns with those that are derived from them, as a release is measured."""
        return self.compared.comparison_schema

    def output(self, name: str) -> Output:
        """Return the output of this name.

        Raises:
            KeyError: there is none.
        """
        found = next((each for each in self.outputs if each.name == name), None)
        if found is None:
            raise KeyError(name)
        return found


def _facts(guarantee: Guarantee) -> list[tuple[str, str]]:
    """Return what has to be publicly known for a guarantee to hold."""
    facts = []
    if guarantee.records_at_least:
        among = f"{guarantee.records_at_least:,} or more {guarantee.records_among}".rstrip()
        facts.append(("Records, publicly known", among))
    if guarantee.people_at_least:
        facts.append(("People, publicly known", f"{guarantee.people_at_least:,} or more"))
    return facts


@dataclass(frozen=True, eq=False)
class Evidence(Generic[PlanT_co, StateT_co]):
    """Everything an inquiry into a run works on. Confidential.

    Attributes:
        decided: what was run.
        records: the confidential table.
        state: of the run; see `Mechanism.restore`.
        tables: those that it released, by the names of their outputs, in their order; the first
            few of many. None for a rehearsal, or where they are gone.
    """

    decided: PlannedRun[PlanT_co]
    records: Records
    state: StateT_co
    tables: Mapping[str, Records]

    @property
    def released(self) -> Records | None:
        """The first released table with the columns that are compared; None where there is none.
        See `PlannedRun.compared`."""
        return next(iter(self.alike.values()), None)

    @property
    def alike(self) -> Mapping[str, Records]:
        """The released tables with the columns that are compared."""
        own = self.decided.compared.fingerprint
        return {name: each for name, each in self.tables.items() if each.schema.fingerprint == own}


@dataclass(frozen=True)
class EvaluationRequest:
    """What an evaluation asks for.

    Attributes:
        target: the column to predict, by name; "" where no measure predicts one.
        repeats: how many times what is random is repeated for an interval.
        most: how many records, or people, of each table to look at.
    """

    target: str
    repeats: int
    most: int


class Interrupted(Exception):
    """Outputs cannot go on for a reason outside the run. What was made of them stays good.

    Attributes:
        problem: what is wrong, as a sentence.
        remedy: what to do, as the beginning of one.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


def in_memory(records: Records | StreamedTable, why: str) -> Records:
    """Return records that are looked at all at once.

    Args:
        records: the confidential table.
        why: see `Mechanism.requires_memory_reason`.

    Raises:
        Refusal: they are read piece by piece.
    """
    if isinstance(records, StreamedTable):
        raise Refusal(
            f"{why}, and these are read piece by piece.",
            "Choose a table that fits in memory, or seedbased synthesis with a model of this "
            "program's own.",
        )
    return records


def check_columns(mechanism: Mechanism, schema: Schema) -> None:
    """Check that a method can be used for these columns, their rules and totals, whatever the
    settings.

    Raises:
        Refusal: it cannot.
    """
    # A method of another package may know nothing of rules and totals.
    if schema.kept_rules and not getattr(mechanism, "keeps_rules", False):
        raise Refusal(
            f"The schema has rules, and the method “{mechanism.title}” may release rows that break "
            "them.",
            "Choose seedbased synthesis, or set the rules aside for this release.",
            field="rules",
        )
    if schema.totals and not getattr(mechanism, "keeps_totals", False):
        raise Refusal(
            f"The schema has known totals, and the method “{mechanism.title}” cannot hit them "
            "exactly.",
            "Choose seedbased synthesis without seeds, or take the totals out of the schema.",
            field="totals",
        )
    mechanism.check_schema(schema)


class FellShort(Refusal):
    """That a run came to less than its plan says. It has ended, and cannot go on."""


@dataclass(frozen=True)
class CheaperPlan:
    """A plan that takes less than another.

    Attributes:
        said: what is changed, to a reader.
        plan: the plan with the changes.
    """

    said: str
    plan: MechanismPlan


class Mechanism(Protocol[PlanT, StateT]):
    """A method that makes outputs from a table under a guarantee.

    A plan that is handed in is of the type `plan`, and fits its schema, but where a method checks
    just that.
    """

    @property
    def kind(self) -> str:
        """Its name in plan files, such as "seedbased"."""
        ...

    title: str
    """Names it to a reader."""

    purpose: str
    """What it is for, in a sentence, for whoever chooses a method."""

    accepted_columns: str
    """What kinds of columns it takes, in a sentence."""

    keeps_rules: bool
    """Whether some plan of it releases no row that breaks a rule of the schema."""

    keeps_totals: bool
    """Whether some plan of it releases exactly as many rows as known totals of the schema say."""

    plan: type[PlanT]
    """What a plan of it is."""

    @property
    def fields(self) -> FieldTable:
        """The settings of its plans, each described once; see `understudy.mechanisms.fields`."""
        ...

    def check_schema(self, schema: Schema) -> None:
        """Check that it can be used for these columns, whatever the settings.

        Raises:
            Refusal: it cannot; the remedy says what would have to be otherwise.
        """
        ...

    def default_plan(self, schema: Schema) -> PlanT:
        """Return the plan that a custodian begins with.

        Raises:
            Refusal: none can be made for these columns.
        """
        ...

    def guarantee(self, plan: PlanT, schema: Schema) -> Guarantee:
        """Return what a plan promises. It looks at public numbers only.

        Raises:
            Refusal: the plan does not fit the schema, or cannot keep its promise.
        """
        ...

    def check_public(self, decided: PlannedRun[PlanT]) -> None:
        """Check that nothing is called public knowledge that nobody confirmed to be.

        Raises:
            Refusal: something is.
        """
        ...

    def count_eligible(self, decided: PlannedRun[PlanT], records: Records | StreamedTable) -> int:
        """Return how many of these records are such as the guarantee counts on."""
        ...

    def check_records(self, decided: PlannedRun[PlanT], records: int) -> None:
        """Check that a table has the records that its guarantee counts on.

        Args:
            decided: what is run.
            records: how many there are, as `counted`; how many people, where the guarantee is for
                whole people.

        Raises:
            Refusal: it has fewer. The number itself is not told.
        """
        ...

    def check_workers(self, workers: Workers) -> None:
        """Check that what is to do the work is there.

        Raises:
            Refusal: it is not.
        """
        ...

    def cheaper(
        self, plan: PlanT, schema: Schema, holds: Callable[[Guarantee], bool]
    ) -> tuple[CheaperPlan, ...]:
        """Return the plans nearest to one, each of which takes no more than there is; none where
        there is none.

        Args:
            plan: what was asked for.
            schema: the columns.
            holds: whether there is enough for a guarantee.
        """
        ...

    def steps(self, plan: PlanT) -> int:
        """Return how far the progress of a run counts."""
        ...

    def outputs(self, plan: PlanT, schema: Schema) -> tuple[Output, ...]:
        """Return what a run releases: any number of tables, each of a schema of its own, and of
        figures; at least one output, and at most `MOST_OUTPUTS`. They follow from the plan and the
        schema alone. A table that is the one synthetic table is named “synthetic”."""
        ...

    def uses_external_randomness(self, plan: PlanT) -> bool:
        """Return whether learning draws random numbers that are on no tape, so that a run that is
        killed meanwhile cannot go on."""
        ...

    def requires_memory_reason(self, plan: PlanT) -> str | None:
        """Return what of a plan looks at all records at once, as a sentence without its full stop;
        None where they may be read piece by piece."""
        ...

    def program(self) -> str:
        """Return what has to be the same for a run to go on as it began."""
        ...

    def begin(
        self,
        decided: PlannedRun[PlanT],
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> StateT:
        """Draw and learn all that comes before the first output, spending the guarantee.

        Args:
            decided: what is run.
            records: the confidential table.
            secret: what every random number follows from.
            tape: where noise goes before it is used; None where nothing will be released.

        Raises:
            Refusal: the records cannot be read to their end, or not be used by this plan.
        """
        ...

    def restore(self, decided: PlannedRun[PlanT], arrays: Arrays) -> StateT:
        """Return the state that was kept, with what the run left to be looked at where it has
        ended.

        Raises:
            Refusal, ValueError, KeyError: it cannot be made of these.
        """
        ...

    def release(
        self,
        decided: PlannedRun[PlanT],
        records: Records | StreamedTable,
        state: StateT,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Make the outputs, from where the run was. The same secret makes the same chunks.

        Yields:
            Part after part.

        Raises:
            FellShort: there is less than the plan says; nothing may be released.
        """
        ...

    def quick_report(
        self,
        decided: PlannedRun[PlanT],
        records: Records,
        state: StateT,
        released: Records | None,
        source: RandomSource,
    ) -> Look | None:
        """Return what a run leaves to be looked at; None where the method leaves nothing.
        Internal."""
        ...

    def study(
        self,
        evidence: Evidence[PlanT, StateT],
        asked: EvaluationRequest,
        source: RandomSource,
        told: Callable[[str], None],
    ) -> StudyOf[Any, Any]:
        """Return the tables that an evaluation measures. Internal.

        Args:
            evidence: what to work on.
            asked: what the evaluation asks for.
            source: where whatever is random comes from.
            told: to be called before each of at most `STAGES` stages, with what it is.

        Raises:
            Refusal: there are too few records to measure anything.
        """
        ...

    def measures(self, decided: PlannedRun[PlanT]) -> tuple[Measure[Any], ...]:
        """Return the measures that an evaluation takes, each of what `study` comes to."""
        ...

    def comparable_epsilon(self, decided: PlannedRun[PlanT]) -> float:
        """Return the ε of private methods that a release is compared with."""
        ...
