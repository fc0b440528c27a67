"""The tour on a page: its card above the title, and the offer of it."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard.demo import is_demonstration
from dashboard.session import Session
from dashboard.signin import person
from dashboard.tour import STOPS, Stop, Tour, keep_seen, spotlight, tour_was_ended
from engine.runs.control import home

_KEY: Final = "tour-state"
_FIRST_PAGES: Final = ("start", "data")
"""Where the tour is offered until a table is open: whoever is further on has found the way."""


def tour_card(session: Session, page: str) -> None:
    """Draw the stop that this page is, or the offer of the tour where it is due.

    Args:
        session: what is open.
        page: the page about to be drawn, by its file.
    """
    tour = _tour().on(page)
    _keep(tour)
    if tour.stop is not None:
        _stop(session, tour, tour.stop, page)
    elif tour.offered and page in _FIRST_PAGES and session.table is None:
        _offer()


def tour_again() -> None:
    """The button that starts the tour, for the sidebar; nothing while it is under way."""
    if _tour().stop is None and st.button(
        "Take the tour", key="tour-again", icon=":material/tour:", type="tertiary"
    ):
        _begin()


def _tour() -> Tour:
    """Where this visitor is; a demonstration begins with the tour."""
    if _KEY not in st.session_state:
        first = Tour(offered=not tour_was_ended(home(), person().key))
        st.session_state[_KEY] = first.begun() if is_demonstration() else first
    tour: Tour = st.session_state[_KEY]
    return tour


def _keep(tour: Tour) -> None:
    st.session_state[_KEY] = tour


def _begin() -> None:
    _keep(_tour().begun())
    st.switch_page(f"views/{STOPS[0].page}.py")


def _end() -> None:
    _keep(_tour().ended())
    keep_seen(home(), person().key)
    st.rerun()


def _offer() -> None:
    with st.container(key="tour"):
        st.markdown(
            "**Your first time here?** A tour of six short stops shows how a table becomes one "
            "that may be published. It uses simulated people, and takes about three minutes."
        )
        with st.container(horizontal=True):
            if st.button("Start the tour", key="tour-start", type="primary"):
                _begin()
            if st.button("No, thank you", key="tour-no"):
                _end()


def _stop(session: Session, tour: Tour, stop: Stop, page: str) -> None:
    """The card; on a page that the tour leaves out, the way back to it."""
    assert tour.at is not None
    here = stop.page == page
    with st.container(key="tour"):
        st.markdown(f"**Tour, stop {tour.at + 1} of {len(STOPS)}: {stop.name}**")
        if here:
            st.markdown(_text(session, stop))
        with st.container(horizontal=True):
            _buttons(tour, stop, here=here)
    if here:
        st.html(spotlight(stop))


def _text(session: Session, stop: Stop) -> str:
    waiting = session.table is None if stop.page == "data" else _nothing_made(session)
    return stop.before if stop.before and waiting else stop.text


def _nothing_made(session: Session) -> bool:
    from dashboard.spending import of_purpose

    return not any(run.guarantee.exists() for run in of_purpose(session, "release"))


def _buttons(tour: Tour, stop: Stop, *, here: bool) -> None:
    assert tour.at is not None
    if not here:
        if st.button(f"Back to the tour, at {stop.name}", key="tour-back-to", type="primary"):
            st.switch_page(f"views/{stop.page}.py")
    else:
        if tour.at > 0 and st.button("Back", key="tour-back", icon=":material/arrow_back:"):
            _go(tour.moved(-1))
        onwards = "Finish" if tour.last else f"Next stop: {STOPS[tour.at + 1].name}"
        if st.button(onwards, key="tour-next", type="primary"):
            _go(tour.moved(1))
    if not (here and tour.last) and st.button("End the tour", key="tour-end"):
        _end()


def _go(tour: Tour) -> None:
    """Go to the page of a stop; past the last, the tour is over."""
    if tour.stop is None:
        _end()
        return
    _keep(tour)
    st.switch_page(f"views/{tour.stop.page}.py")
