"""A column that is left out: why, in public words, the way back, and whether it is kept empty."""

from __future__ import annotations

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.omissions import CHOSEN_REASONS, WHY, Why, can_be_named
from understudy_dashboard import words
from understudy_dashboard.frame import show_refusal
from understudy_dashboard.parts.controls import fill_widget
from understudy_dashboard.session import Session


def draw_left_out(session: Session, name: str) -> None:
    """Draw a column that is not used: why, and the way back."""
    _, why = session.left_out[name]
    st.markdown(f"**{words.escape(name)}** is left out. {words.escape(why)}")
    people = session.settings.schema.people if session.settings.schema is not None else None
    if people is not None and people.person == name:
        st.caption("It is used for that alone. What is said of people above the list changes it.")
    elif find_why(session, name) == "unusable":
        st.caption(
            "It is in your file and in nothing that leaves your hands. To use it, change its texts "
            "in the file, or describe it in a schema file or a codebook and load that."
        )
    elif st.button("Use it", key=f"back-{name}", icon=":material/add_circle:"):
        _use_again(session, name)
    _ask_why(session, name)
    _draw_empty(session, name)


def _ask_why(session: Session, name: str) -> None:
    """Ask for the kind of reason for leaving a column out, which is published."""
    people = session.settings.require_schema().people
    if not can_be_named(name) or (people is not None and people.person == name):
        return
    before = find_why(session, name)
    offered = [why for why in WHY if why in CHOSEN_REASONS or why == before]
    key = f"why-{name}"

    def follow() -> None:
        session.say_why(name, why=st.session_state[key])

    fill_widget(key, before or "choice")
    st.selectbox(
        "Kind of reason, as it is published",
        offered,
        format_func=lambda why: WHY[why].capitalize(),
        key=key,
        on_change=follow,
        help="The data dictionary and the packet name the column with this, and no value of it.",
    )


def _use_again(session: Session, name: str) -> None:
    """Use a column after all, or say why it cannot be."""
    try:
        for refusal in session.bring_back(name).values():
            raise refusal
    except Refusal as refusal:
        show_refusal(refusal)
        return
    session.editing.look_at(session, name)
    st.rerun()


def _draw_empty(session: Session, name: str) -> None:
    """Draw whether a column that is left out is in the released table as an empty one."""
    if not can_be_named(name):
        return
    found = {each.name: each.empty for each in session.settings.require_schema().omissions}
    before = found.get(name, False)
    after = st.checkbox(
        "Keep it as an empty column in the released table",
        value=before,
        key=f"empty-{name}-{session.revision}",
        help="The released table then has the header of your file. The column has no values.",
    )
    if after != before:
        session.keep_empty(name, empty=after)
        st.rerun()


def find_why(session: Session, name: str) -> Why | None:
    """Return the kind of reason for which the schema leaves a column out; None where it has
    none."""
    omissions = session.settings.require_schema().omissions
    return next((each.why for each in omissions if each.name == name), None)
