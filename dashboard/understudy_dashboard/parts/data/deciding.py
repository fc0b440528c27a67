"""What decides a promise, asked before anything else of a table and always in view on Data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.parts.data.positions import explain_positions, positions
from understudy_dashboard.parts.data.sequences import sequences
from understudy_dashboard.parts.data.sizes import sizes
from understudy_dashboard.parts.whose import whose
from understudy_dashboard.questions import Question, Standing, asked_questions, name_missing, settle
from understudy_dashboard.session import Session

_DRAWN: Final[dict[str, Callable[[Session, Standing], None]]] = {
    "positions": lambda session, _: positions(session),
    "unit": sequences,
    "records": lambda session, _: sizes(session),
    "whose": lambda session, _: whose(session),
}


def draw_questions(session: Session) -> bool:
    """Draw the questions that decide what is promised, with the answers that they have.

    Returns:
        Whether all of them are answered.

    Raises:
        Refusal: the ledger cannot be used.
    """
    settle(session)
    explain_positions(session)
    found = asked_questions(session)
    if not found:
        return True
    st.subheader("What the promise is about", anchor=False)
    for each in found:
        _ask(session, each)
    left = [said for each in found if (said := each.standing(session)).state != "answered"]
    if not left:
        return True
    st.info(
        f"{name_missing(left)} What the columns may contain comes next.",
        icon=":material/help:",
    )
    return False


def _ask(session: Session, question: Question) -> None:
    with st.container(border=True, key=f"asked-{question.name}"), showing_refusals():
        _DRAWN[question.name](session, question.standing(session))
