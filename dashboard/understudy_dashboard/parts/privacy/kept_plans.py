"""Plans kept in the project under a name: put down, taken up again, and compared."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Differing
from understudy.mechanisms.plan import MechanismPlan
from understudy.projects import plans
from understudy.projects.plans import KeptPlan
from understudy.projects.project import Project
from understudy_dashboard import words
from understudy_dashboard.frame import refuse, showing_refusals
from understudy_dashboard.parts.setting_words import SettingWords
from understudy_dashboard.session import Session


def kept_plans(session: Session, plan: MechanismPlan | None) -> None:
    """Draw the kept plans of the open project, and a field to keep the present one.

    Args:
        session: the page's state.
        plan: the present plan; None where the settings make none.
    """
    project = session.project
    if project is None:
        return
    with showing_refusals():
        _keep(session, project, plan)
        for each in plans.plans_of(project):
            _row(session, project, each, plan)


def _keep(session: Session, project: Project, plan: MechanismPlan | None) -> None:
    with st.form("keep-plan", border=False, clear_on_submit=False):
        name = st.text_input("Keep the present plan as", key="keep-plan-name")
        asked = st.form_submit_button("Keep it", icon=":material/bookmark_add:", disabled=not plan)
        below = st.container()
    if plan is None:
        st.caption("The present settings make no plan yet.")
        return
    if not asked:
        return
    try:
        kept = plans.keep(project, name, plan)
    except Refusal as refusal:
        with below:
            refuse(refusal)
        return
    session.notices.append(f"The plan is kept as {words.plain(kept.name)}.")
    st.rerun()


def _row(session: Session, project: Project, kept: KeptPlan, plan: MechanismPlan | None) -> None:
    known = None if plan is None else SettingWords((plan, kept.plan))
    found = () if known is None else known.differing()
    fits = session.schema is not None and kept.plan.domain == session.schema.fingerprint
    with st.container(border=True):
        st.markdown(f"**{words.plain(kept.name)}** · {_difference(found, plan, fits)}")
        if known is not None and found and fits:
            st.dataframe(table(known), hide_index=True, alt=f"What differs in {kept.name}")
        with st.container(horizontal=True):
            if st.button("Use it", key=f"use-{kept.name}", disabled=not fits or not found):
                session.adopt(kept.plan)
                session.notices.append(f"{words.plain(kept.name)} is the plan now.")
                st.rerun()
            if st.button("Delete", key=f"drop-{kept.name}", icon=":material/delete:"):
                plans.forget(project, kept.name)
                st.rerun()


def _difference(found: tuple[Differing, ...], plan: MechanismPlan | None, fits: bool) -> str:
    if not fits:
        return "made for other columns or buckets, so it cannot be used now"
    if plan is None:
        return "to take up again"
    if not found:
        return "the present plan"
    return f"{words.count(len(found), 'setting differs', 'settings differ')} from the present plan"


def table(found: SettingWords) -> pd.DataFrame:
    """Return what differs, a row a setting."""
    return pd.DataFrame(
        [
            {"Setting": found.labelled(each.setting), "Now": now, "There": there}
            for each in found.differing()
            for now, there in [found.printed(each)]
        ]
    )
