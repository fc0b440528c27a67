"""Classifiers of scikit-learn that measures train, and the features of records for them.

They use the default settings: trees and forests grow until every leaf holds one class. scikit-learn
takes seconds to import, so it is imported only for training. Only a forest uses several cores: the
steps of the others are so small that threads would mostly wait for one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from understudy.core.arrays import CodeArray, FloatArray, IntArray, ShortFloatArray
from understudy.evaluation.measure import BreakdownEntry, SubjectResult
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

# Features of records for classifiers.
#
# Trees are trained on codes as numbers. A number's code is its place on the grid, and missing comes
# after all of them, so any range and "missing" are a cut or two. The codes of categories have no
# order, but a tree may cut between any two of them as often as it likes and so reach any set of
# categories; columns for each category would cost a thousandfold memory and hardly ever be drawn
# for a split.
#
# Linear models get an indicator for each category, and numbers scaled to [0, 1]. Widths, scales and
# norms come from the public schema, never from the records: a bound on the norm that was found in
# the records would itself have to be private (Chaudhuri, Monteleoni and Sarwate 2011).

Features = Any
"""(records, features) an array or a sparse matrix; scipy's types do not say which arithmetic."""


def codes(records: Records, without: int | None = None) -> ShortFloatArray:
    """Return (records, columns) the codes as numbers, for trees.

    Args:
        records: what is to be seen.
        without: the column to leave out, as it is the one to be told.
    """
    seen = [place for place in range(len(records.schema)) if place != without]
    return records.codes[:, seen].astype(np.float32)


def indicators(records: Records, without: int | None = None) -> Features:
    """Return (records, features) a sparse matrix of values in [0, 1], for what is linear.

    The first feature is 1 for every record and stands for the intercept. Categories have a
    feature each. A column of numbers has one, from 0 at its minimum to 1 at its maximum, and
    another for each code for missing. A record has one entry a column, so a column of
    10,000 values costs no more memory than any other.
    """
    count = len(records)
    places = [np.zeros(count, dtype=np.int64)]
    values = [np.ones(count)]
    width = 1
    for index, column in _list_columns(records.schema, without):
        place, value = _column(column, records.codes[:, index])
        places.append(width + place)
        values.append(value)
        width += _width(column)
    starts = np.arange(count + 1) * len(places)
    entries = (np.column_stack(values).ravel(), np.column_stack(places).ravel(), starts)
    return sparse.csr_array(entries, shape=(count, width))


def unit_rows(records: Records, without: int | None = None) -> Features:
    """Return (records, features) `indicators`, divided so that no possible record has a norm above
    1.

    A record has one entry of at most 1 for each column and one for the intercept.
    """
    entries = 1 + sum(1 for _ in _list_columns(records.schema, without))
    return indicators(records, without) / np.sqrt(entries)


def _list_columns(schema: Schema, without: int | None) -> Iterator[tuple[int, Column]]:
    return (each for each in enumerate(schema.columns) if each[0] != without)


def _width(column: Column) -> int:
    """Return how many features a column has."""
    return 1 + column.missing_count if column.ordered else column.cardinality


def _column(column: Column, codes: CodeArray) -> tuple[IntArray, FloatArray]:
    """Return which feature of the column each record fills, and with what."""
    if not column.ordered:
        return codes.astype(np.int64), np.ones(len(codes))
    missing = column.is_missing(codes)
    share = codes / max(1, column.domain.size - 1)
    which = np.where(missing, codes.astype(np.int64) - column.domain.size + 1, 0)
    return which, np.where(missing, 1.0, share)


Answering = Callable[[Records], IntArray]

_CORES = 2


@dataclass(frozen=True)
class Classifier:
    """A classifier and the features that it is trained on.

    Attributes:
        name: to a reader.
        sees: the features of records, one column left out where that is asked.
        make: an untrained classifier of scikit-learn, from a seed of its randomness.
        settings: those that are not scikit-learn's own, in words.
    """

    name: str
    sees: Callable[[Records, int | None], Features]
    make: Callable[[int], Any]
    settings: str = ""

    @property
    def key(self) -> str:
        """A key that is unique to this classifier."""
        return f"{self.name} {self.settings}".rstrip()

    def learn(
        self, records: Records, labels: IntArray, seed: int, without: int | None = None
    ) -> Answering:
        """Train on records; returns a function that predicts the labels of other records.

        Where there is nothing to learn from, as all labels are the same or no split is better
        than another, the answer is always the commonest label.

        Args:
            records: at least one.
            labels: (records,) what each is.
            seed: where the classifier's randomness starts.
            without: the column that must not be looked at.
        """
        if labels.min() == labels.max():
            return _always(int(labels[0]))
        made = self.make(seed)
        try:
            with _briskly():
                made.fit(self.sees(records, without), labels)
        except ValueError as error:
            # AdaBoost raises this where its first stump does not beat guessing.
            if "worse than random" not in str(error):
                raise
            return _always(most_common(labels))

        def answer(others: Records) -> IntArray:
            with _briskly():
                return np.asarray(made.predict(self.sees(others, without)), dtype=np.int64)

        return answer


@contextmanager
def _briskly() -> Iterator[None]:
    """Provide a context with one thread, and without scikit-learn's validation of every tree and
    stump."""
    from sklearn import config_context

    with threadpool_limits(1), config_context(assume_finite=True, skip_parameter_validation=True):
        yield


def most_common(labels: IntArray) -> int:
    """Return the label that occurs most often, the smallest of equals."""
    return int(np.bincount(labels).argmax())


def _always(label: int) -> Answering:
    return lambda others: np.full(len(others), label, dtype=np.int64)


def _tree(seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=seed)


def _adaboost(seed: int) -> Any:
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(random_state=seed)


def _boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)


def _logistic(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(random_state=seed, fit_intercept=False, max_iter=1000)


def random_forest(trees: int, leaf: int = 1) -> Classifier:
    """Return a random forest of this many trees, whose leaves hold at least so many records."""

    def make(seed: int) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(
            trees, min_samples_leaf=leaf, random_state=seed, n_jobs=_CORES
        )

    coarse = "" if leaf == 1 else f" with {leaf} records a leaf"
    return Classifier("random forest", codes, make, f"of {trees} trees{coarse}")


TREE = Classifier("classification tree", codes, _tree)
FOREST = random_forest(100)
ADABOOST = Classifier("AdaBoost", codes, _adaboost)
BOOSTING = Classifier("gradient boosting", codes, _boosting)
LOGISTIC = Classifier("logistic regression", indicators, _logistic)


def with_headline(parts: Sequence[BreakdownEntry], by: Classifier = FOREST) -> SubjectResult:
    """Return the results of classifiers, with that of one of them, or else the first, as the
    headline."""
    head = next((part for part in parts if part.of == (by.name,)), parts[0])
    return SubjectResult(head.value, head.interval, tuple(parts))
