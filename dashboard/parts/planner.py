"""The planner: what may be spent, and for what, in the custodian's words; and what that takes."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard import planning, words
from dashboard.frame import Fields
from dashboard.parts.offers import seedbased, seedless
from dashboard.parts.questions import questions
from dashboard.session import Session
from engine.refusal import Refusal


def planner(session: Session, in_use: Callable[[], None]) -> None:
    """Draw the questions, and beside them the plans that answer them.

    Args:
        session: the page's state.
        in_use: draws what the plan in use promises.
    """
    answer = session.answer()
    refused = answer if isinstance(answer, Refusal) else None
    about = None if refused is None or planning.nothing_fits(session.wish, refused) else refused
    fields = Fields(about)
    asked, offered = st.columns([4, 5], gap="large")
    with asked:
        questions(session, fields)
    with offered:
        fields.rest()
        seedbased(session, answer)
        seedless(session)
        st.caption(words.WHICH_PLAN)
        st.subheader("The plan in use", anchor=False)
        in_use()
