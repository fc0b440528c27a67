"""Saving the plan as a file, loading one, and plans kept in the project."""

from __future__ import annotations

import streamlit as st

from dashboard.demo import is_demonstration
from dashboard.frame import refuse
from dashboard.parts.privacy.kept_plans import kept_plans
from dashboard.parts.schema_file import text_of
from dashboard.session import Session
from engine.core.refusal import Refusal
from engine.mechanisms.plan import MechanismPlan
from engine.mechanisms.registry import plan_from_json


def plan_file(session: Session, plan: MechanismPlan | None) -> None:
    """The plan as a file, to take away and to bring back."""
    _save(plan)
    _load(session)
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
    turn = session.plans_loaded
    with st.popover("Load a plan", icon=":material/upload:"):
        given = st.file_uploader("A plan file", type=["json"], key=f"plan-{turn}")
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
