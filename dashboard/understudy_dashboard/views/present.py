"""Present: a run told to a review board, one idea a screen, from the run's own figures."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import latest
from understudy.evaluation.excess import excess_of_release
from understudy.evaluation.relative_score import aspects
from understudy.runs.folder import RunFolder
from understudy_dashboard.components.keys import Key, listen_for_keys
from understudy_dashboard.frame import draw_link, show_page, showing_refusals
from understudy_dashboard.ledger_status import load_measurements, load_planned_run
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.parts.evaluation import find_evaluation
from understudy_dashboard.parts.run_list import choose_run
from understudy_dashboard.session import Session, current, find_open_run
from understudy_dashboard.slides import WALL_CSS, RunFacts, draw_slide, list_slides

_KEY: Final = "presentation"
_COUNT: Final = "presentation-slides"
_TITLE: Final = "A synthetic stand-in for the confidential table"
_FIGURES: Final = "Figures of the confidential table"


@dataclass(frozen=True)
class _Shown:
    """What is on the wall.

    Attributes:
        run: the run told about.
        title: what the first slide says.
        public: whether internal slides are left out.
        at: the slide, from 0.
    """

    run: str
    title: str
    public: bool
    at: int = 0

    def move(self, key: Key, of: int) -> _Shown:
        """Return the place after a key, among so many slides."""
        there = {"next": self.at + 1, "back": self.at - 1, "first": 0, "last": of - 1}
        return replace(self, at=min(max(there.get(key, self.at), 0), of - 1))


def _draw_body(session: Session) -> None:
    run = choose_run(session, "present")
    if run is None or not run.guarantee.exists():
        st.info(
            "A presentation is made from a run that has finished: what it promises, how it was "
            "made, what was kept and what was lost. There is none to show yet."
        )
        draw_link("generate", "Go to Generate", ":material/arrow_back:")
        return
    tables = any(each.schema is not None for each in load_planned_run(run).outputs)
    usual = _TITLE if tables else _FIGURES
    title = st.text_input(
        "Title on the first slide",
        value=usual,
        max_chars=90,
        key="present-title",
        help="It is shown to the audience: write nothing that they may not know.",
    )
    public = st.toggle(
        "Leave out internal slides",
        value=False,
        key="present-public",
        help="For an audience that may not see what was computed from confidential records.",
    )
    told = _read_facts(session, run, title.strip() or usual)
    names = [each.title for each in list_slides(told, public=public)]
    if st.button("Start presenting", type="primary", icon=":material/slideshow:", key="present"):
        st.session_state[_KEY] = _Shown(run.identity, title.strip() or usual, public)
        st.rerun()
    st.caption(
        f"{len(names)} slides. Turn them with the arrow keys, the space bar or a clicker; Home and "
        "End go to the first and the last, Escape comes back here. F11 fills the screen."
    )
    st.markdown("\n".join(f"{place}. {name}" for place, name in enumerate(names, 1)))


def _read_facts(session: Session, run: RunFolder, title: str) -> RunFacts:
    """Return what there is to tell of a run, its files read once.

    Raises:
        Refusal: a file of it cannot be read.
    """

    def read() -> RunFacts:
        with run.intact():
            said = json.loads(run.guarantee.read_text(encoding="utf-8"))
        made = load_planned_run(run)
        page = page_of(made.plan.kind)
        return RunFacts(
            "",
            made,
            said,
            steps=page.making(made),
            why=page.why,
            released=page.describe_released(made),
            protected=page.list_protection_slides(made),
            kept=page.list_kept_slides(run, made),
        )

    told: RunFacts = session.cache.keep("presented", run.identity, read)
    schema = told.decided.measured_schema
    looked, measured = load_measurements(session, run), find_evaluation(session, run, schema)
    compared = () if looked is None else looked.compared
    evaluation = None if measured is None else measured.evaluation
    return replace(
        told,
        title=title,
        aspects=aspects(compared, evaluation),
        excess=excess_of_release(latest(compared, evaluation, schema.names)),
    )


@st.fragment
def _draw_wall() -> None:
    """Draw the slide, and what turns it; only this is drawn again when it does."""
    shown: _Shown | None = st.session_state.get(_KEY)
    if shown is None:
        st.rerun(scope="app")
    with showing_refusals():
        every = list_slides(
            _read_facts(current(), _find_shown_run(shown), shown.title), public=shown.public
        )
        st.session_state[_COUNT] = len(every)
        draw_slide(every[min(shown.at, len(every) - 1)])
    of = st.session_state.get(_COUNT, 1)
    with st.container(key="turning", horizontal=True):
        st.button("Back", on_click=_turn, args=("back",), icon=":material/arrow_back:")
        st.markdown(f"{min(shown.at + 1, of)} / {of}", width="content")
        st.button("Next", on_click=_turn, args=("next",), icon=":material/arrow_forward:")
        st.button("End the presentation", on_click=_turn, args=("leave",), type="tertiary")
    listen_for_keys("turned", _turn)


def _find_shown_run(shown: _Shown) -> RunFolder:
    run = find_open_run(current(), shown.run)
    if run is None:
        raise Refusal("The run that is shown is gone.", "End the presentation, and choose another.")
    return run


def _turn(key: Key) -> None:
    """Go where a key or a button says; leaving takes the slides off the wall."""
    if key == "leave":
        st.session_state.pop(_KEY, None)
    elif _KEY in st.session_state:
        st.session_state[_KEY] = st.session_state[_KEY].move(key, st.session_state.get(_COUNT, 1))


if _KEY in st.session_state:
    st.html(f"<style>{WALL_CSS}</style>")
    _draw_wall()
else:
    show_page(
        "Present",
        "Show a run to a review board on a wall: one idea a screen, from the run’s own "
        "statement and figures.",
        _draw_body,
    )
