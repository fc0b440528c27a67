"""The pages of days like given people's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import QuickFigures
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import PUBLIC_PEOPLE, MechanismPlan
from understudy.mechanisms.plausible_traces.guarantee import Promise
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.runs.folder import RunFolder
from understudy.runs.work_folder import Progress
from understudy_dashboard import slides, words
from understudy_dashboard.methods.method_settings import FormSettings, MethodSettings
from understudy_dashboard.methods.page import FOR_YOUR_TABLE, MethodPage, draw_pace
from understudy_dashboard.parts.form import Extra
from understudy_dashboard.parts.record_counts import make_people_extra
from understudy_dashboard.session import Session
from understudy_dashboard.slides import WHY_OF_DAYS, Slide, SlideDrawing

_FITTING: Final = (
    "For a few days that look like real ones: examples for a board, a lesson, the test of a "
    "program. A weekday of a real person is taken, only what it was made of is kept, such as “at "
    "home, at work, at home”, and all else is made up. The result is released only where *hundreds "
    "of other people's days* are made of the same. So only common days come out, and shares among "
    "them are not shares among people. It takes five thousand people or more. For a whole table of "
    "days to be counted and analysed, choose *made traces*: they lose less, and need fewer people."
)
_CONFIRM: Final = (
    "**The promise counts on a number of people that everybody may know.** Say it below. Until "
    "then the figures are for {needed:,} people."
)


_COMMON: Final = (
    "Only days come out that many people’s are like. Shares among them are not shares among people."
)


class PlausiblePage(MethodPage):
    """As `MethodPage`."""

    serves: str = (
        "A few single days that look real, as examples: each is made of what hundreds of people’s "
        "days are made of."
    )
    asked: Sequence[str] = (PUBLIC_PEOPLE, "attempts")
    why: tuple[str, str] = WHY_OF_DAYS
    empty: str = (
        "No day came out: too few people have days that are made of the same. Keep less of a day, "
        "make fewer attempts, or choose made traces."
    )

    def details(
        self, session: Session, decided: PlannedRun[PlausiblePlan]
    ) -> Mapping[str, Callable[[], object]]:
        """Return the fold on what the method is for."""
        return {FOR_YOUR_TABLE: partial(st.markdown, _FITTING)}

    def warns(self, session: Session) -> str:
        """Warn that the number of people is not confirmed yet."""
        with suppress(Refusal):
            decided = session.settings.planned_run()
            if getattr(decided.plan, PUBLIC_PEOPLE) is None:
                return _CONFIRM.format(needed=decided.guarantee.people_at_least or 0)
        return ""

    def extras(self, session: Session, chosen: MethodSettings) -> Mapping[str, Extra]:
        """Return the number of people of the table, beside that which is counted on."""
        assert isinstance(chosen, FormSettings)
        return {PUBLIC_PEOPLE: make_people_extra(session, chosen.held, PUBLIC_PEOPLE)}

    def describe_steps(self, plan: MechanismPlan) -> str:
        """Return the number of attempts."""
        assert isinstance(plan, PlausiblePlan)
        return words.count(plan.attempts, "attempt")

    def describe_released(self, decided: PlannedRun[PlausiblePlan]) -> str:
        """Return days, and how many attempts they come from."""
        return f"Single days like real people’s, from {self.describe_steps(decided.plan)}"

    def making(self, decided: PlannedRun[PlausiblePlan]) -> tuple[SlideDrawing, ...]:
        """Return a model of days, the test, and what passes it."""
        made = decided.guarantee.account_as(Promise)
        return (
            slides.draw_noisy_counts(
                "**A model of days** is made from counts of some people, with noise on every count."
            ),
            slides.draw_crowd(
                "Of another person's day only **what it was made of** is kept, and only where "
                f"**about {made.test.k:,} other people’s days** are made of the same."
            ),
            slides.draw_gate(
                f"All else is made up by the model. Of {self.describe_steps(decided.plan)}, those "
                "that fail **release nothing**."
            ),
        )

    def list_kept_slides(
        self, run: RunFolder, decided: PlannedRun[PlausiblePlan]
    ) -> tuple[Slide, ...]:
        """Return how many days were to come out. Internal."""
        with run.intact():
            found = QuickFigures.load(run.internal)
        if found is None:
            return ()
        return (Slide("kept", "What came out", points=found.told, text=_COMMON, internal=True),)

    def pace(self, plan: MechanismPlan, progress: Progress) -> None:
        """Draw how many attempts a second."""
        draw_pace("Attempts", progress)


PAGE: Final = PlausiblePage()
