"""What a method is to the rest of the house: one object with what can be asked of it.

Runs, ledger, evaluation, packets, commands and pages know methods as `Mechanism` and get them from
`understudy.mechanisms.registry`; none of them names one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from understudy.core.refusal import Refusal
from understudy.evaluation.measure import Measure, StudyOf
from understudy.mechanisms.evidence import Arrays, EvaluationRequest, Evidence, Look, State
from understudy.mechanisms.fields import Table
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.workers import Workers
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed import StreamedTable

STAGES: Final = 1
"""How many stages `Mechanism.study` tells of at most."""


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
    """Records that are looked at all at once.

    Args:
        records: the confidential table.
        why: see `Mechanism.all_at_once`.

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


class Mechanism(Protocol):
    """A method that makes outputs from a table under a guarantee.

    A plan that is handed in is of the type `plan`, and fits its schema, but where a method checks
    just that.
    """

    kind: str
    """Names the method in plan files, such as "seedbased"."""

    title: str
    """Names it to a reader."""

    purpose: str
    """What it is for, in a sentence, for whoever chooses a method."""

    takes: str
    """What kinds of columns it takes, in a sentence."""

    plan: type[MechanismPlan]
    """What a plan of it is."""

    @property
    def fields(self) -> Table:
        """The settings of its plans, each described once; see `understudy.mechanisms.fields`."""
        ...

    def check_schema(self, schema: Schema) -> None:
        """Check that it can be used for these columns, whatever the settings.

        Raises:
            Refusal: it cannot; the remedy says what would have to be otherwise.
        """
        ...

    def opening(self, schema: Schema) -> MechanismPlan:
        """Return the plan that a custodian begins with.

        Raises:
            Refusal: none can be made for these columns.
        """
        ...

    def guarantee(self, plan: Any, schema: Schema) -> Guarantee:
        """Return what a plan promises. It looks at public numbers only.

        Raises:
            Refusal: the plan does not fit the schema, or cannot keep its promise.
        """
        ...

    def check_public(self, decided: PlannedRun) -> None:
        """Check that nothing is called public knowledge that nobody confirmed to be.

        Raises:
            Refusal: something is.
        """
        ...

    def counted(self, decided: PlannedRun, records: Records | StreamedTable) -> int:
        """Return how many of these records are such as the guarantee counts on."""
        ...

    def check_records(self, decided: PlannedRun, records: int) -> None:
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
        self, plan: Any, schema: Schema, holds: Callable[[Guarantee], bool]
    ) -> tuple[CheaperPlan, ...]:
        """Return the plans nearest to one, each of which takes no more than there is; none where
        there is none.

        Args:
            plan: what was asked for.
            schema: the columns.
            holds: whether there is enough for a guarantee.
        """
        ...

    def steps(self, plan: Any) -> int:
        """Return how far the progress of a run counts."""
        ...

    def outputs(self, plan: Any, schema: Schema) -> tuple[Output, ...]:
        """Return what a run releases: any number of tables, each of a schema of its own, and of
        figures; at least one output, and at most `MOST_OUTPUTS`. They follow from the plan and the
        schema alone. A table that is the one synthetic table is named “synthetic”."""
        ...

    def draws_alone(self, plan: Any) -> bool:
        """Return whether learning draws random numbers that are on no tape, so that a run that is
        killed meanwhile cannot go on."""
        ...

    def all_at_once(self, plan: Any) -> str | None:
        """Return what of a plan looks at all records at once, as a sentence without its full stop;
        None where they may be read piece by piece."""
        ...

    def program(self) -> str:
        """Return what has to be the same for a run to go on as it began."""
        ...

    def begin(
        self,
        decided: PlannedRun,
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> State:
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

    def restore(self, decided: PlannedRun, arrays: Arrays) -> State:
        """Return the state that was kept, with what the run left to be looked at where it has
        ended.

        Raises:
            Refusal, ValueError, KeyError: it cannot be made of these.
        """
        ...

    def release(
        self,
        decided: PlannedRun,
        records: Records | StreamedTable,
        state: Any,
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

    def look(
        self,
        decided: PlannedRun,
        records: Records,
        state: Any,
        released: Records | None,
        source: RandomSource,
    ) -> Look | None:
        """Return what a run leaves to be looked at; None where the method leaves nothing.
        Internal."""
        ...

    def study(
        self,
        evidence: Evidence,
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

    def measures(self, decided: PlannedRun) -> tuple[Measure[Any], ...]:
        """Return the measures that an evaluation takes, each of what `study` comes to."""
        ...

    def comparable_epsilon(self, decided: PlannedRun) -> float:
        """Return the ε of private methods that a release is compared with."""
        ...


def check_in_memory(
    mechanism: Mechanism, plan: MechanismPlan, records: Records | StreamedTable
) -> None:
    """Check that a plan can be run on records that are read piece by piece, where these are.

    Raises:
        Refusal: it looks at all of them at once.
    """
    why = mechanism.all_at_once(plan)
    if why is not None:
        in_memory(records, why)
