"""The screen where a method is decided: one budget, the outcome, all else folded, and the plan as a
file or kept under a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import Differing, MechanismPlan
from understudy.mechanisms.registry import plan_from_json
from understudy.projects import state
from understudy.projects.project import Project
from understudy.projects.state import KeptPlan
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import draw_link, show_refusal, showing_refusals
from understudy_dashboard.parts.run_list import SettingWords
from understudy_dashboard.parts.schema_file import read_upload
from understudy_dashboard.session import Session


def draw_kept_plans(session: Session, plan: MechanismPlan | None) -> None:
    """Draw the kept plans of the open project, and a field to keep the present one.

    Args:
        session: the page's state.
        plan: the present plan; None where the settings make none.
    """
    project = session.project
    if project is None:
        return
    with showing_refusals():
        _ask_to_keep(session, project, plan)
        for each in state.list_plans(project):
            _draw_kept_plan(session, project, each, plan)


def _ask_to_keep(session: Session, project: Project, plan: MechanismPlan | None) -> None:
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
        kept = state.keep_plan(project, name, plan)
    except Refusal as refusal:
        with below:
            show_refusal(refusal)
        return
    session.notices.append(f"The plan is kept as {words.escape(kept.name)}.")
    st.rerun()


def _draw_kept_plan(
    session: Session, project: Project, kept: KeptPlan, plan: MechanismPlan | None
) -> None:
    known = None if plan is None else SettingWords((plan, kept.plan))
    found = () if known is None else known.list_differing()
    fits = (
        session.settings.schema is not None
        and kept.plan.domain == session.settings.schema.fingerprint
    )
    with st.container(border=True):
        st.markdown(f"**{words.escape(kept.name)}** · {_describe_difference(found, plan, fits)}")
        if known is not None and found and fits:
            st.dataframe(plans_table(known), hide_index=True, alt=f"What differs in {kept.name}")
        with st.container(horizontal=True):
            if st.button("Use it", key=f"use-{kept.name}", disabled=not fits or not found):
                session.settings.adopt(kept.plan)
                session.notices.append(f"{words.escape(kept.name)} is the plan now.")
                st.rerun()
            if st.button("Delete", key=f"drop-{kept.name}", icon=":material/delete:"):
                state.forget_plan(project, kept.name)
                st.rerun()


def _describe_difference(
    found: tuple[Differing, ...], plan: MechanismPlan | None, fits: bool
) -> str:
    if not fits:
        return "made for other columns or buckets, so it cannot be used now"
    if plan is None:
        return "to take up again"
    if not found:
        return "the present plan"
    return f"{words.count(len(found), 'setting differs', 'settings differ')} from the present plan"


def plans_table(found: SettingWords) -> pd.DataFrame:
    """Return what differs, a row a setting."""
    return pd.DataFrame(
        [
            {"Setting": found.label_setting(each.setting), "Now": now, "There": there}
            for each in found.list_differing()
            for now, there in [found.print_setting(each)]
        ]
    )


def draw_plan_file(session: Session, plan: MechanismPlan | None) -> None:
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
        _draw_save(plan)
        _ask_plan_file(session)
        if fold.open:
            draw_kept_plans(session, plan)


def _draw_save(plan: MechanismPlan | None) -> None:
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


def _ask_plan_file(session: Session) -> None:
    if is_demonstration():
        return
    given = st.file_uploader("Load a plan file", type=["json"], key=f"plan-{session.plans_loaded}")
    if given is None:
        return
    try:
        session.settings.adopt(plan_from_json(read_upload(given.getvalue())))
    except Refusal as refusal:
        show_refusal(refusal)
        return
    session.plans_loaded += 1
    session.notices.append("The plan is loaded.")
    st.rerun()


KEY: Final = "privacy-details"
"""Under which the page's state says which of them is open."""
MEANING: Final = "What the promise means"
TOTAL: Final = "How the total comes about"
BY_HAND: Final = "Set every parameter yourself"


def find_open_detail() -> str | None:
    """Return the title of the fold that is open."""
    found: str | None = st.session_state.get(KEY)
    return found


def open_detail(title: str | None) -> None:
    """Open one of the folds, and close the others; None closes all."""
    st.session_state[KEY] = title


def draw_details(offered: Mapping[str, Callable[[], object]]) -> None:
    """Draw the folds, at most one of them open, and every parameter last.

    Args:
        offered: what is drawn in each, by its title.
    """
    if find_open_detail() not in offered:
        open_detail(None)
    # Where the settings make no plan most of them go. What is typed in stays where it was.
    with st.container():
        for title, draw in offered.items():
            if title != BY_HAND:
                _draw_fold(title, draw)
    if BY_HAND in offered:
        _draw_fold(BY_HAND, offered[BY_HAND])


def _draw_fold(title: str, draw: Callable[[], object]) -> None:
    key = f"{KEY}-{title}"
    st.session_state[key] = find_open_detail() == title
    fold = st.expander(title, key=key, on_change=_turn_fold, args=(title,))
    if fold.open:
        with fold, showing_refusals():
            draw()


def _turn_fold(title: str) -> None:
    """Follow a fold that somebody opened or closed."""
    open_detail(None if find_open_detail() == title else title)


@dataclass(frozen=True)
class PlanDecision:
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


def draw_decision(session: Session, decision: PlanDecision) -> None:
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
            draw_link("generate", "Next: Generate")
        draw_plan_file(session, decision.plan)
    draw_details(decision.details)
