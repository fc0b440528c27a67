"""The tour on a page: its card above the title, and the offer of it."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import refuse
from understudy_dashboard.parts.opening import open_sample
from understudy_dashboard.samples import CENSUS
from understudy_dashboard.session import Session
from understudy_dashboard.signin import person
from understudy_dashboard.syncing import save
from understudy_dashboard.tour import STOPS, Stop, Tour, keep_seen, spotlight, tour_was_ended

_KEY: Final = "tour-state"
ASIDE: Final = "tour-aside"
"""Holds what was open before the tour. Confidential."""
_FIRST_PAGES: Final = ("start", "data")
"""Where the tour is offered until a table is open: whoever is further on has found the way."""


def tour_card(session: Session, page: str) -> None:
    """Draw the stop that this page is, or the offer of the tour where it is due.

    Args:
        session: what is open.
        page: the page about to be drawn, by its file.
    """
    tour = _tour(session).on(page)
    _keep(tour)
    if tour.stop is not None:
        _stop(session, tour, tour.stop, page)
    elif tour.offered and page in _FIRST_PAGES and session.table is None:
        _offer(session)


def tour_again(session: Session) -> None:
    """The button that starts the tour, for the sidebar; nothing while it is under way."""
    if _tour(session).stop is None and st.button(
        "Take the tour", key="tour-again", icon=":material/tour:", type="tertiary"
    ):
        _begin(session)


def _on_another(session: Session) -> bool:
    """Return whether something else than the sample of the tour is open."""
    if session.table is not None:
        return session.table.name != CENSUS.name or not session.table.sample
    return session.question is not None or not (
        session.project is None or session.project.about().sample
    )


def _tour(session: Session) -> Tour:
    """Return where this visitor is; a demonstration begins with the tour. Whoever opened something
    of their own has left it, and is not told that it is the sample."""
    if _KEY not in st.session_state:
        first = Tour(offered=not tour_was_ended(home(), person().key))
        st.session_state[_KEY] = first.begun() if is_demonstration() else first
    tour: Tour = st.session_state[_KEY]
    if tour.stop is not None and _on_another(session):
        st.session_state.pop(ASIDE, None)
        _keep(tour.ended())
        return tour.ended()
    return tour


def _keep(tour: Tour) -> None:
    st.session_state[_KEY] = tour


def _begin(session: Session) -> None:
    """Open the sample, with what is open laid aside as it is, and go to the first stop."""
    if session.table is None or _on_another(session):
        aside = Session()
        vars(aside).update(vars(session))
        try:
            open_sample(session)
        except Refusal as refusal:
            refuse(refusal)
            return
        if aside.table is not None or aside.project is not None or aside.question is not None:
            st.session_state[ASIDE] = aside
            session.notices.append("What you had open is back when the tour ends.")
    _keep(Tour().begun())
    st.switch_page(f"views/{STOPS[0].page}.py")


def _end(session: Session) -> None:
    """Leave the tour, and open again what was laid aside."""
    _keep(Tour())
    keep_seen(home(), person().key)
    aside: Session | None = st.session_state.pop(ASIDE, None)
    if aside is None:
        st.rerun()
    save(session)
    turn = session.revision
    vars(session).update(vars(aside))
    session.revision = turn + 1
    session.notices.append("What you had open before the tour is open again, as you left it.")
    st.switch_page("views/data.py")


def _offer(session: Session) -> None:
    with st.container(key="tour"):
        st.markdown(
            "**Your first time here?** A tour of six short stops shows how a table becomes one "
            "that may be published. It uses simulated people, and takes about three minutes."
        )
        with st.container(horizontal=True):
            if st.button("Start the tour", key="tour-start", type="primary"):
                _begin(session)
            if st.button("No, thank you", key="tour-no"):
                _end(session)


def _stop(session: Session, tour: Tour, stop: Stop, page: str) -> None:
    """The card; on a page that the tour leaves out, the way back to it."""
    assert tour.at is not None
    here = stop.page == page
    with st.container(key="tour"):
        st.markdown(f"**Tour, stop {tour.at + 1} of {len(STOPS)}: {stop.name}**")
        if here:
            st.markdown(_text(session, stop))
        with st.container(horizontal=True):
            _buttons(session, tour, stop, here=here)
    if here:
        st.html(spotlight(stop))


def _text(session: Session, stop: Stop) -> str:
    return stop.before if stop.before and _nothing_made(session) else stop.text


def _nothing_made(session: Session) -> bool:
    from understudy_dashboard.spending import of_purpose

    return not any(run.guarantee.exists() for run in of_purpose(session, "release"))


def _buttons(session: Session, tour: Tour, stop: Stop, *, here: bool) -> None:
    assert tour.at is not None
    if not here:
        if st.button(f"Back to the tour, at {stop.name}", key="tour-back-to", type="primary"):
            st.switch_page(f"views/{stop.page}.py")
    else:
        if tour.at > 0 and st.button("Back", key="tour-back", icon=":material/arrow_back:"):
            _go(session, tour.moved(-1))
        onwards = "Finish" if tour.last else f"Next stop: {STOPS[tour.at + 1].name}"
        if st.button(onwards, key="tour-next", type="primary"):
            _go(session, tour.moved(1))
    if not (here and tour.last) and st.button("End the tour", key="tour-end"):
        _end(session)


def _go(session: Session, tour: Tour) -> None:
    """Go to the page of a stop; past the last, the tour is over."""
    if tour.stop is None:
        _end(session)
        return
    _keep(tour)
    st.switch_page(f"views/{tour.stop.page}.py")
