"""Inference attacks: telling by means of a table who was used, or guessing a column of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray
from understudy.evaluation.intervals import clopper_pearson, two_groups
from understudy.evaluation.measure import (
    About,
    BreakdownEntry,
    Interval,
    Study,
    SubjectResult,
    Table,
)
from understudy.evaluation.measures.copies import CONTROL, SEEDS
from understudy.evaluation.nearest import (
    Surroundings,
    compared_codes,
    count_differences,
    peers,
    surroundings,
)

# Membership inference: telling seeds from other real records by means of the table.

NEAREST, DENSITY = "nearest record", "records around"
"""The two attacks: by the distance to the nearest record, and by the local density."""


_ABOUT_MEMBERSHIP = About(
    key="membership",
    name="Membership guessing",
    sentence=(
        "Somebody holds the table and a real record, and guesses whether the record was used "
        "from how near the table comes to it: how much more often right than wrong. 0 % is a "
        "coin, 100 % is never wrong; a little less than 0 % is chance."
    ),
    low=-1.0,
    high=1.0,
    better="lower",
    group="disclosure",
    parts="attack",
    ideal=0.0,
    headline=True,
)


@dataclass(frozen=True)
class _Membership:
    """The advantage 2a − 1 of the better of two attacks.

    An attack gives each real record a score and calls it a seed from some score on. Which score,
    and which attack, is found on one half of the seeds and of as many held-out records; a is how
    often it is right on the other half, where both are equally many.

    Attributes:
        about: what it says of itself.
    """

    about: About = _ABOUT_MEMBERSHIP

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every table; parts are both attacks.

        Raises:
            Refusal: there are too few seeds or held-out records.
        """
        return study.each(lambda table: _attack_table(study, table))


def _attack_table(study: Study, table: Table) -> SubjectResult:
    among, codes = peers(study), compared_codes(study, table)
    members, others = (surroundings(each, codes) for each in (among.seeds, among.control))
    found = [
        attack(name, by(members), by(others))
        for name, by in ((NEAREST, _by_distance), (DENSITY, _by_density))
    ]
    best = better_attack(found)
    return SubjectResult(best.value, best.interval, tuple(part for _, part in found))


def better_attack(attacks: Sequence[tuple[float, BreakdownEntry]]) -> BreakdownEntry:
    """Return the attack that gains most where thresholds are found, not where they are tried: the
    better of two tries would come out too high."""
    return max(attacks, key=lambda each: each[0])[1]


def attack(name: str, members: FloatArray, others: FloatArray) -> tuple[float, BreakdownEntry]:
    """Return what an attack gains where its threshold is found, and where it is tried.

    Args:
        name: of the attack.
        members, others: (P,) scores in random order; a higher one speaks for a member.
    """
    half = len(members) // 2
    threshold, gained = best_threshold(members[:half], others[:half])
    caught, spared = members[half:] >= threshold, others[half:] < threshold
    right, tried = int(caught.sum() + spared.sum()), len(caught) + len(spared)
    ends = clopper_pearson(right, tried)
    interval = Interval(2 * ends.low - 1, 2 * ends.high - 1)
    return gained, BreakdownEntry((name,), 2 * right / tried - 1, interval)


def best_threshold(members: FloatArray, others: FloatArray) -> tuple[float, float]:
    """Return the score from which to call a record a member, and the advantage that has here."""
    at = np.unique(np.concatenate([members, others]))
    ahead, behind = (
        1 - np.searchsorted(np.sort(each), at) / len(each) for each in (members, others)
    )
    best = int((ahead - behind).argmax())
    return float(at[best]), float(ahead[best] - behind[best])


def _by_distance(around: Surroundings) -> FloatArray:
    return -around.nearest.astype(np.float64)


def _by_density(around: Surroundings) -> FloatArray:
    return around.density


MEMBERSHIP = _Membership()


# Attribute inference: guessing one column of a person from all others by means of the table.

_ABOUT_ATTRIBUTE = About(
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
    headline=True,
)


@dataclass(frozen=True)
class AttributeInference:
    """Accuracy on seeds less accuracy on as many held-out records, for the study's target.

    Attributes:
        about: what it says of itself.
    """

    about: About = _ABOUT_ATTRIBUTE

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every table; parts are the two accuracies.

        Raises:
            Refusal: there are too few seeds or held-out records, or no such column.
        """
        target = study.held_out.schema.index(study.target)
        return study.each(lambda table: _guess_column(study, table, target))


def _guess_column(study: Study, table: Table, target: int) -> SubjectResult:
    among, codes = peers(study), compared_codes(study, table)
    tried = len(among.seeds)
    right = [
        int((guess_commonest(each, codes, target) == each[:, target]).sum())
        for each in (among.seeds, among.control)
    ]
    return SubjectResult(
        (right[0] - right[1]) / tried,
        two_groups(right[0], tried, right[1], tried),
        tuple(
            BreakdownEntry((name,), count / tried, clopper_pearson(count, tried))
            for name, count in zip((SEEDS, CONTROL), right, strict=True)
        ),
    )


def guess_commonest(these: CodeArray, table: CodeArray, target: int) -> CodeArray:
    """Return (P,) for each of these, the commonest value of the target among the table's records
    that differ in the fewest of the other columns.

    Of values as common there, the one commonest in the whole table; then the one first in order.
    """
    values, place, overall = np.unique(table[:, target], return_inverse=True, return_counts=True)
    guessed = np.empty(len(these), dtype=np.intp)
    for here, found in count_differences(these, table, without=target):
        nearest = found == found.min(axis=1, keepdims=True)
        rows, columns = np.nonzero(nearest)
        votes = np.bincount(
            rows * len(values) + place[columns], minlength=len(found) * len(values)
        ).reshape(len(found), -1)
        # Less than one vote, so that it only breaks ties.
        guessed[here] = (votes + overall / (2 * len(table))).argmax(axis=1)
    return values[guessed]


ATTRIBUTE = AttributeInference()
