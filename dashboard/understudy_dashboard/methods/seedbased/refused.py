"""That no plan keeps to what may be spent, and each change that would make one fit, to click."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.session import Session

_CLAIMS: Final = ("seeds_at_least", "records_at_least")
"""What is known about the table is not changed by a click."""


def nothing_fits(session: Session, refusal: Refusal) -> None:
    """Say why, and offer the ways out."""
    st.error(f"**Nothing fits.** {words.plain(refusal.problem)}", icon=":material/block:")
    st.markdown("Any one of these is enough, or a whole table:")
    found = own(session).ways()
    answers = own(session).asked(None)
    with st.container(horizontal=True):
        for way in found:
            if way.name not in _CLAIMS:
                st.button(
                    way.said,
                    key=f"way-{way.name}",
                    on_click=setattr,
                    args=(answers, way.name, way.value),
                )
    for way in found:
        if way.name in _CLAIMS:
            st.caption(f"{way.said}, if so many are publicly known to be there.")
