"""The word to whoever came to a page past a question that decides what is promised."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from understudy_dashboard.frame import link, needs_schema
from understudy_dashboard.questions import Standing, open_questions
from understudy_dashboard.session import Session


def needs_answers(session: Session) -> bool:
    """Whether a page that comes after the questions of the Data page can go on; if not, say what is
    missing and where to say it.

    Raises:
        Refusal: the ledger cannot be used.
    """
    if not needs_schema(session):
        return False
    left = open_questions(session)
    if not left:
        return True
    st.warning(
        f"{still_to_be_said(left)} The promise depends on it, so this step waits for the answer.",
        icon=":material/help:",
    )
    link("data", "Answer on the Data page", ":material/arrow_back:")
    return False


def still_to_be_said(left: Sequence[Standing]) -> str:
    """What is missing, in a sentence."""
    said = [each.missing for each in left]
    listed = said[0] if len(said) == 1 else f"{'; '.join(said[:-1])}; and {said[-1]}"
    return f"**Still to be said: {listed}.**"
