"""The page as a whole: six steps and what stands beside them, the meter under them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from altair.utils.schemapi import disable_debug_mode
from streamlit.navigation.page import StreamlitPage

from understudy_dashboard import access_control
from understudy_dashboard.components.keys import mend_page
from understudy_dashboard.demo import BANNER, begins_with_sample, is_demonstration
from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.meter import draw_meter
from understudy_dashboard.open_project import enter_project, open_catalogue, refresh, save_decisions
from understudy_dashboard.parts.project_list import draw_project
from understudy_dashboard.parts.table_sources import open_sample
from understudy_dashboard.session import Session, current
from understudy_dashboard.style import CSS
from understudy_dashboard.tour import draw_tour, draw_tour_again

_HERE = Path(__file__).parent
_PROJECT, _ARRIVED = "project", "arrived"
_START = ("start", "Projects", "folder_open")
_STEPS = (
    ("data", "Data", "counter_1"),
    ("buckets", "Buckets", "counter_2"),
    ("privacy", "Privacy", "counter_3"),
    ("generate", "Generate", "counter_4"),
    ("inspect", "Inspect", "counter_5"),
    ("release", "Release", "counter_6"),
)
_BESIDE = (
    ("ledger", "Ledger", "menu_book"),
    ("present", "Present", "slideshow"),
    ("glossary", "Glossary", "dictionary"),
)

# Addresses that somebody may have kept; each leads to what took its place.
_FORMER = (("explore", "Trade-off", "scatter_plot"),)


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
    someone = access_control.admit_custodian()
    if someone is None:
        return
    session = current()
    with showing_refusals():
        refresh(session)
        _resume_project(session)
    _open_sample(session)
    _name_project_in_address(session)
    # Whoever is shown the sample at once begins where it is.
    first = _STEPS[0][0] if begins_with_sample() else "start"
    # One list: under headings, Streamlit's is none to a screen reader.
    pages = [_make_page(*each, first=first) for each in (_START, *_STEPS, *_BESIDE)]
    page = st.navigation([*pages, *(_make_page(*each, hidden=True) for each in _FORMER)])
    with _keep_decisions(session):
        with st.sidebar:
            draw_project(session)
            draw_meter(session)
            draw_tour_again(session)
            access_control.draw_visitor(someone)
            mend_page()
        _draw_banner()
        draw_tour(session, Path(page.url_path or first).stem)
        page.run()


def _make_page(
    name: str, title: str, icon: str, first: str = "", *, hidden: bool = False
) -> StreamlitPage:
    return st.Page(
        f"views/{name}.py",
        title=title,
        icon=f":material/{icon}:",
        url_path=name,
        default=name == first,
        visibility="hidden" if hidden else "visible",
    )


@contextmanager
def _keep_decisions(session: Session) -> Iterator[None]:
    """Save what is decided meanwhile, however the page ends."""
    again = False
    try:
        yield
    finally:
        with showing_refusals():
            again = save_decisions(session)
    if again:
        st.rerun()


def _draw_banner() -> None:
    """Say that this is a demonstration, where it is one."""
    if is_demonstration():
        with st.container(key="demonstration"):
            st.markdown(f":material/theater_comedy: {BANNER}")


def _resume_project(session: Session) -> None:
    """Open the project that the address names, where the page was loaded afresh."""
    if st.session_state.get(_ARRIVED):
        return
    st.session_state[_ARRIVED] = True
    named = open_catalogue().find(st.query_params.get(_PROJECT, ""))
    if named is not None and session.project is None and session.data.table is None:
        session.demonstrated = True
        enter_project(session, named)


def _name_project_in_address(session: Session) -> None:
    """Name the open project in the address, so that loading the page afresh finds it."""
    named = "" if session.project is None else session.project.identity
    if named and st.query_params.get(_PROJECT) != named:
        st.query_params[_PROJECT] = named
    elif not named and _PROJECT in st.query_params:
        del st.query_params[_PROJECT]


def _open_sample(session: Session) -> None:
    """Open the sample census where the page was started, or addressed, as a demonstration."""
    asked = begins_with_sample() or "demo" in st.query_params
    if asked and not session.demonstrated and session.data.table is None:
        session.demonstrated = True
        with showing_refusals():
            open_sample(session)


main()
