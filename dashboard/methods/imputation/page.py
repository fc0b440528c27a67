"""The pages of Bayesian imputation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dashboard.drawings import Drawing
from dashboard.methods.choosing import Chosen, Filled
from dashboard.methods.imputation import helping, seeing
from dashboard.methods.imputation.drawn import picture, prior
from dashboard.methods.page import MethodPage
from dashboard.parts.privacy.form import Extra
from dashboard.session import Session
from engine.mechanisms.imputation.fields import CAPTIONS, RELEASES
from engine.mechanisms.imputation.plan import ImputationPlan
from engine.mechanisms.plan import MechanismPlan
from engine.mechanisms.planned_run import PlannedRun


class ImputationPage(MethodPage):
    """What pages draw of plans of Bayesian imputation."""

    empty: str = "Nothing was drawn."

    def extras(self, session: Session, chosen: Chosen) -> Mapping[str, Extra]:
        """See `helping`."""
        assert isinstance(chosen, Filled)
        return helping.extras(session, chosen)

    def more(self, session: Session, decided: PlannedRun) -> None:
        """How rows cost, what the prior distorts, the average case, and the source."""
        plan = decided.plan
        assert isinstance(plan, ImputationPlan)
        if plan.release != "noised-mode":
            seeing.more_rows(decided)
        seeing.distortion(decided)
        seeing.average_case(decided)
        seeing.source()

    def counted(self, plan: MechanismPlan) -> str:
        """Rows, or parameters."""
        assert isinstance(plan, ImputationPlan)
        if not plan.copies:
            return "the parameters"
        tables = f"{plan.copies} × " if plan.copies > 1 else ""
        return f"{tables}{plan.rows:,} rows"

    def making(self, decided: PlannedRun) -> tuple[Drawing, ...]:
        """The prior, what is drawn, and what comes of it."""
        plan = decided.plan_as(ImputationPlan)
        return (
            prior("**Counts, and a prior.** The records of every cell are counted, and the prior "
                  "puts the same number of made-up ones into each."),
            Drawing(picture(plan.release), f"**{RELEASES[plan.release]}.** "
                    f"{CAPTIONS[plan.release]}"),
        )  # fmt: skip


PAGE: Final = ImputationPage()
