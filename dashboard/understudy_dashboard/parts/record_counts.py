"""How many records or people there are, as far as everybody may know, and how many are to be
made."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import ROWS
from understudy.projects.state import USUAL_ROWS
from understudy_dashboard.frame import draw_link
from understudy_dashboard.methods.method_settings import FormSettings, FormState, settings_on_data
from understudy_dashboard.parts.controls import fill_widget
from understudy_dashboard.parts.form import Extra
from understudy_dashboard.session import Session

_TAKEN: Final = "{number:,} people — this number is public"
_COUNTED: Final = ":material/format_list_numbered:"


def list_followed(session: Session, chosen: FormSettings) -> dict[str, Extra]:
    """Return the settings of a form that follow the numbers said on the Data page: shown here, and
    asked there.

    Args:
        session: the page's state.
        chosen: the settings.
    """
    return {
        name: Extra(instead=partial(_draw_count, chosen, name, number))
        for name, number in settings_on_data(chosen.fields, session.settings.sizes).items()
    }


def draw_counts(session: Session, chosen: FormSettings) -> None:
    """Draw how many rows are made of how many records, as was said on the Data page.

    Args:
        session: the page's state.
        chosen: the settings.
    """
    there = settings_on_data(chosen.fields, session.settings.sizes)
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
        _offer_count(chosen, name, said)
    draw_link("data", "Change it on Data", icon=None)


def _draw_count(chosen: FormSettings, name: str, said: int | None) -> None:
    """Draw a number of the plan, and the way to change it."""
    field, held = chosen.fields[name], getattr(chosen.held, name)
    st.markdown(
        f"**{field.words.title}:** {'nobody has said yet' if held is None else f'{held:,}'}"
    )
    _offer_count(chosen, name, said, "told-")
    draw_link("data", "Change it on Data", icon=None)


def _offer_count(chosen: FormSettings, name: str, said: int | None, key: str = "") -> None:
    """Draw the button that takes over a number that was said on Data.

    Args:
        chosen: the settings.
        name: of the setting.
        said: what was said on Data; None where nothing was.
        key: sets its key apart from that of the same button elsewhere on the page.
    """
    if said is not None and said != getattr(chosen.held, name):
        st.button(
            f"Use {said:,}, as entered on the Data page",
            key=f"{key}said-{name}",
            on_click=setattr,
            args=(chosen.held, name, said),
        )


def make_people_extra(session: Session, held: FormState, name: str) -> Extra:
    """Return what stands below the number of people of a plan: a button that takes how many there
    are.

    Args:
        session: the page's state.
        held: the settings.
        name: of the setting that is the number.
    """
    return Extra(below=partial(_offer_people, session, held, name))


def _offer_people(session: Session, held: FormState, name: str) -> None:
    there = _count_people(session)
    if there is None or getattr(held, name) == there:
        return
    st.button(
        _TAKEN.format(number=there),
        key=f"take-{name}",
        icon=_COUNTED,
        on_click=setattr,
        args=(held, name, there),
    )


def count_records(session: Session) -> int | None:
    """Return how many records the open table keeps. Internal."""
    if session.data.table is None or session.settings.schema is None:
        return None
    people = session.settings.schema.people
    if people is None:
        return session.data.table.raw.rows
    try:
        return session.data.tally(people).records
    except Refusal:
        return None


def _count_people(session: Session) -> int | None:
    """Return how many people are in the open table. Internal."""
    if (
        session.data.table is None
        or session.settings.schema is None
        or session.settings.schema.people is None
    ):
        return None
    try:
        return session.data.tally(session.settings.schema.people).people
    except Refusal:
        return None


_MOST: Final = 10**9
_RECORDS, _ROWS = "sizes-records", "sizes-rows"
_KNOWN: Final = (
    "From a publication, or because the table covers a known population. It says beforehand how "
    "near a plan will come, and what can be counted on. What you enter is kept as confirmed to be "
    "public."
)


def draw_sizes(session: Session) -> None:
    """Ask for both numbers; the first decides what can be counted on."""
    st.markdown("**How many records are in the table?**")
    with st.container(key="sizes"):
        records, rows = st.columns(2, gap="medium")
    with records:
        _ask_records(session)
    with rows:
        _ask_rows(session)
    with st.container():
        st.caption(_describe_number(session))


def _describe_number(session: Session) -> str:
    """Return what the numbers are for."""
    if session.data.simulated:
        return (
            "The sample is simulated, so its number of records is public. As many rows are made, "
            "unless you say otherwise."
        )
    said = "More rows cost no more privacy."
    if session.settings.sizes.records is not None:
        return f"{said} About as many as the real table has is usual."
    return (
        "A number that everybody may know, not one that only you can count: what will be kept is "
        f"foreseen from it. {said}"
    )


def _ask_records(session: Session) -> None:
    """Draw a box for the number, and a button that takes that of the open table."""
    known = session.settings.sizes.records
    fill_widget(_RECORDS, known)
    st.number_input(
        "Records in the table, at least",
        min_value=1,
        max_value=_MOST,
        value=None,
        step=1,
        key=_RECORDS,
        placeholder="not known yet",
        on_change=_take_records,
        args=(session,),
        help=_KNOWN,
    )
    there = count_records(session)
    if there is not None and known is None:
        st.button(
            f"{there:,} — this number is public",
            key=f"take-{_RECORDS}",
            icon=":material/format_list_numbered:",
            on_click=_say_records,
            args=(session, there),
        )


def _take_records(session: Session) -> None:
    _say_records(session, st.session_state[_RECORDS])


def _say_records(session: Session, records: int | None) -> None:
    session.settings.set_sizes(session.settings.sizes.model_copy(update={"records": records}))


def _ask_rows(session: Session) -> None:
    found = session.settings.sizes
    fill_widget(_ROWS, found.rows)
    st.number_input(
        "Rows in the synthetic table",
        min_value=1,
        max_value=_MOST,
        value=None,
        step=1,
        key=_ROWS,
        placeholder=f"{found.records or USUAL_ROWS:,}",
        on_change=_take_rows,
        args=(session,),
    )


def _take_rows(session: Session) -> None:
    session.settings.set_sizes(
        session.settings.sizes.model_copy(update={"rows": st.session_state[_ROWS]})
    )
