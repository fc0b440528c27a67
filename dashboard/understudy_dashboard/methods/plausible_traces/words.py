"""What pages say of plans of days like given people's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.evaluation.fitness import Use
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.plausible_traces.plan import KEPT, PlausiblePlan
from understudy_dashboard import words
from understudy_dashboard.methods.words import MethodWords


class PlausibleWords(MethodWords):
    """As `MethodWords`."""

    another: tuple[str, str] = ("another ε, fewer attempts, or less that is kept of a day", "")

    def describe_plan(self, plan: MechanismPlan) -> str:
        """Return how many attempts, and what each keeps."""
        assert isinstance(plan, PlausiblePlan)
        kept = KEPT[plan.keeps]
        return f"{words.count(plan.attempts, 'attempt')}, {kept[:1].lower()}{kept[1:]}"

    def list_settings(self, plan: MechanismPlan) -> Mapping[str, str]:
        """Return attempts, and what is kept of a day."""
        assert isinstance(plan, PlausiblePlan)
        return {"Attempts": f"{plan.attempts:,}", "Kept": KEPT[plan.keeps]}

    def cover_line(self, decided: PlannedRun[PlausiblePlan]) -> str:
        """Answer as `MethodWords`."""
        return f"Covers each person with all of their days. {self.covers(decided)}"

    def uses(self, decided: PlannedRun[PlausiblePlan]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """Return what a release is fit for, and what not."""
        return (
            Use("Examples for a board, a lesson or a program", "each day looks like a real one"),
        ), (
            Use("Shares among people", "only days come out that many people’s are like"),
            Use("Rare days", "they never come out"),
            Use("Following one person", "all but the outline is made up"),
        )

    def explain_loss(self, decided: PlannedRun[PlausiblePlan]) -> str:
        """Answer as `MethodWords`."""
        return "as only common days come out: made traces keep more of a whole table."


WORDS: Final = PlausibleWords()
