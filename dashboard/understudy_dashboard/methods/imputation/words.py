"""What pages say of plans of Bayesian imputation."""

from __future__ import annotations

from typing import Final

from understudy.evaluation.fitness import Use
from understudy.mechanisms.imputation.plan import RELEASES, ImputationPlan
from understudy.mechanisms.mechanism import PlannedRun
from understudy_dashboard import words
from understudy_dashboard.methods.words import MethodWords
from understudy_dashboard.parts.plan_decision import BY_HAND


class ImputationWords(MethodWords):
    """As `MethodWords`."""

    another: tuple[str, str] = ("another prior, other rows or another release", "")

    def explain_loss(self, decided: PlannedRun[ImputationPlan]) -> str:
        """Answer as `MethodWords`: by the plan where columns are independent in it."""
        plan = decided.plan
        said = "so it keeps no more than a table that ignores all relations"
        if plan.joint or plan.given:
            return (
                f"{said}: either the prior says too much of it, or relations are between columns "
                "that this plan draws independently."
            )
        return (
            f"{said}: this plan draws every column independently. Under “Set every parameter "
            "yourself” on the Privacy page, columns can be counted together, or depend on others."
        )

    def describe_release(self, decided: PlannedRun[ImputationPlan]) -> str:
        """Name the release and its columns."""
        plan, names = decided.plan, decided.schema.names
        shown = plan.columns or names
        named = ", ".join(f"“{name}”" for name in shown[:_NAMED])
        if len(shown) > _NAMED:
            named += f" and {len(shown) - _NAMED} more"
        left = len(names) - len(shown)
        out = "" if not left else f"; {words.count(left, 'column')} left out"
        how_many = f"{plan.rows:,} rows of " if plan.copies else ""
        return f"{RELEASES[plan.release]}: {how_many}{named}{out}."

    def uses(self, decided: PlannedRun[ImputationPlan]) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """Return the uses by what is counted together."""
        plan = decided.plan
        fit = [Use("Shares and averages of single columns", "each has an interval of 95 %")]
        together = [*plan.joint, *((name, *on) for name, on in plan.given.items())]
        named = ", ".join(" × ".join(f"“{name}”" for name in group) for group in together[:3])
        if together:
            more = "" if len(together) <= 3 else f" and {len(together) - 3} more"
            fit.append(Use(f"How {named}{more} go together", "they are counted together"))
        other = "any other columns" if together else "columns"
        unfit = [
            Use(
                f"How {other} go together",
                f"they are generated independently; under “{BY_HAND}” columns can be counted "
                "together",
            ),
            Use("Finding or counting single people", "its records are made up, and nobody’s"),
        ]
        return tuple(fit), tuple(unfit)

    def advice(self, decided: PlannedRun[ImputationPlan]) -> str | None:
        """Answer as `MethodWords`, and where to spend less."""
        said = super().advice(decided)
        if said is None or decided.plan.release == "noised-mode":
            return said
        return (
            f"{said} A smaller “ε at most” on the Privacy page finds the made-up records that "
            "keep to it."
        )


_NAMED: Final = 4

WORDS: Final = ImputationWords()
