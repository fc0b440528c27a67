"""The evaluation of a run: every measure, on the run's own table, in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Final

from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import OtherTable, evaluate, other_table
from understudy.evaluation.measure import FEWEST, Measure, Study
from understudy.evaluation.measures.prediction import check_target
from understudy.evaluation.registry import predicts_a_column
from understudy.mechanisms.mechanism import STAGES, EvaluationRequest, Evidence, PlannedRun
from understudy.privacy.randomness import RandomSource
from understudy.runs.evidence import comparable_table, read_planned_run
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import TellProgress
from understudy.table.schema import Schema

MOST: Final = 10_000
REPEATS: Final = 4
_MOST_REPEATS = 20
_FEW_VALUES = range(2, 21)


@dataclass(frozen=True)
class EvaluationOf:
    """Everything measured of one run; the result is an `Evaluation`.

    Attributes:
        target: the column to predict, by name; "" where no measure of the run's method predicts
            one.
        repeats: how many times what is random is repeated for an interval, 1 … 20.
        most: how many records, or people, of each table to look at; at least `FEWEST`.
        only: the keys of the measures to take; all where it is empty.

    Raises:
        Refusal: a number is out of range.
    """

    name: ClassVar[str] = "evaluation"

    target: str
    repeats: int = REPEATS
    most: int = MOST
    only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.repeats <= _MOST_REPEATS:
            raise Refusal(
                f"{self.repeats} is no number of repeats.",
                f"Choose 1 to {_MOST_REPEATS}; {REPEATS} is usual.",
                field="repeats",
            )
        if self.most < FEWEST:
            raise Refusal(
                f"{self.most} records are too few to measure.",
                f"Look at {FEWEST} or more of each table; {MOST:,} is usual.",
                field="most",
            )

    def work(self, evidence: Evidence, folder: Path, told: TellProgress) -> None:
        """Make the tables, take every measure, and save what is found as soon as it is known.

        Raises:
            Refusal: the target is no column, or too few records were held out or are left to
                compare.
        """
        asked = self._asked(evidence)
        if predicts(evidence.decided):
            check_target(evidence.decided.compared, self.target)
        steps, stages = STAGES + len(asked), count()
        wanted = EvaluationRequest(self.target, self.repeats, self.most)
        study = evidence.decided.mechanism.study(
            evidence, wanted, RandomSource.secure(), lambda at: told(next(stages), at, steps)
        )
        found = evaluate(
            study,
            asked,
            lambda done, at: told(STAGES + done, at, steps),
            known=lambda so_far: so_far.save(folder),
        )
        others = _others(evidence, study) if isinstance(study, Study) else ()
        unseen = len(evidence.decided.tables) - len(evidence.tables) if evidence.tables else 0
        replace(found, others=others, unseen=unseen).save(folder)

    def _asked(self, evidence: Evidence) -> tuple[Measure[Any], ...]:
        decided = evidence.decided
        every = decided.mechanism.measures(decided)
        unknown = set(self.only) - {each.about.key for each in every}
        if unknown:
            raise Refusal(
                f"There is no measure “{min(unknown)}”.",
                "Choose from: " + ", ".join(each.about.key for each in every) + ".",
                field="only",
            )
        return tuple(each for each in every if not self.only or each.about.key in self.only)


def _others(evidence: Evidence, study: Study) -> tuple[OtherTable, ...]:
    """Return the released tables of other columns, as far as they can be measured."""
    return tuple(
        other_table(name, table, study)
        for name, table in evidence.tables.items()
        if name not in evidence.alike
    )


def predicts(decided: PlannedRun) -> bool:
    """Return whether an evaluation of a run predicts a column, which has to be chosen."""
    return predicts_a_column(decided.mechanism.measures(decided))


def suggested_target(schema: Schema) -> str:
    """Return the column to predict where nobody chose one: the last with 2 to 20 values, as the
    answer to a question usually stands last; the last of all where none has."""
    few = [each.name for each in schema.columns if each.cardinality in _FEW_VALUES]
    return few[-1] if few else schema.names[-1]


def evaluation_of(run: RunFolder, target: str | None, repeats: int = REPEATS) -> EvaluationOf:
    """Return the evaluation of a run.

    Args:
        run: one that has released something.
        target: the column to predict; None for the suggested one.
        repeats: as of `EvaluationOf`.

    Raises:
        Refusal: the run has nothing to measure, or the column cannot be predicted.
    """
    made = read_planned_run(run)
    if predicts(made):
        comparable_table(run)
        column = suggested_target(made.compared) if target is None else target
        check_target(made.compared, column)
        return EvaluationOf(column, repeats=repeats)
    if target is not None:
        raise Refusal(
            "The measures of this run predict no column.", "Leave the target out.", field="target"
        )
    return EvaluationOf("", repeats=repeats)
