"""The planner: what it is for, what may be spent, and the plans that answer that."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard.frame import Fields
from dashboard.methods.seedbased import planning
from dashboard.methods.seedbased.offers import offers
from dashboard.methods.seedbased.own import own
from dashboard.methods.seedbased.questions import purpose, questions
from dashboard.session import Session
from engine.core.refusal import Refusal


def planner(session: Session, in_use: Callable[[], None]) -> None:
    """Draw the questions, the plans that answer them, and the plan in use.

    Args:
        session: the page's state.
        in_use: draws what the plan in use promises.
    """
    answer = own(session).answer()
    refused = _refused(session, answer)
    fields = Fields(refused)
    purpose(own(session).wish)
    questions(session, fields)
    fields.rest()
    offers(session, answer)
    st.subheader("The plan in use", anchor=False)
    in_use()


def _refused(session: Session, answer: object) -> Refusal | None:
    """A refusal about a number that was asked for; that nothing fits is no such thing."""
    try:
        own(session).seedless()
    except Refusal as refusal:
        return refusal
    if own(session).wish.purpose == "table" or not isinstance(answer, Refusal):
        return None
    return None if planning.nothing_fits(own(session).wish, answer) else answer
