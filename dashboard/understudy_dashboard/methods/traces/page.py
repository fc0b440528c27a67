"""The pages of made traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import streamlit as st

from understudy.mechanisms.plan import PUBLIC_PEOPLE, MechanismPlan
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.runs.folder import RunFolder
from understudy.runs.watched import Progress
from understudy_dashboard.drawings import Drawing
from understudy_dashboard.methods.choosing import Chosen, Filled
from understudy_dashboard.methods.looked import Looked, Tabs
from understudy_dashboard.methods.page import FOR_YOUR_TABLE, MethodPage
from understudy_dashboard.methods.traces import drawn, helping, inspecting, slides
from understudy_dashboard.methods.traces.words import made
from understudy_dashboard.parts.generate.pace import pace
from understudy_dashboard.parts.privacy.form import Extra
from understudy_dashboard.session import Session
from understudy_dashboard.slides import WHY_OF_DAYS, Slide


class TracesPage(MethodPage):
    """As `MethodPage`."""

    serves: str = (
        "The days of made-up people on a map: where they live and work, where they go, and when."
    )
    asked: Sequence[str] = (PUBLIC_PEOPLE, "gathered")
    why: tuple[str, str] = WHY_OF_DAYS

    def details(self, session: Session, decided: PlannedRun) -> Mapping[str, Callable[[], object]]:
        """Return the fold on what the method is for."""
        return {FOR_YOUR_TABLE: partial(st.markdown, helping.FITTING)}

    def extras(self, session: Session, chosen: Chosen) -> Mapping[str, Extra]:
        """See `helping`."""
        assert isinstance(chosen, Filled)
        return helping.extras(session, chosen)

    def counted(self, plan: MechanismPlan) -> str:
        """People and days."""
        assert isinstance(plan, TracesPlan)
        return made(plan)

    def pace(self, plan: MechanismPlan, progress: Progress) -> None:
        """How many people a second."""
        pace("People", progress)

    def tabs(self, looked: Looked, usual: Tabs) -> Tabs:
        """Maps, a made person, and the usual ones, with how close they come first of all."""
        found = inspecting.figures_of(looked)
        own: Tabs = {
            "Maps": {
                "Where people are": lambda: inspecting.density(looked, found),
                "Moves between zones": lambda: inspecting.flows(looked, found),
            },
            "A made person": {"": lambda: inspecting.one_person(looked)},
        }
        overview = {
            "In short": lambda: inspecting.how_close(looked, found),
            "Every measure": usual["Overview"][""],
        }
        return {
            "Overview": overview,
            **own,
            **{name: parts for name, parts in usual.items() if name != "Overview"},
        }

    def passing(self, looked: Looked) -> str:
        """Nothing: it stands under “In short”, with its chart."""
        return ""

    def released(self, decided: PlannedRun) -> str:
        """People and days."""
        return f"The days of {made(decided.plan_as(TracesPlan))} each, none of whom exists"

    def protected(self, decided: PlannedRun) -> tuple[Slide, ...]:
        """See `slides`."""
        return slides.protected(decided)

    def kept(self, run: RunFolder, decided: PlannedRun) -> tuple[Slide, ...]:
        """See `slides`."""
        return slides.kept(run)

    def making(self, decided: PlannedRun) -> tuple[Drawing, ...]:
        """See `drawn`."""
        return drawn.making()


PAGE: Final = TracesPage()
