"""What comes of a plan, beside the slider that moves it: how near it comes, and how many pass."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard.methods.seedbased import curve, details, pass_curve
from understudy_dashboard.parts.privacy.details import find_open_detail, open_detail
from understudy_dashboard.session import Session

_SHOWN: Final = "comes-of-it"
_PASSING, _NEAR = "How many pass", "How near it comes"


def comes_of_it(session: Session, plan: Plan | None, made: Promise | None) -> None:
    """Draw what comes of a plan; where no candidate is tested, only how near it comes.

    Args:
        session: the page's state.
        plan, made: the plan in use, and what it promises; None where there is none.
    """
    means = curve.MEANS
    passing = plan is not None and made is not None and made.seeds is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        title = st.container()
        if passing:
            passing = _chosen() == _PASSING
            means = pass_curve.MEANS if passing else means
    title.subheader("What comes of it?", anchor=False, help=means, width="content")
    if passing and plan is not None and made is not None:
        _passing(session, plan, made)
    else:
        curve.curve(session, plan, made)


def _chosen() -> str:
    found: str = st.segmented_control(
        "Shown",
        (_PASSING, _NEAR),
        default=_PASSING,
        required=True,
        key=_SHOWN,
        label_visibility="collapsed",
    )
    return found


def _passing(session: Session, plan: Plan, made: Promise) -> None:
    rehearsed = pass_curve.pass_curve(session, plan, made, key="passing")
    if not rehearsed and find_open_detail() != details.MANY:
        st.button(
            "Rehearse it, under “Many plans at once”",
            key="rehearse-passing",
            type="tertiary",
            icon=":material/theater_comedy:",
            on_click=_look_into,
        )


def _look_into() -> None:
    open_detail(details.MANY)
