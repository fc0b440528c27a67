"""How many records the table is publicly known to have: asked wherever it is what is missing."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard.parts.controls import fill
from dashboard.parts.privacy.counting import records_there
from dashboard.session import Session

_MOST: Final = 10**9
_KNOWN: Final = (
    "From a publication, or because the table covers a known population. It says beforehand how "
    "near a plan will come, and what can be counted on. What you enter is kept as confirmed to be "
    "public."
)


def records_known(session: Session, key: str) -> None:
    """A box for the number and, where a table is open, a button that takes its own.

    Args:
        session: the page's state.
        key: names the box on its page.
    """
    known = session.sizes.records
    fill(key, known)
    st.number_input(
        "Records in the table, at least",
        min_value=1,
        max_value=_MOST,
        value=None,
        step=1,
        key=key,
        placeholder="not known yet",
        on_change=_take,
        args=(session, key),
        help=_KNOWN,
    )
    there = records_there(session)
    if there is not None and known is None:
        st.button(
            f"{there:,}, and everybody may know it",
            key=f"take-{key}",
            icon=":material/format_list_numbered:",
            on_click=_say,
            args=(session, there),
        )


def _take(session: Session, key: str) -> None:
    _say(session, st.session_state[key])


def _say(session: Session, records: int | None) -> None:
    session.size_up(session.sizes.model_copy(update={"records": records}))
