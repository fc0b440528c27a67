from __future__ import annotations

import numpy as np
import pytest

from tests.engine.evaluation.predicting import copies, records
from tests.support import category_schema
from understudy.evaluation.classifiers import (
    ADABOOST,
    BOOSTING,
    FOREST,
    LOGISTIC,
    TREE,
    Classifier,
    forest,
    most_common,
    with_headline,
)
from understudy.evaluation.measure import Interval, Part

ALL = (TREE, forest(10), ADABOOST, BOOSTING, LOGISTIC)


@pytest.mark.parametrize("classifier", ALL, ids=lambda each: each.name)
def test_each_learns_a_copy(classifier: Classifier) -> None:
    known, asked = copies(200, 1), copies(100, 2)
    answering = classifier.learn(known, known.codes[:, 2].astype(np.int64), 7, 2)
    assert answering(asked).tolist() == asked.codes[:, 0].tolist()


@pytest.mark.parametrize("classifier", ALL, ids=lambda each: each.name)
def test_each_says_the_only_label_there_is(classifier: Classifier) -> None:
    known = copies(50, 1)
    answering = classifier.learn(known, np.full(50, 3), 7)
    assert set(answering(copies(20, 2)).tolist()) == {3}


@pytest.mark.parametrize("classifier", ALL, ids=lambda each: each.name)
def test_none_looks_at_what_it_is_asked(classifier: Classifier) -> None:
    """The copy is left out, and so is the only other column that says anything."""
    random = np.random.default_rng(1)
    what = random.integers(0, 2, 400)
    known = records(category_schema(2, 2), what, np.zeros(400, dtype=np.int64))
    other = records(category_schema(2, 2), 1 - what, np.zeros(400, dtype=np.int64))
    answering = classifier.learn(known, what, 7, 0)
    assert answering(known).tolist() == answering(other).tolist()


@pytest.mark.parametrize("classifier", ALL, ids=lambda each: each.name)
def test_the_same_seed_learns_the_same(classifier: Classifier) -> None:
    random = np.random.default_rng(3)
    known = records(category_schema(9, 9), *random.integers(0, 9, (2, 300)))
    labels = random.integers(0, 3, 300)
    asked = records(category_schema(9, 9), *random.integers(0, 9, (2, 300)))
    once, again = (classifier.learn(known, labels, 5)(asked) for _ in range(2))
    assert once.tolist() == again.tolist()


def test_adaboost_that_cannot_begin_says_the_commonest() -> None:
    """No stump beats a coin at an exclusive or."""
    one, other = np.array([0, 0, 1, 1] * 10), np.array([0, 1, 0, 1] * 10)
    known = records(category_schema(2, 2), one, other)
    assert set(ADABOOST.learn(known, one ^ other, 1)(known).tolist()) == {0}
    assert TREE.learn(known, one ^ other, 1)(known).tolist() == (one ^ other).tolist()


def test_other_errors_of_a_classifier_are_not_swallowed() -> None:
    def broken(seed: int) -> object:
        class Broken:
            def fit(self, features: object, labels: object) -> None:
                raise ValueError("something else")

        return Broken()

    with pytest.raises(ValueError, match="something else"):
        Classifier("broken", TREE.sees, broken).learn(copies(10, 1), np.arange(10), 1)


def test_the_smallest_of_the_commonest_is_it() -> None:
    assert most_common(np.array([4, 2, 2, 4, 1])) == 2


def test_the_forest_heads_what_classifiers_found() -> None:
    tree, ours = Part((TREE.name,), 0.3), Part((FOREST.name,), 0.4, Interval(0.1, 0.5))
    found = with_headline([tree, ours])
    assert (found.value, found.interval, found.parts) == (0.4, ours.interval, (tree, ours))
    assert with_headline([tree]).value == 0.3


def test_two_forests_are_told_apart_by_their_trees() -> None:
    assert (forest(5).key, forest(7).key) == (
        "random forest of 5 trees",
        "random forest of 7 trees",
    )
    assert len({each.key for each in ALL}) == len(ALL)
