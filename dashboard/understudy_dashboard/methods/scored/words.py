"""What pages say of plans of scored candidates."""

from __future__ import annotations

from typing import Final

from understudy.evaluation.fitness import Use
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy_dashboard.methods.words import MethodWords


class ScoredWords(MethodWords):
    """As `MethodWords`."""

    def uses(self, decided: PlannedRun[ScoredPlan]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """Return what a release is fit for, and what not."""
        return (
            Use("Rows near those of a group", "where the model knows what sets it apart"),
            Use("Trying out a model of your own", "it has to propose rows and score them only"),
        ), (
            Use("Shares and counts", "few rows come out, and rare ones are turned away"),
            Use("Finding or counting single people", "each row is like many people’s"),
        )


WORDS: Final = ScoredWords()
