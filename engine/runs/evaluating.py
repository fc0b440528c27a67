"""The evaluation of a run: every measure, on the run's own table, in a process of its own."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from engine.core.refusal import Refusal
from engine.evaluation.evaluation import evaluate
from engine.evaluation.measure import Measure
from engine.evaluation.prediction import check_target
from engine.evaluation.registry import measures
from engine.evaluation.study import FEWEST, Study
from engine.mechanisms.seedbased.attempts import Decision
from engine.mechanisms.seedbased.evaluation.figures import omegas_to_show
from engine.mechanisms.seedbased.evaluation.predictors import models_of
from engine.mechanisms.seedbased.evaluation.tables import Making, comparable, made_from
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import promise
from engine.privacy.randomness import RandomSource
from engine.runs.evidence import Evidence
from engine.runs.inquiry import Told
from engine.table.schema import Schema

MOST: Final = 10_000
REPEATS: Final = 4
_MOST_REPEATS = 20
_FEW_VALUES = range(2, 21)
_STAGES = ("Making tables to compare", "Learning models to compare")


@dataclass(frozen=True)
class EvaluationOf:
    """Everything measured of one run; the result is an `Evaluation`.

    Attributes:
        target: the column to predict, by name.
        repeats: how many times what is random is repeated for an interval, 1 … 20.
        most: how many records of each table to look at; at least `FEWEST`.
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

    def work(self, evidence: Evidence, folder: Path, told: Told) -> None:
        """Make the tables, take every measure, and save what was found.

        Raises:
            Refusal: the target is no column, or too few records were held out or are left to
                compare.
        """
        check_target(evidence.schema, self.target)
        _check_records(evidence)
        asked = self._asked(evidence)
        steps = len(_STAGES) + len(asked)
        source = RandomSource.secure()
        told(0, _STAGES[0], steps)
        plan, split = evidence.plan, evidence.split
        making = Making(
            split=split,
            network=evidence.network,
            baseline=evidence.baseline,
            decision=Decision(plan.test, promise(plan, evidence.schema).pass_cap),
            planned=plan.omega,
            omegas=omegas_to_show(plan.omega, len(evidence.schema)),
        )
        tables = comparable(making, evidence.released, self.most, source)
        told(1, _STAGES[1], steps)
        study = Study(
            tables=tables,
            held_out=split.held_out,
            seeds=made_from(split, plan.omega),
            models=models_of(plan, evidence.network, evidence.baseline, split, source),
            target=self.target,
            repeats=self.repeats,
            key=secrets.randbits(64),
        )
        found = evaluate(study, asked, lambda done, at: told(len(_STAGES) + done, at, steps))
        found.save(folder)

    def _asked(self, evidence: Evidence) -> tuple[Measure, ...]:
        every = measures(epsilon=comparable_epsilon(evidence.plan, evidence.schema))
        unknown = set(self.only) - {each.about.key for each in every}
        if unknown:
            raise Refusal(
                f"There is no measure “{min(unknown)}”.",
                "Choose from: " + ", ".join(each.about.key for each in every) + ".",
                field="only",
            )
        return tuple(each for each in every if not self.only or each.about.key in self.only)


def suggested_target(schema: Schema) -> str:
    """The column to predict where nobody chose one: the last with 2 to 20 values, as the answer
    to a question usually stands last; the last of all where none has."""
    few = [each.name for each in schema.columns if each.cardinality in _FEW_VALUES]
    return few[-1] if few else schema.names[-1]


def comparable_epsilon(plan: Plan, schema: Schema) -> float:
    """The ε of private methods that a release is compared with: what the whole release costs
    one person, or the model's where nothing is promised, or 1 where that has none either."""
    total = promise(plan, schema).total
    if total.bounded and total.epsilon > 0 and not math.isinf(total.epsilon):
        return total.epsilon
    return plan.model.epsilon or 1.0


def _check_records(evidence: Evidence) -> None:
    """Check that there are records to compare with.

    Raises:
        Refusal: there are too few.
    """
    if len(evidence.split.held_out) < FEWEST:
        raise Refusal(
            f"Fewer than {FEWEST} records of the table were held out, too few to compare with.",
            "Start a run that holds out a larger share of the records, or one on a larger table.",
        )
    if not len(made_from(evidence.split, evidence.plan.omega)):
        seedless = evidence.plan.omega.low == len(evidence.schema)
        raise Refusal(
            "The model was learned from too few records of the table to look at them."
            if seedless
            else "No record of the table became a seed.",
            "Start a run that gives the "
            + ("structure and the parameters" if seedless else "seeds")
            + " a larger share of the records, or one on a larger table.",
        )
