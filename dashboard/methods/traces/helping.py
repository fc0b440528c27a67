"""What helps to settle a plan: how many people there are, and how fine a map they carry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import streamlit as st

from dashboard import words
from dashboard.methods.choosing import Filled
from dashboard.parts.privacy.form import Extra
from dashboard.session import Session
from engine.core.refusal import Refusal
from engine.mechanisms.traces.plan import TracesPlan

FITTING: Final = (
    "For tables of who was where from when on, such as positions of phones on a public map, of "
    "about a thousand people or more. It makes people who do not exist, each with a home, days and "
    "ways, out of *noisy counts* of what real people do. Nobody's own day is copied, and one "
    "person with all of their days changes each count by no more than a fixed amount, whether they "
    "were seen for a day or for a year. What few people tell of single cells they still tell of "
    "larger ones: choose a coarse map rather than a large ε."
)


def extras(session: Session, chosen: Filled) -> Mapping[str, Extra]:
    """The people of the table, and the map that they carry."""
    return {
        "public_people": Extra(below=partial(_people, session, chosen.held)),
        "gathered": Extra(below=partial(_coarser, session, chosen)),
    }


def _people(session: Session, held: Any) -> None:
    """A button that takes the number of people in the table. Internal."""
    there = _there(session)
    if there is None or held.public_people == there:
        return
    st.button(
        f"The table has {words.count(there, 'person', 'people')}, and everybody may know it: use "
        "this number",
        key="take-public_people",
        icon=":material/format_list_numbered:",
        on_click=setattr,
        args=(held, "public_people", there),
    )


def _there(session: Session) -> int | None:
    """How many people are in the open table. Internal."""
    if session.table is None or session.schema is None or session.schema.people is None:
        return None
    try:
        return session.tally(session.schema.people).people
    except Refusal:
        return None


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
