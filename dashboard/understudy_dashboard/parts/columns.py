"""All columns at a glance; beside them one to look at closely, or many to change together."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import POLICIES
from understudy.table.authoring.attention import ATTENTION
from understudy.table.encoding import choices
from understudy.table.fitting import Outside, Policy
from understudy.table.schema import Column, Schema
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.internal import internal
from understudy_dashboard.parts.bulk import bulk
from understudy_dashboard.parts.column_form import column_form
from understudy_dashboard.parts.column_list import column_list, open_notes
from understudy_dashboard.parts.preview import column_preview
from understudy_dashboard.session import Session


def columns(session: Session) -> None:
    """The columns: the list, and what is chosen in it."""
    schema = session.schema
    assert schema is not None
    ordered = _ordered(session, schema)
    if session.column is None:
        session.column = ordered[0]
    with st.container(key="describing"):
        overview, chosen = st.columns([3, 5], gap="medium")
    with overview, internal("columns", "Counted in your table."):
        column_list(session, ordered)
    with chosen, st.container(border=True):
        if session.editing.picked:
            bulk(session)
        elif session.editing.aside is not None:
            _left_out(session, session.editing.aside)
        else:
            _one(session, schema, ordered)


def choose(
    session: Session, names: tuple[str, ...], said: Callable[[str], str] | None = None
) -> str:
    """Return which column to look at: from the list, or one further or back.

    Args:
        session: the page's state.
        names: the columns to choose from.
        said: how a column is called; by its name and title without.
    """
    if session.column not in names:
        session.column = names[0]
    place = names.index(session.column)

    def take() -> None:
        session.column = st.session_state["column"]

    def move(step: int) -> None:
        session.column = names[(place + step) % len(names)]

    st.session_state["column"] = session.column
    with st.container(horizontal=True, vertical_alignment="bottom", key="choosing"):
        st.selectbox(
            f"Column ({place + 1} of {len(names)})",
            names,
            key="column",
            on_change=take,
            format_func=said or (lambda name: _titled(session, name)),
        )
        for icon, key, step in (("arrow_back", "previous", -1), ("arrow_forward", "next", 1)):
            st.button(
                f":material/{icon}:",
                key=key,
                help=f"{key.title()} column",
                on_click=move,
                args=(step,),
            )
    return session.column


def _titled(session: Session, name: str) -> str:
    title = session.schema.column(name).title if session.schema else ""
    return f"{name} · {title}" if title else name


def _ordered(session: Session, schema: Schema) -> tuple[str, ...]:
    """Columns with values outside first, then what presses most to be looked at, then those with
    most notes, then the rest.

    The order stays while columns are mended, so that none moves away under one's hands.
    """
    editing = session.editing
    if set(editing.order) != set(schema.names):
        found = session.outside()
        troubled = {name for name, each in found.items() if each.total}
        pressing = {
            name: list(ATTENTION).index(kinds[0])
            for name, kinds in session.attention().items()
            if kinds
        }
        editing.order = tuple(
            sorted(
                schema.names,
                key=lambda name: (
                    name not in troubled,
                    pressing.get(name, len(ATTENTION)),
                    -len(open_notes(session, name)),
                ),
            )
        )
    return editing.order


def _one(session: Session, schema: Schema, ordered: tuple[str, ...]) -> None:
    """One column: what will be declared public, beside what the table shows."""
    name = choose(session, ordered)
    column = schema.column(name)
    with st.container(key="one-column"):
        declared, shown = st.columns(2, gap="large")
    with declared:
        column_form(session, column)
    with shown, internal("preview", "Counted in your table."):
        _outside(session, column)
        column_preview(session, column)
        _notes(session, name)
    _leave_out(session, column)


def _notes(session: Session, name: str) -> None:
    """What the suggestion wants looked at, until somebody says that they have."""
    for note in session.notes.get(name, ()):
        st.caption(f":material/search: {words.plain(note)}")
    if open_notes(session, name):
        st.button(
            "Looked through",
            key="checked",
            icon=":material/check:",
            on_click=session.editing.checked.add,
            args=(name,),
            help="Takes the column off the list of those that need attention.",
        )


def _leave_out(session: Session, column: Column) -> None:
    """The button that does without a column."""
    if st.button("Leave this column out", icon=":material/remove_circle:", key="leave-out"):
        try:
            session.leave_out(column.name)
        except Refusal as refusal:
            refuse(refusal)
            return
        st.rerun()


def _left_out(session: Session, name: str) -> None:
    """A column that is not used: why, and the way back."""
    column, why = session.left_out[name]
    st.markdown(f"**{words.plain(name)}** is left out. {words.plain(why)}")
    people = session.schema.people if session.schema is not None else None
    if people is not None and people.person == name:
        st.caption("It is used for that alone. What is said of people above the list changes it.")
    elif column is None:
        st.caption(
            "It is in your file and in nothing that leaves your hands. To use it, change its texts "
            "in the file, or describe it in a schema file or a codebook and load that."
        )
    elif st.button("Use it", key=f"back-{name}", icon=":material/add_circle:"):
        session.bring_back(name)
        session.editing.look_at(session, name)
        st.rerun()


def _outside(session: Session, column: Column) -> None:
    """How many values the form does not cover, and what to do about them."""
    found = session.fitting(column).outside
    with st.container():
        if found.rounded:
            st.caption(f"{words.count(found.rounded, 'value')} between two steps: rounded.")
        if not found.total:
            return
        st.markdown(f"**{words.count(found.total, 'value')} outside:** {_reasons(found)}.")
        offered = choices(column)
        chosen = session.policies.get(column.name, "refuse")
        picked: Policy = st.radio(
            "What should become of them?",
            offered,
            index=offered.index(chosen),
            format_func=words.POLICIES.__getitem__,
            key=f"policy-{column.name}-{session.revision}-{len(offered)}",
            help=POLICIES.words.help,
        )
        if picked != chosen:
            session.policies[column.name] = picked
            st.rerun()
        if picked == "refuse":
            st.caption(
                "Until you choose, or the form covers them, nothing can be generated."
                + ("" if len(offered) > 1 else " Allow missing values to have a choice.")
            )


def _reasons(found: Outside) -> str:
    named = (
        (found.unknown, "not in the list"),
        (found.too_low, "below the smallest"),
        (found.too_high, "above the largest"),
        (found.not_a_number, "not a number"),
        (found.missing, "missing, which is not allowed"),
        (found.not_text, "not text in the encoding that the file is read in"),
        (found.not_apart, "in a line with another number of values"),
        (found.not_a_value, "neither text nor a number nor a time"),
    )
    return ", ".join(f"{number:,} {reason}" for number, reason in named if number)
