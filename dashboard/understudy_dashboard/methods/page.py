"""How fast a run goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Generic

import streamlit as st

from understudy.core.numerals import describe_duration
from understudy.evaluation.comparison import Compared
from understudy.mechanisms.mechanism import PlannedRun, PlanT_co
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import mechanism_of
from understudy.runs.folder import RunFolder
from understudy.runs.work_folder import Progress
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.methods.folders import module_of
from understudy_dashboard.methods.method_settings import MethodSettings
from understudy_dashboard.methods.privacy import MethodParts, draw_privacy
from understudy_dashboard.parts.evaluation import FoundEvaluation
from understudy_dashboard.parts.form import Extra
from understudy_dashboard.session import Session
from understudy_dashboard.slides import WHY, Slide, SlideDrawing


def draw_pace(what: str, progress: Progress) -> None:
    """Draw how many steps are done, how many a second, and the time that is left."""
    done, fast, left = st.columns(3)
    done.metric(what, f"{progress.done:,} of {progress.attempts:,}")
    fast.metric("A second", f"{progress.pace:,.0f}" if progress.pace else "–")
    seconds = progress.seconds_left
    left.metric("Time left", "–" if seconds is None else describe_duration(seconds))


Tabs = Mapping[str, Mapping[str, Callable[[], None]]]
"""The tabs of a page, each with its parts, each drawn when it is looked at."""


@dataclass(frozen=True, eq=False)
class RunInspection(Generic[PlanT_co]):
    """The run that is looked at, and all there is to see of it.

    Attributes:
        session: the page's state.
        run: it.
        decided: what was run, and what that promises.
        compared: its table and others beside held-out records; none where none were compared.
        told: what else the run has to say of itself, a sentence each.
        found: what was measured of it; None before that was asked for.
    """

    session: Session
    run: RunFolder
    decided: PlannedRun[PlanT_co]
    compared: tuple[Compared, ...] = ()
    told: tuple[str, ...] = ()
    found: FoundEvaluation | None = None

    @property
    def schema(self) -> Schema:
        """The columns that are compared, derived ones among them."""
        return self.decided.measured_schema


FOR_YOUR_TABLE: Final = "Is this the method for your table?"


class MethodPage:
    """What pages draw of plans of any method.

    Attributes:
        serves: what a table is for, in a sentence; "" for what the method says of itself.
        asked: the settings that are asked beside the budget, by name.
        why: what a slide says of why not the real table, in large letters and in a few sentences.
        empty: what to say where a table came out empty.
    """

    serves: str = ""
    asked: Sequence[str] = ()
    why: tuple[str, str] = WHY
    empty: str = "The table came out empty. Other settings may leave more of it."

    def privacy(self, session: Session) -> None:
        """Draw the Privacy page, under the choice of the method."""
        draw_privacy(
            session, MethodParts(self.serves, self.asked, self.extras, self.warns, self.details)
        )

    def many_plans(self) -> None:
        """Have the Privacy page open with many plans at once, where it can try them."""

    def warns(self, session: Session) -> str:
        """Return what has to be known before anything is decided; "" for nothing."""
        return ""

    def extras(self, session: Session, chosen: MethodSettings) -> Mapping[str, Extra]:
        """Return what the page knows of some fields beyond their table, by name."""
        return {}

    def details(
        self, session: Session, decided: PlannedRun[Any]
    ) -> Mapping[str, Callable[[], object]]:
        """Return further views of a plan, folded, by title."""
        return {}

    def buckets(self, session: Session, column: Column) -> None:
        """Draw what follows from the buckets of a column as they are now, on the Buckets page."""
        st.subheader("What this does", anchor=False)
        buckets, values = st.columns(2)
        buckets.metric(
            "Buckets", f"{column.bucket_count:,}", help="Missing values have one of their own."
        )
        values.metric("Possible values", f"{column.cardinality:,}")

    def marking(self, session: Session) -> None:
        """Draw what must survive, on the Buckets page, where plans can be told."""

    def count_related(self, session: Session, choices: Sequence[Column]) -> tuple[int, ...] | None:
        """Return to how many other columns a column can be related in each of these buckets, with
        the levels above them, from public numbers alone; None where nothing is known beforehand."""
        return None

    def describe_steps(self, plan: MechanismPlan) -> str:
        """Return what the progress of a run counts, such as “200 attempts”."""
        return f"{mechanism_of(plan).steps(plan):,} steps"

    def hides_pace(self, plan: MechanismPlan) -> bool:
        """Return whether how fast a run goes is for nobody but the custodian."""
        return False

    def pace(self, plan: MechanismPlan, progress: Progress) -> None:
        """Draw how fast a run goes, while it is watched."""
        draw_pace("Steps", progress)

    def tabs(self, looked: RunInspection[Any], usual: Tabs) -> Tabs:
        """Return the tabs of Inspect. Internal.

        Args:
            looked: the run.
            usual: those that every method has.
        """
        return usual

    def summarise_run(self, looked: RunInspection[Any]) -> str:
        """Return what there is to say first of a run, in a sentence or two; "" for nothing.
        Internal."""
        return " ".join(looked.told)

    def totals(self, run: RunFolder, decided: PlannedRun[Any]) -> Mapping[str, str]:
        """Return what stands of a run among others that it is compared with. Internal."""
        return {}

    def making(self, decided: PlannedRun[Any]) -> tuple[SlideDrawing, ...]:
        """Return how it is done, drawn for a slide; none where there is no drawing."""
        return ()

    def describe_released(self, decided: PlannedRun[Any]) -> str:
        """Return what was released, for the first slide, such as “7 days of 1,000 made-up people”;
        "" for what is said of any table."""
        return ""

    def list_protection_slides(self, decided: PlannedRun[Any]) -> tuple[Slide, ...]:
        """Return slides on what is protected, from public numbers alone."""
        return ()

    def list_kept_slides(self, run: RunFolder, decided: PlannedRun[Any]) -> tuple[Slide, ...]:
        """Return slides on what was kept, where the usual ones have nothing to say. Internal."""
        return ()


@cache
def page_of(kind: str) -> MethodPage:
    """Return what pages draw of a method, installed or not."""
    found = module_of(kind, "page")
    page: MethodPage = MethodPage() if found is None else found.PAGE
    return page
