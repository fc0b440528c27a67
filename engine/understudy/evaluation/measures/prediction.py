"""Prediction of one column: classifiers trained on each table, tested on held-out records.

Accuracy and agreement (Table 8.3) are computed from the same predictions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.core.threads import map_at_once
from understudy.evaluation.classifiers import (
    ADABOOST,
    FOREST,
    TREE,
    Answering,
    Classifier,
    most_common,
    with_headline,
)
from understudy.evaluation.intervals import block_jackknife, clopper_pearson, cut_to_range, deal
from understudy.evaluation.measure import (
    FEWEST,
    About,
    BreakdownEntry,
    Interval,
    Study,
    SubjectResult,
    sample_of,
)
from understudy.table.records import Records
from understudy.table.schema import Schema

# Predicting one column: classifiers trained on each table, tested on held-out records.
#
# Accuracy and agreement are computed from the same predictions.

MOST_VALUES = 50
"""A target of more values leaves classifiers too few records of each to learn from."""


@dataclass(frozen=True)
class _Answers:
    """The predictions of one classifier for the held-out records.

    Attributes:
        whole: (held-out,) trained on the whole table.
        without: (blocks, held-out) trained without each block of it.
    """

    whole: IntArray
    without: IntArray


@dataclass(frozen=True)
class Predictions:
    """The predictions of every classifier, trained on every table.

    Attributes:
        truth: (held-out,) what the records are.
        tables: by the name of the table, then of the classifier.
        seeds: trained on as many of the seeds as a table has records, by classifier.
    """

    truth: IntArray
    tables: Mapping[str, Mapping[str, _Answers]]
    seeds: Mapping[str, _Answers]


def check_target(schema: Schema, target: str, most_values: int | None = None) -> None:
    """Check that there is such a column to predict.

    Args:
        schema: the columns.
        target: the name of one.
        most_values: the most that classifiers may have to tell apart; None looks for the column
            only, and leaves each measure to say what it cannot predict.

    Raises:
        Refusal: there is not, or it has one value only, or too many; its field is "target".
    """
    if target not in schema.names:
        raise Refusal(
            f"There is no column “{target}” to predict.",
            "Choose one of: " + ", ".join(schema.names) + ".",
            field="target",
        )
    if most_values is not None and not 2 <= schema.column(target).cardinality <= most_values:
        raise Refusal(
            f"Column “{target}” has {schema.column(target).cardinality:,} possible value(s), and "
            f"classifiers learn to tell 2 to {most_values} apart.",
            "Choose another column to predict.",
            field="target",
        )


def target_of(study: Study, most_values: int = MOST_VALUES) -> int:
    """Return the place of the column to predict.

    Raises:
        Refusal: there is no such column, it has one value only or more than `most_values`, or
            there are too few records to learn from or to test on.
    """
    target = study.held_out.schema.index(study.target)
    if study.held_out.schema.columns[target].cardinality > most_values:
        raise Refusal(
            f"The column “{study.target}” has more than {most_values} possible values, too many "
            "for these classifiers.",
            "Choose a column of fewer values to predict.",
            field="target",
        )
    if min(len(study.held_out), len(study.seeds), *(len(t.records) for t in study.tables)) < FEWEST:
        raise Refusal(
            f"There are fewer than {FEWEST} records to learn from or to test on.",
            "Use a larger table, or hold out a larger share of it.",
        )
    for records in (study.held_out, study.seeds):
        if len(np.unique(records.codes[:, target])) < 2:
            raise Refusal(
                f"The column “{study.target}” has the same value in all records, so there is "
                "nothing to predict.",
                "Choose another column to predict.",
                field="target",
            )
    return target


def predictions(study: Study, target: int, classifiers: Sequence[Classifier]) -> Predictions:
    """Train every classifier on every table and on the seeds, unless that was done before."""
    names = ", ".join(each.key for each in classifiers)
    return study.once(
        f"predictions of {target} by {names}", lambda: _predictions(study, target, classifiers)
    )


def _predictions(study: Study, target: int, classifiers: Sequence[Classifier]) -> Predictions:
    def of(name: str, records: Records) -> Mapping[str, _Answers]:
        blocks = blocks_of(study, name, records)
        return {each.name: _answers(each, records, blocks, study, target) for each in classifiers}

    learned = {each.name: each.records for each in study.tables} | {"seeds": sample_seeds(study)}
    answers = dict(
        zip(learned, map_at_once(lambda name: of(name, learned[name]), learned), strict=True)
    )
    seeds = answers.pop("seeds")
    return Predictions(labels(study.held_out, target), answers, seeds)


def _answers(
    classifier: Classifier,
    records: Records,
    blocks: IntArray,
    study: Study,
    target: int,
) -> _Answers:
    seed = int(study.random(f"training {classifier.name}").integers(2**31))

    def learn_from(some: Records) -> Answering:
        return classifier.learn(some, labels(some, target), seed, target)

    return _Answers(
        learn_from(records)(study.held_out),
        np.stack([learn_from(each)(study.held_out) for each in leaving_out(records, blocks)]),
    )


def labels(records: Records, target: int) -> IntArray:
    """Return (records,) the codes of the target."""
    return records.codes[:, target].astype(np.int64)


def sample_seeds(study: Study) -> Records:
    """As many of the seeds as a table has records, or all where there are fewer."""
    size = min(len(each.records) for each in study.tables)
    return sample_of(study.seeds, size, study.random("seeds to learn from"))


def blocks_of(study: Study, name: str, records: Records) -> IntArray:
    """Return (records,) the block of each, `study.repeats` of them and at least 2."""
    random = study.random(f"blocks of {name}")
    return deal(len(records), random, max(2, study.repeats))


def leaving_out(records: Records, blocks: IntArray) -> list[Records]:
    """Return the records without each of the blocks."""
    return [records.take(blocks != block) for block in range(int(blocks.max()) + 1)]


def share_interval(right: BoolArray, *without: FloatArray) -> Interval:
    """Return the interval of a share of test records that also depends on what was learned from.

    Two things are left to chance: which records it was tested on (Clopper–Pearson), and which it
    was learned from (the jackknife over blocks left out, one for each table learned from). They
    are independent, so their half-widths add in quadrature, on each side.

    Args:
        right: (records,) whether each counts.
        without: for each table learned from, (blocks,) the share without each of its blocks.
    """
    share = float(right.mean())
    jackknives = [block_jackknife(share, each) for each in without]
    tested = clopper_pearson(int(right.sum()), len(right))
    return combined_interval(share, [tested, *jackknives])


def combined_interval(value: float, intervals: Sequence[Interval]) -> Interval:
    """Return the interval of a share from those of independent errors, added in quadrature."""
    below = math.hypot(*(value - each.low for each in intervals))
    above = math.hypot(*(each.high - value for each in intervals))
    return cut_to_range(Interval(value - below, value + above), 0.0, 1.0)


# How well a classifier trained on a table predicts a column of real records (Table 8.3).

COMMONEST = "always the commonest value"
"""The baseline: always predicting the most common value."""

_ABOUT = About(
    key="accuracy",
    name="Accuracy of prediction",
    sentence=(
        "How often a random forest that learned from the table says the right value of the "
        "target for real records that nobody used before."
    ),
    low=0.0,
    high=1.0,
    better="higher",
    group="prediction",
    parts="classifier",
    source="VLDB 2017, Table 3; dissertation 2018, Table 8.3",
    headline=True,
)


@dataclass(frozen=True)
class Accuracy:
    """Accuracy on the held-out records, by classifier.

    Attributes:
        classifiers: which are trained.
        most_values: a target of more values is refused.
        about: what it says of itself.
    """

    classifiers: tuple[Classifier, ...] = (TREE, FOREST, ADABOOST)
    most_values: int = MOST_VALUES
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every table, and the commonest value of the seeds for comparison.

        Raises:
            Refusal: the target cannot be predicted; see `target_of`.
        """
        target = target_of(study, self.most_values)
        made = predictions(study, target, self.classifiers)

        def part(name: str, answers: _Answers) -> BreakdownEntry:
            right = answers.whole == made.truth
            without = (answers.without == made.truth).mean(axis=1)
            return BreakdownEntry((name,), float(right.mean()), share_interval(right, without))

        found = {
            table: with_headline([part(*each) for each in by_classifier.items()])
            for table, by_classifier in made.tables.items()
        }
        guess = most_common(labels(sample_seeds(study), target))
        right = int(np.count_nonzero(made.truth == guess))
        share = right / len(made.truth)
        return {**found, COMMONEST: SubjectResult(share, clopper_pearson(right, len(made.truth)))}


ACCURACY = Accuracy()


# How often classifiers trained on a table and on real records say the same (Table 8.3).

_ABOUT_AGREEMENT = About(
    key="agreement",
    name="Agreement of predictions",
    sentence=(
        "How often a random forest that learned from the table gives the same answer, right or "
        "wrong, as one that learned from the records used. Copies of them agree more than other "
        "real records can."
    ),
    low=0.0,
    high=1.0,
    better="higher",
    group="prediction",
    parts="classifier",
    source="VLDB 2017, Table 3; dissertation 2018, Table 8.3",
    headline=True,
)


@dataclass(frozen=True)
class Agreement:
    """Agreement on the held-out records with the same classifier trained on seeds.

    The seeds are cut to the number of records of the tables.

    Attributes:
        classifiers: which are trained.
        most_values: a target of more values is refused.
        about: what it says of itself.
    """

    classifiers: tuple[Classifier, ...] = (TREE, FOREST, ADABOOST)
    most_values: int = MOST_VALUES
    about: About = _ABOUT_AGREEMENT

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every table.

        Raises:
            Refusal: the target cannot be predicted; see `target_of`.
        """
        target = target_of(study, self.most_values)
        made = predictions(study, target, self.classifiers)
        return {
            table: with_headline(
                [_part(name, ours, made.seeds[name]) for name, ours in each.items()]
            )
            for table, each in made.tables.items()
        }


def _part(name: str, ours: _Answers, theirs: _Answers) -> BreakdownEntry:
    same = ours.whole == theirs.whole
    without_ours = (ours.without == theirs.whole).mean(axis=1)
    without_theirs = (theirs.without == ours.whole).mean(axis=1)
    return BreakdownEntry(
        (name,), float(same.mean()), share_interval(same, without_ours, without_theirs)
    )


AGREEMENT = Agreement()
