"""Choosing the method of a release in plain words, and what each would keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
import streamlit as st

from understudy.core import numerals
from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.expected_utility import (
    Foreseen,
    Known,
    Recommendation,
    Suit,
    foreseen,
    suits_by_kind,
)
from understudy.mechanisms.mechanism import Mechanism, check_columns
from understudy.mechanisms.mobility_plan import tells_of_days
from understudy.mechanisms.registry import mechanisms
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import show_refusal
from understudy_dashboard.methods.words import method_title
from understudy_dashboard.parts.rules import draw_setting_aside
from understudy_dashboard.schema_edits import remember
from understudy_dashboard.session import Session

KEY: Final = "beforehand"
_HINT: Final = (
    "From the columns, the number of records and what may be spent: no record is looked at, and "
    "nothing is spent by looking. A distance of 1\N{NO-BREAK SPACE}% means that 1 row in 100 would "
    "have to change to agree with the real table."
)


def draw_side_by_side(session: Session, schema: Schema, found: Mapping[str, Mechanism]) -> None:
    """Draw a fold with what methods expect of themselves; it works nothing out until it is opened.

    Args:
        session: the page's state.
        schema: the columns.
        found: all methods, by their kinds.
    """
    unfolded = st.popover(
        "Compare methods",
        key=KEY,
        on_change="rerun",
        icon=":material/balance:",
        type="tertiary",
        help="What each would keep, before anything is spent.",
    )
    if not unfolded.open:
        return
    with unfolded:
        asked = _ask_known(session, schema)
        if asked is None:
            return
        told: Mapping[str, Foreseen] = session.cache.keep(
            "methods beforehand",
            (schema.fingerprint, asked),
            lambda: foreseen(found.values(), schema, asked),
        )
        st.table(foresight_table(told, found).set_index("Method"))
        for kind, each in told.items():
            title = words.escape(found[kind].title)
            if each.nothing:
                st.error(
                    f"**{title}**: nothing can be released at ε = {asked.epsilon:g}: "
                    f"{words.escape(each.nothing)}. {words.escape(each.remedy)}",
                    icon=":material/gpp_bad:",
                )
            else:
                st.markdown(f"**{title}.** {words.escape(each.said)}")
        st.caption(_HINT)


def foresight_table(told: Mapping[str, Foreseen], found: Mapping[str, Mechanism]) -> pd.DataFrame:
    """Return a row for each method: what it makes, and how far off noise and chance will leave
    it."""
    return pd.DataFrame(
        [
            {
                "Method": found[kind].title,
                "Makes": each.makes,
                "A typical column off": _format_off(each.column),
                "A typical counted pair off": _format_off(each.pair),
                "Pairs counted": "" if each.pairs is None else f"{each.pairs:,}",
            }
            for kind, each in told.items()
        ],
        columns=["Method", "Makes", "A typical column off", "A typical counted pair off",
                 "Pairs counted"],
    )  # fmt: skip


def _format_off(distance: float | None) -> str:
    if distance is None:
        return "not foreseen"
    return f"at most {numerals.significant(100 * distance, 2)}{numerals.FIXED}%"


def _ask_known(session: Session, schema: Schema) -> Known | None:
    """Return what is publicly known, and at which ε to compare; None while the number of records is
    missing."""
    spent = st.number_input(
        "ε to compare at, for one person", min_value=0.01, max_value=100.0, value=1.0, step=0.1,
        key="beforehand-epsilon", width=240,
    )  # fmt: skip
    sizes, people = session.settings.sizes, schema.people
    if sizes.records is None:
        return None
    try:
        return Known(
            sizes.records,
            1 if people is None else people.records_at_most,
            float(spent),
            rows=sizes.to_make,
        )
    except Refusal as refusal:
        show_refusal(refusal)
        return None


_KEY: Final = "method"
_HOW: Final = {
    Recommendation.BEST: "Suggested for these columns.",
    Recommendation.GOOD: "Good for these columns.",
    Recommendation.POSSIBLE: "For these columns:",
}


def draw_method_choice(session: Session) -> None:
    """Draw the method in use, and the others to choose from, where there are any."""
    schema = session.settings.schema
    assert schema is not None
    found = mechanisms()
    used = found.get(session.settings.method)
    ordered = sorted(found.values(), key=_sort_key_of)
    suits = suits_by_kind(ordered, schema)
    with st.container(horizontal=True, vertical_alignment="center", key="method-in-use"):
        st.markdown(
            f"Method: **{words.escape(method_title(session.settings.method))}**", width="content"
        )
        with st.popover("Choose another method", icon=":material/category:", type="tertiary"):
            _draw_choice(session, schema, ordered, suits)
        if not tells_of_days(schema):
            draw_side_by_side(session, schema, found)
    if used is None:
        st.warning(
            "This project uses a method that is not installed here. Its settings are kept. Install "
            "it, or choose another.",
            icon=":material/extension_off:",
        )
    elif suits:
        _draw_suggestions(session, found, suits)


def _draw_suggestions(
    session: Session, found: Mapping[str, Mechanism], suits: Mapping[str, Suit]
) -> None:
    """Draw the method to begin with for these columns, where another is in use that is less so."""
    kind, best = next(iter(suits.items()))
    in_use = suits.get(session.settings.method)
    if best.strength is not Recommendation.BEST or (
        in_use and in_use.strength is Recommendation.BEST
    ):
        return
    title = found[kind].title
    with st.container(horizontal=True, vertical_alignment="center", key="method-suggested"):
        st.caption(
            f":material/lightbulb: Suggested for these columns: **{words.escape(title)}**. "
            f"{words.escape(best.sentence)}",
            width="content",
        )
        st.button(f"Use {title}", key="use-suggested", on_click=_take_method, args=(session, kind))


def _draw_choice(
    session: Session, schema: Schema, found: list[Mechanism], suits: Mapping[str, Suit]
) -> None:
    """Draw all methods, each with what it is for, and what it says of these columns; those that
    cannot be used here say why."""
    refusals = {each.kind: _find_refusal(each, schema) for each in found}
    usable = {each.kind: each for each in found if refusals[each.kind] is None}
    if _KEY not in st.session_state or st.session_state[_KEY] != session.settings.method:
        st.session_state[_KEY] = (
            session.settings.method if session.settings.method in usable else None
        )
    st.radio(
        "What is to be made, and how?",
        list(usable),
        index=None,
        format_func=lambda kind: usable[kind].title,
        captions=[_describe_method(each, suits.get(each.kind)) for each in usable.values()],
        key=_KEY,
        on_change=_use_method,
        args=(session,),
    )
    for each in found:
        refusal = refusals[each.kind]
        if refusal is not None:
            st.caption(
                f":material/block: **{words.escape(each.title)}** cannot be used here. "
                f"{words.escape(refusal.problem)} {words.escape(refusal.remedy)}"
            )
            if refusal.field == "rules" and _find_refusal(each, schema.set_rules_aside()) is None:
                draw_setting_aside(
                    session,
                    f"Set the rules aside and use {each.title}",
                    f"rules-aside-{each.kind}",
                    each.kind,
                )
    st.caption("The settings of each method are kept, so that you can go back and forth.")


def _describe_method(each: Mechanism, suit: Suit | None) -> str:
    """Return what a method is for, and what it says of these columns."""
    told = words.escape(f"{each.purpose} {each.accepted_columns}".strip())
    if suit is None:
        return told
    return f"{told} **{_HOW[suit.strength]}** {words.escape(suit.sentence)}"


def _sort_key_of(each: Mechanism) -> tuple[bool, str]:
    """Return where it stands in the list: the method that pages open with, then the others by
    title."""
    return each.kind != UNTAGGED, each.title


def _find_refusal(each: Mechanism, schema: Schema) -> Refusal | None:
    try:
        check_columns(each, schema)
    except Refusal as refusal:
        return refusal
    return None


def _use_method(session: Session) -> None:
    """Use another method, as a step that can be taken back."""
    kind = st.session_state[_KEY]
    if kind is not None:
        _take_method(session, kind)


def _take_method(session: Session, kind: str) -> None:
    remember(session)
    session.settings.method = kind
    remember(session)
