"""Glossary: every word and sign of the pages, to be searched."""

from __future__ import annotations

import streamlit as st

from understudy_dashboard import words
from understudy_dashboard.frame import show_page
from understudy_dashboard.glossary import GLOSSARY, find_terms, title_of_term
from understudy_dashboard.session import Session


def _draw_body(session: Session) -> None:
    asked = st.text_input(
        "Search", key="glossary-search", placeholder="seed, ε, budget …", width=420
    )
    names = find_terms(asked)
    with st.container():
        if not names:
            st.info(
                f"No word or explanation has “{words.escape(asked)}” in it. Try a shorter part of "
                "the word."
            )
    with st.container(key="glossary"):
        for name in names:
            st.markdown(_write_entry(name))


def _write_entry(name: str) -> str:
    """Return a term with its explanation, the longer one if there is one."""
    return f"**{title_of_term(name)}**  \n{words.HELP.get(name, GLOSSARY[name])}"


show_page(
    "Glossary",
    "The words and signs of these pages. Words underlined with dots explain themselves on every "
    "page, when pointed at, tapped, or reached with the Tab key.",
    _draw_body,
)
