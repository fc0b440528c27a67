"""What pages say of plans of Bayesian imputation."""

from __future__ import annotations

from typing import Final

from dashboard.methods.words import MethodWords
from engine.mechanisms.imputation.plan import ImputationPlan
from engine.mechanisms.planned_run import PlannedRun


class ImputationWords(MethodWords):
    """As `MethodWords`."""

    another: tuple[str, str] = ("another prior, other rows or another release", "")

    def lost(self, decided: PlannedRun) -> str:
        """As `MethodWords`: by the plan where columns are independent in it."""
        plan = decided.plan_as(ImputationPlan)
        said = "so it keeps no more than a table that ignores all relations"
        if plan.joint or plan.given:
            return (
                f"{said}: either the prior says too much of it, or relations are between columns "
                "that this plan draws independently."
            )
        return (
            f"{said}: this plan draws every column independently. Under “Further settings” on the "
            "Privacy page, columns can be counted together, or depend on others."
        )

    def advice(self, decided: PlannedRun) -> str | None:
        """As `MethodWords`, and where to spend less."""
        said = super().advice(decided)
        if said is None or decided.plan_as(ImputationPlan).release == "noised-mode":
            return said
        return (
            f"{said} “Find the smallest prior” on the Privacy page finds how strong a prior keeps "
            "to an ε."
        )


WORDS: Final = ImputationWords()
