"""What pages draw of seedbased synthesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.relating import related_in
from understudy.runs.folder import RunFolder
from understudy.runs.watched import Progress
from understudy.table.schema import Column
from understudy_dashboard import words
from understudy_dashboard.drawings import Drawing
from understudy_dashboard.internal import internal
from understudy_dashboard.methods.looked import Looked, Tabs
from understudy_dashboard.methods.page import MethodPage
from understudy_dashboard.methods.seedbased import details, slides
from understudy_dashboard.methods.seedbased.bounds import bounds_tab
from understudy_dashboard.methods.seedbased.effect import effect
from understudy_dashboard.methods.seedbased.inspecting import dependencies, pass_rates
from understudy_dashboard.methods.seedbased.marking import marking
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.methods.seedbased.passing import passing, planned_sample
from understudy_dashboard.methods.seedbased.privacy import privacy
from understudy_dashboard.methods.seedbased.words import WORDS
from understudy_dashboard.parts.evaluation import asking
from understudy_dashboard.parts.generate.pace import pace
from understudy_dashboard.parts.inspect.groups import group_tab
from understudy_dashboard.parts.privacy.details import open_detail
from understudy_dashboard.session import Session
from understudy_dashboard.spending import progress_of

_MODELS: Final = (
    "How well the model says each column from the others will be shown here, beside one learned "
    "without noise."
)


class SeedbasedPage(MethodPage):
    """What pages draw of plans of seedbased synthesis."""

    empty = (
        "No candidate passed, so the table is empty. A smaller k, a larger ω or more "
        "attempts let more pass; each further run is a further spend."
    )

    def privacy(self, session: Session) -> None:
        """The planner, and every setting by hand."""
        privacy(session)

    def many_plans(self) -> None:
        """Draw the plans; see `MethodPage`."""
        open_detail(details.MANY)

    def buckets(self, session: Session, column: Column) -> None:
        """How many counts there are, and the noise on each."""
        super().buckets(session, column)
        effect(session, column)

    def marking(self, session: Session) -> None:
        """A target, columns, pairs and triples that get budget first."""
        marking(session)

    def related(self, session: Session, choices: Sequence[Column]) -> tuple[int, ...] | None:
        """Return what the plan in use could count; None where the settings make no plan."""
        assert session.schema is not None
        try:
            plan, made = own(session).plan(), own(session).promise()
        except Refusal:
            return None
        known = own(session).wish.records_at_least
        return related_in(plan, session.schema, made, choices, known)

    def counted(self, plan: MechanismPlan) -> str:
        """Attempts, records or rows."""
        return WORDS.planned(plan)

    def hides_pace(self, plan: MechanismPlan) -> bool:
        """Return whether the pace would tell how many attempts were needed."""
        return isinstance(plan, Plan) and plan.protocol == "releases"

    def pace(self, plan: MechanismPlan, progress: Progress) -> None:
        """Attempts, and how many passed."""
        assert isinstance(plan, Plan)
        if self.hides_pace(plan):
            with internal("pace", "How long a run takes tells how many attempts it needs."):
                pace("Records", progress)
            return
        if plan.shares.seeds == 0:
            pace("Rows", progress)
            return
        pace("Attempts", progress)
        with internal("passed", "Until the run has finished."):
            st.markdown(f"{words.count(progress.passed, 'candidate')} passed so far.")

    def tabs(self, looked: Looked, usual: Tabs) -> Tabs:
        """With the model, after the distances, and the privacy test."""
        figures = _figures(looked)
        if figures is None:
            return usual
        plan, made = looked.decided.plan_as(Plan), looked.decided.guarantee.account_as(Promise)
        titles = [each.title or each.name for each in looked.schema.columns]
        models = {
            "Accuracy by column": lambda: _accuracy(looked),
            "Dependencies": lambda: dependencies(figures, plan, titles),
        }
        test = {
            "Pass rate": lambda: pass_rates(figures, plan, made),
            "Bounds": lambda: bounds_tab(figures, plan, made),
        }
        found = {}
        for name, parts in usual.items():
            if name == "Compare" and made.seeds is not None:
                found["Privacy test"] = test
            found[name] = dict(parts)
            if name == "Distances":
                found["Models"] = models
        return found

    def passing(self, looked: Looked) -> str:
        """Return how many candidates pass."""
        figures = _figures(looked)
        if figures is None:
            return ""
        decided = looked.decided
        made = decided.guarantee.account_as(Promise)
        return passing(figures, decided.plan_as(Plan), made)

    def totals(self, run: RunFolder, decided: PlannedRun) -> Mapping[str, str]:
        """Return how many attempts were made, and how many passed."""
        plan, made = decided.plan_as(Plan), decided.guarantee.account_as(Promise)
        progress = progress_of(run)
        if made.seeds is None:
            return {
                "Planned": words.count(plan.attempts, "row"),
                "Rows made": "not known" if progress is None else f"{progress.done:,}",
            }
        with run.intact():
            figures = Figures.load(run.internal)
        sample = None if figures is None else planned_sample(figures, plan)
        rate = None if sample is None else sample.pass_rate(plan.test, made.pass_cap)
        return {
            "Attempts made": "not known" if progress is None else f"{progress.done:,}",
            "Candidates passed": "not known" if progress is None else f"{progress.passed:,}",
            "Share expected to pass": "not known" if rate is None else words.percent(rate),
        }

    def making(self, decided: PlannedRun) -> tuple[Drawing, ...]:
        """From the model alone, or from seeds."""
        return slides.making(decided)


PAGE: Final = SeedbasedPage()


def _figures(looked: Looked) -> Figures | None:
    """Return all that the run measured as it ended."""

    def load() -> Figures | None:
        with looked.run.intact():
            return Figures.load(looked.run.internal)

    figures: Figures | None = looked.session.keep("figures", looked.run.identity, load)
    return figures


def _accuracy(looked: Looked) -> None:
    if looked.found is None:
        asking(looked.session, looked.run, looked.schema, _MODELS)
    else:
        group_tab(looked.found, "models")
