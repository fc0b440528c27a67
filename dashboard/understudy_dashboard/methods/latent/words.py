"""What pages say of plans of latent models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.evaluation.fitness import Use
from understudy.mechanisms.latent.plan import MODELS, LatentPlan
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy_dashboard.methods.words import MethodWords


class LatentWords(MethodWords):
    """As `MethodWords`."""

    another: tuple[str, str] = ("another ε, model or number of hidden numbers", "")

    def describe_plan(self, plan: MechanismPlan) -> str:
        """Return how many records are drawn, of which model."""
        assert isinstance(plan, LatentPlan)
        return f"{plan.rows:,} rows of {_MODELS[plan.model]}"

    def list_settings(self, plan: MechanismPlan) -> Mapping[str, str]:
        """Return the model, how many hidden numbers and how many rows."""
        assert isinstance(plan, LatentPlan)
        hidden = {} if plan.model == "variational" else {"Hidden numbers": f"{plan.width:,}"}
        return {"Model": MODELS[plan.model], **hidden, "Rows": f"{plan.rows:,}"}

    def uses(self, decided: PlannedRun[LatentPlan]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """Return what a release is fit for, and what not."""
        return (
            Use("Shares of single columns", "each is measured, with noise"),
            Use("How two columns go together", "where the relation stands out of the noise"),
        ), (
            Use("Weak relations", "they are left out, as noise covers them"),
            Use("Exceptions to a pattern", "a few hidden numbers cannot express them"),
            Use("Finding or counting single people", "its records are made up, and nobody’s"),
        )

    def explain_loss(self, decided: PlannedRun[LatentPlan]) -> str:
        """Answer as `MethodWords`: what stands out of noise, or does not."""
        if decided.plan.model == "variational":
            return (
                "so it keeps no more than a table that ignores all relations: a network learns "
                "little from so few records at this ε. Factors, a larger ε or the calibrated model "
                "of seedbased synthesis would keep more."
            )
        return (
            "so it keeps no more than a table that ignores all relations: noise on the sums covers "
            "what two flags have in common. A larger ε, more records, or fewer flags counted of a "
            "record would change that; up to some fifty columns the calibrated model of seedbased "
            "synthesis keeps more."
        )


_MODELS: Final = {
    "factors": "a factor model",
    "principal": "principal directions",
    "variational": "a small network",
}

WORDS: Final = LatentWords()
