"""The pages of Bayesian imputation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from understudy.mechanisms.imputation.fields import CAPTIONS, RELEASES
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.planned_run import PlannedRun
from understudy_dashboard.drawings import Drawing
from understudy_dashboard.methods.choosing import Chosen, Filled
from understudy_dashboard.methods.imputation import helping, seeing
from understudy_dashboard.methods.imputation.drawn import picture, prior
from understudy_dashboard.methods.page import MethodPage
from understudy_dashboard.parts.privacy.form import Extra
from understudy_dashboard.session import Session

STATISTICIANS: Final = "What a statistician may ask"


class ImputationPage(MethodPage):
    """What pages draw of plans of Bayesian imputation."""

    serves: str = (
        "Shares and averages of a few columns, or rows drawn from them, with intervals that say "
        "how far they may be off."
    )
    empty: str = "Nothing was drawn."

    def extras(self, session: Session, chosen: Chosen) -> Mapping[str, Extra]:
        """See `helping`."""
        assert isinstance(chosen, Filled)
        return helping.extras(session, chosen)

    def details(self, session: Session, decided: PlannedRun) -> Mapping[str, Callable[[], object]]:
        """Return the folds: what rows cost and what is distorted, the average case, and the
        source."""
        return {STATISTICIANS: partial(_draw_questions, decided)}

    def counted(self, plan: MechanismPlan) -> str:
        """Rows, or parameters."""
        assert isinstance(plan, ImputationPlan)
        if not plan.copies:
            return "the parameters"
        tables = f"{plan.copies} × " if plan.copies > 1 else ""
        return f"{tables}{plan.rows:,} rows"

    def making(self, decided: PlannedRun) -> tuple[Drawing, ...]:
        """Return the prior, what is drawn, and what comes of it."""
        plan = decided.plan_as(ImputationPlan)
        return (
            prior("**Counts, and a prior.** The records of every cell are counted, and the prior "
                  "puts the same number of made-up ones into each."),
            Drawing(picture(plan.release), f"**{RELEASES[plan.release]}.** "
                    f"{CAPTIONS[plan.release]}"),
        )  # fmt: skip


def _draw_questions(decided: PlannedRun) -> None:
    """Draw what more rows cost, what the prior distorts, the average case, and the source."""
    if decided.plan_as(ImputationPlan).release != "noised-mode":
        seeing.more_rows(decided)
    seeing.distortion(decided)
    seeing.average_case(decided)
    seeing.source()


PAGE: Final = ImputationPage()
