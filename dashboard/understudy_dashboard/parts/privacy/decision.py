"""The screen where a method is decided: one budget, what comes of it, and all else folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from understudy.mechanisms.plan import MechanismPlan
from understudy_dashboard.frame import link
from understudy_dashboard.parts.privacy.details import draw_details
from understudy_dashboard.parts.privacy.plan_file import plan_file
from understudy_dashboard.session import Session


@dataclass(frozen=True)
class Decision:
    """What stands on the screen, each part drawn by a function.

    Attributes:
        purpose: what the table is for.
        spending: what may be spent, and what is asked beside it.
        outcome: what comes of it.
        keeping: what will be kept and what not, or why there is no plan.
        plan: what can be saved and run; None where the settings make no plan.
        details: what is folded, by title.
    """

    purpose: Callable[[], object]
    spending: Callable[[], object]
    outcome: Callable[[], object]
    keeping: Callable[[], object]
    plan: MechanismPlan | None
    details: Mapping[str, Callable[[], object]]


def decide(session: Session, decision: Decision) -> None:
    """Draw the screen."""
    decision.purpose()
    with st.container(key="deciding"):
        spending, outcome = st.columns([2, 3], gap="large")
    with spending:
        decision.spending()
    with outcome:
        decision.outcome()
    with st.container():
        decision.keeping()
    with st.container(horizontal=True, vertical_alignment="center"):
        if decision.plan is not None:
            link("generate", "Next: Generate")
        plan_file(session, decision.plan)
    draw_details(decision.details)
