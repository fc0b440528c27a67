"""What helps to settle a plan: how many people there are, and how fine a map they carry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import PUBLIC_PEOPLE
from understudy.mechanisms.traces.plan import TracesPlan
from understudy_dashboard.methods.choosing import Filled
from understudy_dashboard.parts.privacy.counting import people_of_the_table
from understudy_dashboard.parts.privacy.form import Extra
from understudy_dashboard.session import Session

FITTING: Final = (
    "For tables of who was where from when on, such as positions of phones on a public map, of "
    "about a thousand people or more. It makes people who do not exist, each with a home, days and "
    "ways, out of *noisy counts* of what real people do. Nobody's own day is copied, and one "
    "person with all of their days changes each count by no more than a fixed amount, whether they "
    "were seen for a day or for a year. What few people tell of single cells they still tell of "
    "larger ones: choose a coarse map rather than a large ε."
)


def extras(session: Session, chosen: Filled) -> Mapping[str, Extra]:
    """Return the people of the table, and the map that they carry."""
    return {
        PUBLIC_PEOPLE: people_of_the_table(session, chosen.held, PUBLIC_PEOPLE),
        "gathered": Extra(below=partial(_coarser, session, chosen)),
    }


def _coarser(session: Session, chosen: Filled) -> None:
    """The map as it is, and a button that takes as many cells together as the people need."""
    assert session.schema is not None
    try:
        plan = chosen.plan(session.schema, {})
    except Refusal:
        return
    assert isinstance(plan, TracesPlan)
    where, by = plan.where, plan.coarse_enough
    high, wide = where.cell_km
    st.caption(f"{where.cells:,} places of {high:g} by {wide:g} km.")
    if by is not None and by > plan.gathered:
        st.button(
            f"Take {by} cells each way together: a map that these people carry",
            key="take-gathered",
            icon=":material/grid_on:",
            on_click=setattr,
            args=(chosen.held, "gathered", by),
        )
