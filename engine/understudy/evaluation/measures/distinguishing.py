"""How well a classifier tells a table from real records (Table 8.5, Figure 9.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from understudy.evaluation.classifiers import ADABOOST, BOOSTING, FOREST, LOGISTIC, TREE, Classifier
from understudy.evaluation.finding import Measured
from understudy.evaluation.game import distinguishing_advantage, held_out_table
from understudy.evaluation.measure import About
from understudy.evaluation.study import Study

FIVE = (FOREST, TREE, ADABOOST, BOOSTING, LOGISTIC)

_ABOUT = About(
    key="distinguishing",
    name="Telling records from real ones",
    sentence=(
        "How much better than a coin a random forest tells records of the table from real ones: "
        "0 % is no better, 100 % is never wrong."
    ),
    low=0.0,
    high=1.0,
    better="lower",
    group="distinguishing",
    parts="classifier",
    source="VLDB 2017, Table 5; dissertation 2018, Definition 5.1, Table 8.5 and Figure 9.1",
)


@dataclass(frozen=True)
class Distinguishing:
    """The advantage γ̂ = 2|a − ½| over held-out records, by classifier.

    Attributes:
        classifiers: who plays.
        about: what it says of itself.
    """

    classifiers: tuple[Classifier, ...] = FIVE
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, Measured]:
        """Return every table.

        Raises:
            Refusal: there are too few records; see `distinguishing_advantage`.
        """
        return study.each(
            lambda table: distinguishing_advantage(
                study, held_out_table(study), table, self.classifiers
            )
        )


MEASURE = Distinguishing()
