"""The Privacy page of seedbased synthesis: one decision, and what it rests on one level down."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard.frame import Fields
from understudy_dashboard.methods.seedbased import details, planning
from understudy_dashboard.methods.seedbased.acceptance import acceptance
from understudy_dashboard.methods.seedbased.comes_of_it import comes_of_it
from understudy_dashboard.methods.seedbased.keeping import keeping
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.methods.seedbased.questions import purpose, questions
from understudy_dashboard.methods.seedbased.refused import nothing_fits
from understudy_dashboard.parts.privacy.decision import Decision, decide
from understudy_dashboard.parts.privacy.details import BY_HAND, find_open_detail
from understudy_dashboard.session import Session

_HAND: Final = (
    "**This plan is set by hand.** Its settings are under “Set every parameter yourself”. "
    "Answering here replaces them with the planner’s plan."
)


def privacy(session: Session) -> None:
    """Draw the page."""
    plan, made, refusal = _computed(session)
    by_hand = own(session).planned.by_hand
    fields = Fields(refusal)
    # What was set by hand is refused beside its own field.
    asked = Fields(None) if by_hand else fields
    fits = refusal is None or by_hand or not planning.nothing_fits(own(session).wish, refusal)
    answers = own(session).asked(made.total if made is not None and made.total.bounded else None)

    def begin() -> None:
        # What comes and goes has a place of its own: what stands below it, and may be typed in,
        # would otherwise be built anew.
        with st.container():
            if by_hand:
                _set_by_hand(session)
        purpose(answers)

    def keep() -> None:
        with st.container():
            if refusal is not None and not fits:
                nothing_fits(session, refusal)
            elif plan is None or made is None:
                if not (by_hand and find_open_detail() == BY_HAND):
                    fields.rest()
                st.info("Mend the field marked in red, and the figures come back.")
            else:
                keeping(session, plan, made)
        acceptance(session, plan, fields)

    # Where nothing fits, looking around is what helps.
    start = None if fits else own(session).undecided()
    decide(
        session,
        Decision(
            purpose=begin,
            spending=lambda: questions(session, answers, asked if fits else Fields(None), made),
            outcome=lambda: comes_of_it(session, plan, made),
            keeping=keep,
            plan=plan if made is not None else None,
            details=details.details(session, plan, made, fields, start),
        ),
    )


def _computed(session: Session) -> tuple[Plan | None, Promise | None, Refusal | None]:
    try:
        return own(session).plan(), own(session).promise(), None
    except Refusal as refusal:
        return None, None, refusal


def _set_by_hand(session: Session) -> None:
    """That the plan is not the planner's, and the way back to it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/tune: {_HAND}", width="stretch")
        st.button(
            "Use the planner’s plan",
            key="use-planner",
            icon=":material/undo:",
            on_click=own(session).follow,
        )
