"""Attribute inference: guessing one column of a person from all others by means of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.evaluation.differences import two_groups
from understudy.evaluation.finding import Measured, Part
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.matches import CONTROL, SEEDS
from understudy.evaluation.measure import About
from understudy.evaluation.nearest import codes_of, distances, peers
from understudy.evaluation.study import Study, Table

_ABOUT = About(
    key="attribute-inference",
    name="Guessing a hidden column",
    sentence=(
        "Somebody knows all columns of a real person but one, looks up the nearest records of "
        "the table and takes what most of them say: how much more often that is right for "
        "people whose records were used than for real people who had no part in the table. For "
        "both it may be right often: that is what the table teaches about people at large, and no "
        "leak."
    ),
    low=-1.0,
    high=1.0,
    better="lower",
    group="disclosure",
    parts="real records",
    ideal=0.0,
)


@dataclass(frozen=True)
class AttributeInference:
    """Accuracy on seeds less accuracy on as many held-out records, for the study's target.

    Attributes:
        about: what it says of itself.
    """

    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, Measured]:
        """Return every table; parts are the two accuracies.

        Raises:
            Refusal: there are too few seeds or held-out records, or no such column.
        """
        target = study.held_out.schema.index(study.target)
        return study.each(lambda table: _guessed(study, table, target))


def _guessed(study: Study, table: Table, target: int) -> Measured:
    among, codes = peers(study), codes_of(study, table)
    tried = len(among.seeds)
    right = [
        int((guesses(each, codes, target) == each[:, target]).sum())
        for each in (among.seeds, among.control)
    ]
    return Measured(
        (right[0] - right[1]) / tried,
        two_groups(right[0], tried, right[1], tried),
        tuple(
            Part((name,), count / tried, clopper_pearson(count, tried))
            for name, count in zip((SEEDS, CONTROL), right, strict=True)
        ),
    )


def guesses(these: CodeArray, table: CodeArray, target: int) -> CodeArray:
    """(P,) for each of these, the commonest value of the target among the table's records that
    differ in the fewest of the other columns.

    Of values as common there, the one commonest in the whole table; then the one first in order.
    """
    values, place, overall = np.unique(table[:, target], return_inverse=True, return_counts=True)
    guessed = np.empty(len(these), dtype=np.intp)
    for here, found in distances(these, table, without=target):
        nearest = found == found.min(axis=1, keepdims=True)
        rows, columns = np.nonzero(nearest)
        votes = np.bincount(
            rows * len(values) + place[columns], minlength=len(found) * len(values)
        ).reshape(len(found), -1)
        # Less than one vote, so that it only breaks ties.
        guessed[here] = (votes + overall / (2 * len(table))).argmax(axis=1)
    return values[guessed]


MEASURE = AttributeInference()
