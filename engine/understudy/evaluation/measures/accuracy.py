"""How well a classifier trained on a table predicts a column of real records (Table 8.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from understudy.evaluation.classifiers import (
    ADABOOST,
    FOREST,
    TREE,
    Classifier,
    most_common,
    with_headline,
)
from understudy.evaluation.finding import Measured, Part
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measure import About
from understudy.evaluation.prediction import (
    MOST_VALUES,
    Answers,
    labels,
    predictions,
    seeds_of,
    share_interval,
    target_of,
)
from understudy.evaluation.study import Study

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

    def measure(self, study: Study) -> Mapping[str, Measured]:
        """Return every table, and the commonest value of the seeds for comparison.

        Raises:
            Refusal: the target cannot be predicted; see `target_of`.
        """
        target = target_of(study, self.most_values)
        made = predictions(study, target, self.classifiers)

        def part(name: str, answers: Answers) -> Part:
            right = answers.whole == made.truth
            without = (answers.without == made.truth).mean(axis=1)
            return Part((name,), float(right.mean()), share_interval(right, without))

        found = {
            table: with_headline([part(*each) for each in by_classifier.items()])
            for table, by_classifier in made.tables.items()
        }
        guess = most_common(labels(seeds_of(study), target))
        right = int(np.count_nonzero(made.truth == guess))
        share = right / len(made.truth)
        return {**found, COMMONEST: Measured(share, clopper_pearson(right, len(made.truth)))}


MEASURE = Accuracy()
