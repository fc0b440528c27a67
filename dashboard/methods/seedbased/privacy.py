"""The Privacy page of seedbased synthesis: the planner, and every setting by hand."""

from __future__ import annotations

import streamlit as st

from dashboard import words
from dashboard.frame import Fields, link
from dashboard.methods.seedbased.acceptance import acceptance
from dashboard.methods.seedbased.accounting import charts, promised
from dashboard.methods.seedbased.by_hand import by_hand
from dashboard.methods.seedbased.own import own
from dashboard.methods.seedbased.planner import planner
from dashboard.methods.seedbased.predicted import nearness
from dashboard.methods.seedbased.rehearsal import rehearsal
from dashboard.parts.privacy.plan_file import plan_file
from dashboard.session import Session
from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise

PLANNER, BY_HAND = "Plan from what may be spent", "Set every parameter yourself"


def privacy(session: Session) -> None:
    """Draw the page."""
    plan, made, refusal = _computed(session)
    fields = Fields(refusal)
    planned, hand = st.tabs([PLANNER, BY_HAND], key="privacy-tab", on_change="rerun")
    if planned.open:
        with planned:
            planner(session, lambda: _promised(fields, plan, made))
            _looked_into(session, plan, made, wide=True)
    if hand.open:
        with hand:
            settings, figures = st.columns([2, 3], gap="large")
            with settings:
                by_hand(session, fields)
            with figures:
                _promised(fields, plan, made)
                _looked_into(session, plan, made, wide=False)
    acceptance(session, plan, fields)
    with st.container(horizontal=True, vertical_alignment="center"):
        if made is not None:
            link("generate", "Next: Generate")
        plan_file(session, plan if made is not None else None)


def _computed(session: Session) -> tuple[Plan | None, Promise | None, Refusal | None]:
    try:
        return own(session).plan(), own(session).promise(), None
    except Refusal as refusal:
        return None, None, refusal


def _promised(fields: Fields, plan: Plan | None, made: Promise | None) -> None:
    fields.rest()
    if plan is None or made is None:
        st.info("Mend the field marked in red, and the figures come back.")
    else:
        promised(plan, made)


def _looked_into(session: Session, plan: Plan | None, made: Promise | None, *, wide: bool) -> None:
    """How near it will come, charts, and what will pass."""
    if plan is None or made is None:
        return
    nearness(session, plan, made, wide=wide)
    st.subheader("What the promise means", anchor=False)
    charts(session, plan, made)
    st.subheader("How many candidates pass", anchor=False)
    if made.seeds is None:
        st.markdown(words.ALL_PASS)
        return
    rehearsal(session, plan, made)
