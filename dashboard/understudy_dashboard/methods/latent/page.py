"""The pages of latent models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import streamlit as st

from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.planned_run import PlannedRun
from understudy.runs.watched import Progress
from understudy_dashboard.methods.latent import inspecting
from understudy_dashboard.methods.looked import Looked, Tabs
from understudy_dashboard.methods.page import FOR_YOUR_TABLE, MethodPage
from understudy_dashboard.parts.generate.pace import pace
from understudy_dashboard.session import Session

ROAD: Final = (
    "Behind the columns a few *hidden numbers* are imagined, such as how ill somebody is. How each "
    "column follows them is learned from noisy sums over all records, and new records are drawn "
    "from it. Take it for a hundred columns of two values or more, of which most records have few. "
    "Up to some fifty columns, or for categories, the calibrated model of seedbased synthesis "
    "measures counts instead and is closer.\n\n"
    "**Factors** are to begin with: chances never leave 0 to 1, and what noise may explain is left "
    "out. **Principal directions** are simpler, and are shown to compare. **A small network** "
    "learns by many noisy steps; below hundreds of thousands of records it keeps less than factors."
)


class LatentPage(MethodPage):
    """As `MethodPage`."""

    serves: str = (
        "A whole table of very many yes-or-no columns, of which most records are yes in few, such "
        "as diagnoses; also of measured numbers."
    )

    def details(self, session: Session, decided: PlannedRun) -> Mapping[str, Callable[[], object]]:
        """Return the fold on which road to take."""
        return {FOR_YOUR_TABLE: partial(st.markdown, ROAD)}

    def counted(self, plan: MechanismPlan) -> str:
        """Rows."""
        assert isinstance(plan, LatentPlan)
        return f"{plan.rows:,} rows"

    def pace(self, plan: MechanismPlan, progress: Progress) -> None:
        """How many rows a second."""
        pace("Rows", progress)

    def tabs(self, looked: Looked, usual: Tabs) -> Tabs:
        """Return the usual ones, and what the hidden numbers carry, where there are such."""
        if looked.decided.plan_as(LatentPlan).model == "variational":
            return usual
        own: Tabs = {
            "Hidden numbers": {
                "What they carry": lambda: inspecting.carried(looked),
                "Records and what is kept": lambda: inspecting.what_is_kept(looked),
                "A map of records": lambda: inspecting.records_on_a_map(looked),
            }
        }
        before = {name: parts for name, parts in usual.items() if name != "Compare"}
        after = {name: parts for name, parts in usual.items() if name == "Compare"}
        return {**before, **own, **after}


PAGE: Final = LatentPage()
