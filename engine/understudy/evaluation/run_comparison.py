"""Comparisons of runs: whether they are comparable, which came nearer to real records, and which
settings no other dominates.

Runs are compared only where their numbers mean the same: the same columns with the same values, and
the same dataset. Each run is compared with its own references, as every run splits its records
anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import Compared
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import (
    BEST,
    RELEASED,
    WORST,
    About,
    Direction,
    Finding,
    Group,
    SubjectResult,
    reference,
)
from understudy.evaluation.registry import abouts
from understudy.evaluation.relative_score import quick_aspects, standing
from understudy.table.schema import Schema

MOST: Final = 4
"""The most runs in one comparison."""

_PREDICTING: Final[frozenset[Group]] = frozenset({"prediction", "linear"})
"""The groups of measures that depend on the target column."""


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """One run of a comparison. Internal.

    Attributes:
        name: its name, different from the others.
        dataset: the dataset it was made from, by any name that is equal where the dataset is.
        schema: of its table.
        compared: the tables measured at its end, if any.
        evaluation: everything that was measured of it since; None where nothing was.
    """

    name: str
    dataset: str
    schema: Schema
    compared: tuple[Compared, ...] = ()
    evaluation: Evaluation | None = None


@dataclass(frozen=True, eq=False)
class MeasureOfRuns:
    """One measure of all runs.

    Attributes:
        about: what it says of itself.
        found: for each run its released table's value.
        real, marginals: the same of each run's references, where they are known.
        placed: where each released table stands between them; missing where there is no scale.
        subjects: the names of everything that was measured.
    """

    about: About
    found: Mapping[str, SubjectResult]
    real: Mapping[str, SubjectResult]
    marginals: Mapping[str, SubjectResult]
    placed: Mapping[str, SubjectResult]
    subjects: frozenset[str] = frozenset()


def check_comparable(sides: Sequence[ComparedRun]) -> None:
    """Check that these runs are comparable.

    Raises:
        Refusal: they are too few or too many, or not of one dataset and one schema; it names the
            run that does not belong.
    """
    if not 2 <= len(sides) <= MOST:
        raise Refusal(
            f"Between 2 and {MOST} runs can be compared.", "Choose so many.", field="runs"
        )
    first = sides[0]
    for other in sides[1:]:
        if other.dataset != first.dataset:
            raise Refusal(
                f"“{other.name}” was made from another table than “{first.name}”, so what one kept "
                "says nothing about the other.",
                "Compare runs of one table.",
                field="runs",
            )
        if _domains(other.schema) != _domains(first.schema):
            raise Refusal(
                f"The columns of “{other.name}” are not those of “{first.name}”, or may contain "
                "other values, so their distances do not mean the same.",
                "Compare runs made with the same columns; buckets may differ.",
                field="runs",
            )


def all_evaluated(sides: Sequence[ComparedRun]) -> bool:
    """Return whether all of the runs were evaluated fully."""
    return all(each.evaluation is not None for each in sides)


def measures_of_runs(sides: Sequence[ComparedRun]) -> tuple[MeasureOfRuns, ...]:
    """Return the measures that all runs share, in their order.

    Where everything was measured of all runs, all measures; otherwise, of every run, what was
    measured as it ended, so that nothing is compared that was measured in different ways.
    Measures of prediction are left out where different columns were predicted.
    """
    findings = [_findings(each, full=all_evaluated(sides)) for each in sides]
    shared = [
        key
        for key in abouts()
        if all(key in each and not each[key].trouble for each in findings)
        and _comparable(abouts()[key], sides)
    ]
    found = (_across(abouts()[key], sides, [each[key] for each in findings]) for key in shared)
    return tuple(each for each in found if len(each.found) == len(sides))


def predicted_columns(sides: Sequence[ComparedRun]) -> tuple[str, ...]:
    """Return the columns that were predicted, each once."""
    known = (each.evaluation.target for each in sides if each.evaluation is not None)
    return tuple(dict.fromkeys(each for each in known if each))


def _findings(side: ComparedRun, *, full: bool) -> dict[str, Finding]:
    if full and side.evaluation is not None:
        return {each.key: each for each in side.evaluation.findings}
    return {each.key: each for each in quick_aspects(side.compared)}


def _comparable(about: About, sides: Sequence[ComparedRun]) -> bool:
    return about.group not in _PREDICTING or len(predicted_columns(sides)) <= 1


def _across(
    about: About, sides: Sequence[ComparedRun], findings: Sequence[Finding]
) -> MeasureOfRuns:
    by_run = list(zip((each.name for each in sides), findings, strict=True))
    released, real, worst = (
        {
            name: known
            for name, each in by_run
            if (known := reference(each.by_subject, names)) is not None
        }
        for names in ((RELEASED,), BEST, WORST)
    )
    placed = {
        name: where[RELEASED]
        for name, each in by_run
        if (where := standing(about, each)) is not None and RELEASED in where
    }
    subjects = frozenset(name for _, each in by_run for name in each.by_subject)
    return MeasureOfRuns(about, released, real, worst, placed, subjects)


def _domains(schema: Schema) -> list[tuple[object, ...]]:
    """Return the columns and their domains, on which distances depend, without their buckets."""
    return [(each.name, each.texts) for each in schema.columns]


# In which measures one of two runs came nearer to other real records than the other. Internal.
#
# Runs are compared on the common scale of measures (`standing`), each between references of its
# own. Where intervals of both are known, they have to lie apart; where they are not, the two have
# to be a twentieth of the scale apart.

CLEAR: Final = 0.05
"""Of the scale between the marginals and other real records."""


@dataclass(frozen=True)
class RunDifference:
    """Two runs, measure by measure.

    Attributes:
        first, second: the names of the measures in which the first, or the second, came nearer.
        alike: those in which chance may explain what sets them apart.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    alike: tuple[str, ...]

    @property
    def measured(self) -> int:
        """How many measures there are."""
        return len(self.first) + len(self.second) + len(self.alike)


def measured_difference(found: Sequence[MeasureOfRuns], first: str, second: str) -> RunDifference:
    """In which measures these two runs differ, of those that have a scale for both.

    Args:
        found: as `measures_of_runs` finds them.
        first, second: the names of the runs.
    """
    nearer: dict[int, list[str]] = {1: [], -1: [], 0: []}
    for each in found:
        if first in each.placed and second in each.placed:
            side = _nearer(each.placed[first], each.placed[second])
            nearer[side].append(each.about.name)
    return RunDifference(tuple(nearer[1]), tuple(nearer[-1]), tuple(nearer[0]))


def _nearer(one: SubjectResult, other: SubjectResult) -> int:
    """Return 1 where the one is higher on the scale, −1 where the other is, 0 where neither is for
    certain."""
    if one.interval is None or other.interval is None:
        apart = one.value - other.value
        return 0 if abs(apart) < CLEAR else (1 if apart > 0 else -1)
    return int(one.interval.low > other.interval.high) - int(other.interval.low > one.interval.high)


# Pareto-optimal settings: those that no other dominates.


def pareto_front(epsilons: FloatArray, utility: FloatArray, better: Direction) -> BoolArray:
    """Return (P,) whether each point is on the Pareto front of ε and utility.

    One point dominates another if neither is worse and one is better; equal points do not dominate
    each other. A point with an ε or a utility that is not finite is never on the front.

    Args:
        epsilons: (P,) total ε; lower is better.
        utility: (P,) anything.
        better: which way utility is better.
    """
    cost = utility if better == "lower" else -utility
    there = np.flatnonzero(np.isfinite(epsilons) & np.isfinite(cost))
    order = there[np.lexsort((cost[there], epsilons[there]))]
    epsilon, sorted_cost = epsilons[order], cost[order]
    # In this order only earlier points can dominate one: those of a smaller ε with no more cost,
    # and of the same ε with less.
    first = np.searchsorted(epsilon, epsilon, side="left")
    before = np.concatenate([[np.inf], np.minimum.accumulate(sorted_cost)])[first]
    kept = (sorted_cost < before) & (sorted_cost == sorted_cost[first])
    found = np.zeros(len(epsilons), dtype=bool)
    found[order[kept]] = True
    return found


def pareto_optimal(costs: FloatArray) -> BoolArray:
    """Return (P,) whether each point is Pareto optimal in several costs.

    Equal points do not dominate each other. A point with a cost that is not finite is never
    optimal. The time grows with the square of the number of points.

    Args:
        costs: (P, d) lower is better.
    """
    found = np.zeros(len(costs), dtype=bool)
    there = np.flatnonzero(np.isfinite(costs).all(axis=1))
    finite = costs[there]
    for place, point in zip(there, finite, strict=True):
        beats = (finite <= point).all(axis=1) & (finite < point).any(axis=1)
        found[place] = not beats.any()
    return found
