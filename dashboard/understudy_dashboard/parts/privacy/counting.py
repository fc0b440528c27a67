"""The number of records or people that a promise counts on, beside that of the open table."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import ROWS
from understudy_dashboard.frame import link
from understudy_dashboard.methods.method_settings import FormSettings, FormState, settings_on_data
from understudy_dashboard.parts.privacy.form import Extra
from understudy_dashboard.session import Session

_TAKEN: Final = "{number:,} people, and everybody may know it"
_COUNTED: Final = ":material/format_list_numbered:"


def said_on_data(session: Session, chosen: FormSettings) -> dict[str, Extra]:
    """Return the settings of a form that follow the numbers said on the Data page: shown here, and
    asked there.

    Args:
        session: the page's state.
        chosen: the settings.
    """
    return {
        name: Extra(instead=partial(_told, chosen, name, number))
        for name, number in settings_on_data(chosen.fields, session.sizes).items()
    }


def draw_counts(session: Session, chosen: FormSettings) -> None:
    """Draw how many rows are made of how many records, as was said on the Data page.

    Args:
        session: the page's state.
        chosen: the settings.
    """
    there = settings_on_data(chosen.fields, session.sizes)
    if not there:
        return
    parts = []
    for name in there:
        held = getattr(chosen.held, name)
        if name == ROWS:
            parts.append(f"**{held:,} rows** are made; more cost nothing.")
        elif held is not None:
            parts.append(f"The table has **{held:,} records**, as everybody may know.")
    st.caption(" ".join(parts))
    for name, said in there.items():
        _offer(chosen, name, said)
    link("data", "Change it on Data", icon=None)


def _told(chosen: FormSettings, name: str, said: int | None) -> None:
    """A number of the plan, and the way to change it."""
    field, held = chosen.fields[name], getattr(chosen.held, name)
    st.markdown(
        f"**{field.words.title}:** {'nobody has said yet' if held is None else f'{held:,}'}"
    )
    _offer(chosen, name, said, "told-")
    link("data", "Change it on Data", icon=None)


def _offer(chosen: FormSettings, name: str, said: int | None, key: str = "") -> None:
    """Draw the button that takes over a number that was said on Data.

    Args:
        chosen: the settings.
        name: of the setting.
        said: what was said on Data; None where nothing was.
        key: sets its key apart from that of the same button elsewhere on the page.
    """
    if said is not None and said != getattr(chosen.held, name):
        st.button(
            f"Use the {said:,} that were said on Data",
            key=f"{key}said-{name}",
            on_click=setattr,
            args=(chosen.held, name, said),
        )


def people_of_the_table(session: Session, held: FormState, name: str) -> Extra:
    """Return what stands below the number of people of a plan: a button that takes how many there
    are.

    Args:
        session: the page's state.
        held: the settings.
        name: of the setting that is the number.
    """
    return Extra(below=partial(_take, session, held, name))


def _take(session: Session, held: FormState, name: str) -> None:
    there = _people(session)
    if there is None or getattr(held, name) == there:
        return
    st.button(
        _TAKEN.format(number=there),
        key=f"take-{name}",
        icon=_COUNTED,
        on_click=setattr,
        args=(held, name, there),
    )


def records_there(session: Session) -> int | None:
    """Return how many records the open table keeps. Internal."""
    if session.table is None or session.schema is None:
        return None
    people = session.schema.people
    if people is None:
        return session.table.raw.rows
    try:
        return session.tally(people).records
    except Refusal:
        return None


def _people(session: Session) -> int | None:
    """Return how many people are in the open table. Internal."""
    if session.table is None or session.schema is None or session.schema.people is None:
        return None
    try:
        return session.tally(session.schema.people).people
    except Refusal:
        return None
