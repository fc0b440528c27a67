"""Comparing several runs: whether they are comparable, and the measures they share.

Runs are compared only where their numbers mean the same: the same columns with the same values, and
the same dataset. Each run is compared with its own references, as every run splits its records
anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from understudy.core.refusal import Refusal
from understudy.evaluation.aspects import quick_aspects
from understudy.evaluation.comparison import Compared
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.finding import Finding, Measured
from understudy.evaluation.measure import About, Group
from understudy.evaluation.registry import abouts
from understudy.evaluation.standing import standing
from understudy.evaluation.study import BEST, RELEASED, WORST, reference
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
    found: Mapping[str, Measured]
    real: Mapping[str, Measured]
    marginals: Mapping[str, Measured]
    placed: Mapping[str, Measured]
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
