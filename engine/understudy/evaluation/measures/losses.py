"""How much of the difference from real records is due to the model, and to the test (Table 9.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import Classifier
from understudy.evaluation.finding import Measured
from understudy.evaluation.game import distinguishing_advantage, held_out_table
from understudy.evaluation.measure import About
from understudy.evaluation.measures.distinguishing import FIVE
from understudy.evaluation.study import Study, Table

MODEL = "model loss"
FILTERING = "filtering loss"
UTILITY = "utility loss"

_ABOUT = About(
    key="losses",
    name="What the model loses, and what the privacy test loses",
    sentence=(
        "How well a random forest tells real records from candidates before the test (model "
        "loss), candidates from records that passed (filtering loss), and real records from "
        "those that passed (utility loss): 0 % is no better than a coin, 100 % is never wrong."
    ),
    low=0.0,
    high=1.0,
    better="lower",
    group="distinguishing",
    parts="classifier",
    source="dissertation 2018, §5.1, §9.3.3 and Table 9.3",
)


@dataclass(frozen=True)
class Losses:
    """The three advantages, by classifier.

    Where nothing was released, records that were made and tested in the same way stand in: the
    study's first table of role "synthetic", which is that of the planned ω.

    Attributes:
        classifiers: who plays.
        about: what it says of itself.
    """

    classifiers: tuple[Classifier, ...] = FIVE
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, Measured]:
        """Return the three losses.

        Raises:
            Refusal: there are no candidates, no records that passed, or too few of them.
        """
        before = _there(study.of("candidates"), "candidates before the test")
        passed = _there(study.of("released") or study.of("synthetic"), "records that passed it")
        pairs = {
            MODEL: (held_out_table(study), before),
            FILTERING: (before, passed),
            UTILITY: (held_out_table(study), passed),
        }
        return {
            loss: distinguishing_advantage(study, *tables, self.classifiers)
            for loss, tables in pairs.items()
        }


def _there(table: Table | None, what: str) -> Table:
    if table is None:
        raise Refusal(
            f"There are no {what}, or too few, to compare.",
            "Where candidates are tested, plan more attempts, or a test that more of them pass.",
        )
    return table


MEASURE = Losses()
