"""The tour for a first visit: its stops, who has seen it, its card above the title, and the offer
of it.

Who has seen it is written in the home folder, so that it is not offered again.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import streamlit as st

from understudy.core.files import make_private, replace_text
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import show_refusal
from understudy_dashboard.glossary import term
from understudy_dashboard.loaded_table import CENSUS
from understudy_dashboard.open_project import save_decisions
from understudy_dashboard.parts.table_sources import open_sample
from understudy_dashboard.session import Session
from understudy_dashboard.sign_in import current_person

_FILE: Final = "tour.json"


@dataclass(frozen=True)
class Stop:
    """One step of the tour.

    Attributes:
        page: the page it is about, by its file.
        name: what that page is called.
        text: what to see there, in Markdown.
        shown: what of the page is framed meanwhile, as a CSS selector.
        before: said in place of the text as long as the page has nothing to show.
    """

    page: str
    name: str
    text: str
    shown: str
    before: str = ""


STOPS: Final = (
    Stop(
        "data",
        "Data",
        "Here a table is described. Each column shows what it may contain, and you confirm "
        f"that this is public knowledge: it is {term('declared public')}, and comes from a form "
        f"or a {term('codebook')}, never from the {term('record', 'records')}. The simulated "
        "people of the sample census are described already.",
        '[class*="st-key-internal-columns"]',
    ),
    Stop(
        "buckets",
        "Buckets",
        f"Where one column helps to predict another, its values are put into "
        f"{term('bucket', 'buckets')}, such as age groups. Wide ones suffer less from "
        f"{term('noise')}; narrow ones keep more detail. Released records keep their fine values.",
        ".st-key-one-bucketing",
    ),
    Stop(
        "privacy",
        "Privacy",
        f"You say how much any one person may be shown to matter: {term('epsilon')}. The planner "
        "finds settings that keep to it. What they promise always stands at the left, and "
        "follows every change.",
        ".st-key-meter",
    ),
    Stop(
        "generate",
        "Generate",
        f"Read what the run {term('spend', 'spends')} and what may be published afterwards, tick "
        "that you have read it, and press **Generate**. The run goes on by itself, and you may go "
        "on with the tour as soon as it has finished.",
        ".st-key-generate, .st-key-another",
    ),
    Stop(
        "inspect",
        "Inspect",
        "What was kept of the real table, and what was lost. Figures in a dashed frame are "
        f"{term('internal')}: computed from real records without {term('noise')}, for your eyes "
        "only. They are in no file for release.",
        '[class*="st-key-internal-"]',
        before="What was kept and what was lost is shown here once a run has finished. Go back a "
        "step to make one, or look at the rest first.",
    ),
    Stop(
        "release",
        "Release",
        f"The synthetic table, and the {term('statement')} of what is promised about it. Both go "
        "to whoever asked for the table, and to the review board that has to agree. To show the "
        "board a run on a wall, use **Present**.",
        '[class*="st-key-download"], [class*="st-key-packet"]',
        before="The synthetic table and its guarantee are shown here once a run has finished. To "
        "show a run to a review board on a wall, use **Present**.",
    ),
)


@dataclass(frozen=True)
class Tour:
    """Where one visitor is.

    Attributes:
        at: the stop, counted from 0; None where the tour is not under way.
        offered: whether it is still to be offered.
    """

    at: int | None = None
    offered: bool = False

    @property
    def stop(self) -> Stop | None:
        """The stop that the visitor is at."""
        return None if self.at is None else STOPS[self.at]

    @property
    def last(self) -> bool:
        """Whether no stop follows."""
        return self.at == len(STOPS) - 1

    def begin(self) -> Tour:
        """Return the tour at its first stop."""
        return Tour(at=0)

    def move(self, by: int) -> Tour:
        """Return the tour so many stops further; ended when that is past the last, and never before
        the first."""
        if self.at is None:
            return self
        there = max(0, self.at + by)
        return self.end() if there >= len(STOPS) else replace(self, at=there)

    def on(self, page: str) -> Tour:
        """Return the tour at the stop about a page that the visitor has gone to; where there is
        one."""
        if self.at is None:
            return self
        there = (place for place, stop in enumerate(STOPS) if stop.page == page)
        return replace(self, at=next(there, self.at))

    def end(self) -> Tour:
        """Return the tour ended and no longer offered."""
        return Tour()


def has_ended_tour(home: Path, who: str) -> bool:
    """Return whether somebody has ended the tour, or turned it down.

    Args:
        home: the home folder.
        who: the person's key; empty for whoever uses this machine.
    """
    return who in _read_seen(home)


def keep_seen(home: Path, who: str) -> None:
    """Remember that somebody has seen the tour; where nothing can be written, nothing is."""
    with suppress(OSError, Refusal):
        make_private(home)
        replace_text(home / _FILE, json.dumps(sorted({*_read_seen(home), who})))


def _read_seen(home: Path) -> frozenset[str]:
    try:
        said = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    known = said if isinstance(said, list) else []
    return frozenset(each for each in known if isinstance(each, str))


def write_spotlight(stop: Stop) -> str:
    """Return CSS that frames what a stop is about, without covering it."""
    # Only the first: a page may hold several of a kind.
    return (
        f"<style>:is({stop.shown}):not(:is({stop.shown}) :is({stop.shown})) "
        "{ outline: 0.2rem solid light-dark(#6b4fa0, #b9a3e3); outline-offset: 0.4rem; "
        "border-radius: 0.3rem; }</style>"
    )


CSS: Final = """
.st-key-tour {
  border: 0.15rem solid light-dark(#6b4fa0, #b9a3e3);
  border-radius: 0.5rem;
  padding: 0.8rem 1rem;
  background: light-dark(#f5f1fc, #221c30);
}
.st-key-tour p { margin-bottom: 0.25rem; }
"""


_KEY: Final = "tour-state"
ASIDE: Final = "tour-aside"
"""Holds what was open before the tour. Confidential."""
_FIRST_PAGES: Final = ("start", "data")
"""Where the tour is offered until a table is open: whoever is further on has found the way."""


def draw_tour(session: Session, page: str) -> None:
    """Draw the stop that this page is, or the offer of the tour where it is due.

    Args:
        session: what is open.
        page: the page about to be drawn, by its file.
    """
    tour = _tour_of(session).on(page)
    _keep_tour(tour)
    if tour.stop is not None:
        _draw_stop(session, tour, tour.stop, page)
    elif tour.offered and page in _FIRST_PAGES and session.data.table is None:
        _offer_tour(session)


def draw_tour_again(session: Session) -> None:
    """Draw the button that starts the tour, for the sidebar; nothing while it is under way."""
    if _tour_of(session).stop is None and st.button(
        "Take the tour", key="tour-again", icon=":material/tour:", type="tertiary"
    ):
        _begin_tour(session)


def _is_elsewhere(session: Session) -> bool:
    """Return whether something else than the sample of the tour is open."""
    if session.data.table is not None:
        return session.data.table.name != CENSUS.name or not session.data.table.sample
    return session.question is not None or not (
        session.project is None or session.project.about().sample
    )


def _tour_of(session: Session) -> Tour:
    """Return where this visitor is; a demonstration begins with the tour. Whoever opened something
    of their own has left it, and is not told that it is the sample."""
    if _KEY not in st.session_state:
        first = Tour(offered=not has_ended_tour(home(), current_person().key))
        st.session_state[_KEY] = first.begin() if is_demonstration() else first
    tour: Tour = st.session_state[_KEY]
    if tour.stop is not None and _is_elsewhere(session):
        st.session_state.pop(ASIDE, None)
        _keep_tour(tour.end())
        return tour.end()
    return tour


def _keep_tour(tour: Tour) -> None:
    st.session_state[_KEY] = tour


def _begin_tour(session: Session) -> None:
    """Open the sample, with what is open laid aside as it is, and go to the first stop."""
    if session.data.table is None or _is_elsewhere(session):
        aside = Session()
        vars(aside).update(vars(session))
        try:
            open_sample(session)
        except Refusal as refusal:
            show_refusal(refusal)
            return
        if aside.data.table is not None or aside.project is not None or aside.question is not None:
            st.session_state[ASIDE] = aside
            session.notices.append("What you had open is back when the tour ends.")
    _keep_tour(Tour().begin())
    st.switch_page(f"views/{STOPS[0].page}.py")


def _end_tour(session: Session) -> None:
    """Leave the tour, and open again what was laid aside."""
    _keep_tour(Tour())
    keep_seen(home(), current_person().key)
    aside: Session | None = st.session_state.pop(ASIDE, None)
    if aside is None:
        st.rerun()
    save_decisions(session)
    turn = session.revision
    vars(session).update(vars(aside))
    session.revision = turn + 1
    session.notices.append("What you had open before the tour is open again, as you left it.")
    st.switch_page("views/data.py")


def _offer_tour(session: Session) -> None:
    with st.container(key="tour"):
        st.markdown(
            "**Your first time here?** A tour of six short stops shows how a table becomes one "
            "that may be published. It uses simulated people, and takes about three minutes."
        )
        with st.container(horizontal=True):
            if st.button("Start the tour", key="tour-start", type="primary"):
                _begin_tour(session)
            if st.button("No, thank you", key="tour-no"):
                _end_tour(session)


def _draw_stop(session: Session, tour: Tour, stop: Stop, page: str) -> None:
    """Draw the card; on a page that the tour leaves out, the way back to it."""
    assert tour.at is not None
    here = stop.page == page
    with st.container(key="tour"):
        st.markdown(f"**Tour, stop {tour.at + 1} of {len(STOPS)}: {stop.name}**")
        if here:
            st.markdown(_text_of(session, stop))
        with st.container(horizontal=True):
            _draw_buttons(session, tour, stop, here=here)
    if here:
        st.html(write_spotlight(stop))


def _text_of(session: Session, stop: Stop) -> str:
    return stop.before if stop.before and _has_no_run(session) else stop.text


def _has_no_run(session: Session) -> bool:
    from understudy_dashboard.ledger_status import runs_of_purpose

    return not any(run.guarantee.exists() for run in runs_of_purpose(session, "release"))


def _draw_buttons(session: Session, tour: Tour, stop: Stop, *, here: bool) -> None:
    assert tour.at is not None
    if not here:
        if st.button(f"Back to the tour, at {stop.name}", key="tour-back-to", type="primary"):
            st.switch_page(f"views/{stop.page}.py")
    else:
        if tour.at > 0 and st.button("Back", key="tour-back", icon=":material/arrow_back:"):
            _go_to(session, tour.move(-1))
        onwards = "Finish" if tour.last else f"Next stop: {STOPS[tour.at + 1].name}"
        if st.button(onwards, key="tour-next", type="primary"):
            _go_to(session, tour.move(1))
    if not (here and tour.last) and st.button("End the tour", key="tour-end"):
        _end_tour(session)


def _go_to(session: Session, tour: Tour) -> None:
    """Go to the page of a stop; past the last, the tour is over."""
    if tour.stop is None:
        _end_tour(session)
        return
    _keep_tour(tour)
    st.switch_page(f"views/{tour.stop.page}.py")
