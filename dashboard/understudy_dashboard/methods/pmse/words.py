"""What pages say of plans of the pMSE mechanism."""

from __future__ import annotations

from typing import Final

from understudy.evaluation.fitness import Use
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy_dashboard.methods.words import MethodWords


class PmseWords(MethodWords):
    """As `MethodWords`."""

    another: tuple[str, str] = ("another ε, order of columns or class of partitions", "")

    def uses(self, decided: PlannedRun[PmsePlan]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """Return what a release is fit for, and what not."""
        return (
            Use("Averages and spreads of numbers", "the model has them as its own numbers"),
            Use("Relations that are straight lines", "each column is such a line of others"),
        ), (
            Use("Shapes with two peaks or bends", "no line describes them"),
            Use("Many columns or categories", "each takes its share of ε"),
            Use("Finding or counting single people", "its records are made up, and nobody’s"),
        )

    def explain_loss(self, decided: PlannedRun[PmsePlan]) -> str:
        """Answer as `MethodWords`: more often the shape than the noise."""
        return (
            "so it keeps no more than a table that ignores all relations: a regression for each "
            "column on those before it does not describe this table, or ε is too small to find "
            "one that does. The calibrated model of seedbased synthesis takes any shape."
        )


WORDS: Final = PmseWords()
