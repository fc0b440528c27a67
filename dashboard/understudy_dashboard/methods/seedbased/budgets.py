"""Many plans at once, from public numbers: each kind of model at each ε, to click and to adopt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.budgets import Choice
from understudy.mechanisms.seedbased.charts.budgets import budgets_table, draw_budgets
from understudy.mechanisms.seedbased.charts.tradeoff import PICKED
from understudy.mechanisms.seedbased.foresight import about
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.plan import Plan
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased import planning
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.parts.pictures import picture
from understudy_dashboard.session import Session

_CHART: Final = "budgets"
_LIST: Final = "budgets-chosen"
_SAID: Final = "Each point is a plan: the higher, the nearer. Click one, or choose it below."


def draw_choices(session: Session, plan: Plan | None) -> None:
    """Draw every choice, if it is known how many records there are.

    Args:
        session: the page's state.
        plan: the plan in use; None where there is none.
    """
    every = _choices(session)
    if every is None:
        return
    if not every:
        st.info("No plan fits at any ε up to 10.", icon=":material/help:")
        return
    st.caption(_SAID)
    picture(
        draw_budgets(every, _here(session, plan)),
        budgets_table(every),
        key=_CHART,
        alt="How far off a typical pair is expected to be, by ε, a line for each kind of model",
        confidential=False,
        on_select=lambda: _pick(every),
    )
    _draw_list(session, every)


def _choices(session: Session) -> tuple[Choice, ...] | None:
    """Return every choice; None if the number of records is not known or a number is wrong."""
    held, schema = own(session).planned, session.schema
    assert schema is not None
    if held.wish.records_at_least is None:
        return None
    wish = planning.anywhere(held.wish)

    def make_choices() -> tuple[Choice, ...] | None:
        try:
            return planning.every_choice(wish, held.draft, schema)
        except Refusal:
            return None

    key = schema.fingerprint, repr(wish), repr(held.draft)
    found: tuple[Choice, ...] | None = session.keep("budgets", key, make_choices)
    return found


def _here(session: Session, plan: Plan | None) -> float | None:
    """Return the ε of the plan in use."""
    if plan is None or not own(session).in_use(plan):
        return None
    total = own(session).promise().total
    return total.epsilon if total.bounded else None


def _pick(every: Sequence[Choice]) -> None:
    """Take what was clicked; a click beside every point changes nothing."""
    state = st.session_state.get(f"chart-{_CHART}")
    clicked = state.selection.get(PICKED) if state is not None else None
    if clicked:
        place = int(clicked[0]["point"])
        if 0 <= place < len(every):
            st.session_state[_LIST] = place


def _draw_list(session: Session, every: Sequence[Choice]) -> None:
    """Draw the list of choices, and the button that puts the chosen one in use."""
    if st.session_state.get(_LIST) not in (None, *range(len(every))):
        st.session_state[_LIST] = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = st.selectbox(
            "A plan",
            range(len(every)),
            index=None,
            format_func=lambda at: in_short(every[at]),
            placeholder="Choose one",
            key=_LIST,
        )
        st.button(
            "Use this plan",
            key="budgets-adopt",
            icon=":material/arrow_upward:",
            disabled=place is None,
            on_click=_adopt,
            args=(session, None if place is None else every[place]),
        )


def in_short(choice: Choice) -> str:
    """Return a choice in a line."""
    said = f"ε = {words.epsilon(choice.epsilon)}, {MODELS[choice.kind].title}"
    said += f": {about(choice.off)} expected off, of a typical pair"
    return f"{said} (proposed)" if choice.proposed else said


def _adopt(session: Session, choice: Choice) -> None:
    """Ask for its ε, where it is what is proposed there; or else set its model by hand."""
    held, schema = own(session).planned, session.schema
    assert schema is not None
    if choice.proposed:
        own(session).asked(None).epsilon = choice.epsilon
    else:
        try:
            session.adopt(
                planning.plan_of_choice(held.wish, held.draft, schema, choice, session.policies)
            )
        except Refusal as refusal:
            session.cautions.append(words.plain(f"{refusal.problem} {refusal.remedy}"))
            return
    session.notices.append("The plan is in use. What it promises is in the meter.")
