"""Choosing the method by which a release is made, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.mechanism import Mechanism
from understudy.mechanisms.on_a_map import tells_of_days
from understudy.mechanisms.registry import mechanisms
from understudy.mechanisms.suiting import Strength, Suit, suits_by_kind
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.editing import remember
from understudy_dashboard.methods.words import title_of
from understudy_dashboard.parts.privacy.beforehand import side_by_side
from understudy_dashboard.session import Session

_KEY: Final = "method"
_HOW: Final = {
    Strength.BEST: "Suggested for these columns.",
    Strength.GOOD: "Good for these columns.",
    Strength.POSSIBLE: "For these columns:",
}


def method_choice(session: Session) -> None:
    """The method in use, and the others to choose from, where there are any."""
    schema = session.schema
    assert schema is not None
    found = mechanisms()
    used = found.get(session.method)
    ordered = sorted(found.values(), key=_first)
    suits = suits_by_kind(ordered, schema)
    with st.container(horizontal=True, vertical_alignment="center", key="method-in-use"):
        st.markdown(f"Method: **{words.plain(title_of(session.method))}**", width="content")
        with st.popover("Choose another method", icon=":material/category:", type="tertiary"):
            _choose(session, schema, ordered, suits)
        if not tells_of_days(schema):
            side_by_side(session, schema, found)
    if used is None:
        st.warning(
            "This project uses a method that is not installed here. Its settings are kept. Install "
            "it, or choose another.",
            icon=":material/extension_off:",
        )
    elif suits:
        _suggest(session, found, suits)


def _suggest(session: Session, found: Mapping[str, Mechanism], suits: Mapping[str, Suit]) -> None:
    """The method to begin with for these columns, where another is in use that is less so."""
    kind, best = next(iter(suits.items()))
    in_use = suits.get(session.method)
    if best.strength is not Strength.BEST or (in_use and in_use.strength is Strength.BEST):
        return
    title = found[kind].title
    with st.container(horizontal=True, vertical_alignment="center", key="method-suggested"):
        st.caption(
            f":material/lightbulb: Suggested for these columns: **{words.plain(title)}**. "
            f"{words.plain(best.sentence)}",
            width="content",
        )
        st.button(f"Use {title}", key="use-suggested", on_click=_take, args=(session, kind))


def _choose(
    session: Session, schema: Schema, found: list[Mechanism], suits: Mapping[str, Suit]
) -> None:
    """All methods, each with what it is for, and what it says of these columns; those that cannot
    be used here say why."""
    refusals = {each.kind: _refusal(each, schema) for each in found}
    usable = {each.kind: each for each in found if refusals[each.kind] is None}
    if _KEY not in st.session_state or st.session_state[_KEY] != session.method:
        st.session_state[_KEY] = session.method if session.method in usable else None
    st.radio(
        "What is to be made, and how?",
        list(usable),
        index=None,
        format_func=lambda kind: usable[kind].title,
        captions=[_caption(each, suits.get(each.kind)) for each in usable.values()],
        key=_KEY,
        on_change=_use,
        args=(session,),
    )
    for each in found:
        refusal = refusals[each.kind]
        if refusal is not None:
            st.caption(
                f":material/block: **{words.plain(each.title)}** cannot be used here. "
                f"{words.plain(refusal.problem)} {words.plain(refusal.remedy)}"
            )
    st.caption("The settings of each method are kept, so that you can go back and forth.")


def _caption(each: Mechanism, suit: Suit | None) -> str:
    """Return what a method is for, and what it says of these columns."""
    told = words.plain(f"{each.purpose} {each.accepted_columns}".strip())
    if suit is None:
        return told
    return f"{told} **{_HOW[suit.strength]}** {words.plain(suit.sentence)}"


def _first(each: Mechanism) -> tuple[bool, str]:
    """Return where it stands in the list: the method that pages open with, then the others by
    title."""
    return each.kind != UNTAGGED, each.title


def _refusal(each: Mechanism, schema: Schema) -> Refusal | None:
    try:
        each.check_schema(schema)
    except Refusal as refusal:
        return refusal
    return None


def _use(session: Session) -> None:
    """Use another method, as a step that can be taken back."""
    kind = st.session_state[_KEY]
    if kind is not None:
        _take(session, kind)


def _take(session: Session, kind: str) -> None:
    remember(session)
    session.method = kind
    remember(session)
