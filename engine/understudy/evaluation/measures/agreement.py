"""How often classifiers trained on a table and on real records say the same (Table 8.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from understudy.evaluation.classifiers import ADABOOST, FOREST, TREE, Classifier, with_headline
from understudy.evaluation.finding import Measured, Part
from understudy.evaluation.measure import About
from understudy.evaluation.prediction import (
    MOST_VALUES,
    Answers,
    predictions,
    share_interval,
    target_of,
)
from understudy.evaluation.study import Study

_ABOUT = About(
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
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, Measured]:
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


def _part(name: str, ours: Answers, theirs: Answers) -> Part:
    same = ours.whole == theirs.whole
    without_ours = (ours.without == theirs.whole).mean(axis=1)
    without_theirs = (theirs.without == ours.whole).mean(axis=1)
    return Part((name,), float(same.mean()), share_interval(same, without_ours, without_theirs))


MEASURE = Agreement()
