"""Trade-off: many plans of a method at once, privacy against utility, where it has such a page."""

from __future__ import annotations

import streamlit as st

from dashboard import words
from dashboard.frame import link, needs_schema, show
from dashboard.methods.folders import module_of
from dashboard.methods.words import titled
from dashboard.session import Session


def _body(session: Session) -> None:
    if not needs_schema(session):
        return
    found = module_of(session.method, "explore")
    if found is not None:
        found.explore(session)
        return
    st.info(
        f"This page cannot try many plans of “{words.plain(titled(session.method))}” at once. "
        "Change the settings on the Privacy page and see there what each comes to; after a run, "
        "“Compare” under Inspect puts up to four side by side.",
        icon=":material/scatter_plot:",
    )
    link("privacy", "Go to Privacy", ":material/arrow_back:")


show(
    "Trade-off",
    "Try many settings at once, and see what each costs in privacy and gives in use.",
    _body,
)
