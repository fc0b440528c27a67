"""Saving the plan as a file, loading one, and plans kept in the project, in one fold."""

from __future__ import annotations

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import plan_from_json
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import refuse
from understudy_dashboard.parts.privacy.kept_plans import kept_plans
from understudy_dashboard.parts.schema_file import text_of
from understudy_dashboard.session import Session


def plan_file(session: Session, plan: MechanismPlan | None) -> None:
    """Draw the fold: the plan as a file, to take away and to bring back, and plans kept here.

    Args:
        session: the page's state.
        plan: the present plan; None where the settings make none.
    """
    fold = st.popover(
        "Save or load a plan",
        icon=":material/bookmarks:",
        key="kept-plans",
        on_change="rerun",
        help="The settings as a file, or under a name in this project.",
    )
    with fold:
        _save(plan)
        _load(session)
        if fold.open:
            kept_plans(session, plan)


def _save(plan: MechanismPlan | None) -> None:
    st.download_button(
        "Save the plan",
        data="" if plan is None else plan.to_json(),
        file_name="plan.json",
        mime="application/json",
        on_click="ignore",
        disabled=plan is None,
        icon=":material/download:",
        key="plan-download",
        help="The settings only; nothing in it comes from the records.",
    )


def _load(session: Session) -> None:
    if is_demonstration():
        return
    given = st.file_uploader("Load a plan file", type=["json"], key=f"plan-{session.plans_loaded}")
    if given is None:
        return
    try:
        session.adopt(plan_from_json(text_of(given.getvalue())))
    except Refusal as refusal:
        refuse(refusal)
        return
    session.plans_loaded += 1
    session.notices.append("The plan is loaded.")
    st.rerun()
