"""The page as a whole: six steps and what stands beside them, the meter under them."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st
from altair.utils.schemapi import disable_debug_mode
from streamlit.navigation.page import StreamlitPage

from dashboard.frame import answered
from dashboard.meter import meter
from dashboard.parts.opening import open_sample
from dashboard.session import Session, current
from dashboard.style import CSS

_HERE = Path(__file__).parent
_STEPS = (
    ("data", "Data", "counter_1"),
    ("buckets", "Buckets", "counter_2"),
    ("privacy", "Privacy", "counter_3"),
    ("generate", "Generate", "counter_4"),
    ("inspect", "Inspect", "counter_5"),
    ("release", "Release", "counter_6"),
)


def main() -> None:
    """Draw the frame, then the chosen page."""
    # A slider has to answer at once, and half of that time went into checking charts.
    disable_debug_mode()
    st.set_page_config(
        page_title="Understudy",
        page_icon=str(_HERE / "icon.png"),
        layout="wide",
        initial_sidebar_state="expanded",
    )
    st.logo(str(_HERE / "logo.svg"), size="large", icon_image=str(_HERE / "icon.png"))
    st.html(CSS)
    session = current()
    _demonstrate(session)
    page = st.navigation(
        {
            "": [_page(*step) for step in _STEPS],
            "Beside the steps": [
                _page("ledger", "Ledger", "menu_book"),
                _page("explore", "Trade-off", "scatter_plot"),
            ],
        }
    )
    with st.sidebar:
        meter(session)
    page.run()


def _page(name: str, title: str, icon: str) -> StreamlitPage:
    return st.Page(f"views/{name}.py", title=title, icon=f":material/{icon}:", url_path=name)


def _demonstrate(session: Session) -> None:
    """Open the sample census where the page was started, or addressed, as a demonstration."""
    asked = os.environ.get("UNDERSTUDY_DEMO") == "1" or "demo" in st.query_params
    if asked and not session.demonstrated and session.table is None:
        session.demonstrated = True
        with answered():
            open_sample(session)


main()
