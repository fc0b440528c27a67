"""How near a plan comes at each ε: a curve, and on it the plan in use. Public numbers only."""

from __future__ import annotations

import math
from typing import Final

import streamlit as st

from understudy.charts.over_epsilon import CHANCE, INDEPENDENT, over_epsilon, over_epsilon_table
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.over_epsilon import OverEpsilon
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard.methods.seedbased import planning
from understudy_dashboard.methods.seedbased.keeping import foreseen_of
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.parts.pictures import picture
from understudy_dashboard.session import Session

MEANS: Final = (
    f"**{INDEPENDENT}**: each column by itself. **{CHANCE}**: how far off as many other people "
    "may be by chance. Over all pairs; what a model cannot express comes on top."
)


def curve(session: Session, plan: Plan | None, made: Promise | None) -> None:
    """Draw the curve; where it is not known how many records there are, say where to say it.

    Args:
        session: the page's state.
        plan, made: the plan in use, and what it promises; None where there is none.
    """
    if own(session).wish.records_at_least is None:
        st.caption("Say on Data how many records there are, and it is foreseen here.")
        return
    found = _over_epsilon(session)
    if found is None:
        return
    here = None if plan is None or made is None else _here(session, plan, made)
    numbers = found.epsilons, found.proposed, found.independent, found.chance
    picture(
        over_epsilon(*numbers, here),
        over_epsilon_table(*numbers),
        key="over-epsilon",
        alt="How far off a typical pair of columns will be, by ε",
        confidential=False,
    )
    said = "Foreseen from public numbers: nothing is looked at, and looking is free."
    if found.least > found.epsilons[0] and math.isfinite(found.least):
        said += f" Below ε = {found.least:.3g} no plan fits."
    st.caption(said)


def _over_epsilon(session: Session) -> OverEpsilon | None:
    """Return the curve; None where a number is wrong."""
    held, schema = own(session).planned, session.schema
    assert schema is not None
    wish = planning.anywhere(held.wish)
    key = schema.fingerprint, repr(wish), repr(held.draft)

    def made() -> OverEpsilon | None:
        try:
            return planning.curve(wish, held.draft, schema)
        except Refusal:
            return None

    found: OverEpsilon | None = session.keep("over epsilon", key, made)
    return found


def _here(session: Session, plan: Plan, made: Promise) -> tuple[float, float] | None:
    """Return where the plan in use stands; None where that is not known."""
    found = foreseen_of(session, plan, made)
    if found is None or not made.total.bounded:
        return None
    return made.total.epsilon, found.typical_of_all
