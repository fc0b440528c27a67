"""What each method would keep at one (ε, δ), side by side, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
import streamlit as st

from understudy.core import numerals
from understudy.core.refusal import Refusal
from understudy.mechanisms.expected_utility import Foreseen, Known, foreseen
from understudy.mechanisms.mechanism import Mechanism
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.session import Session

KEY: Final = "beforehand"
_HINT: Final = (
    "From the columns, the number of records and what may be spent: no record is looked at, and "
    "nothing is spent by looking. A distance of 1\N{NO-BREAK SPACE}% means that 1 row in 100 would "
    "have to change to agree with the real table."
)


def side_by_side(session: Session, schema: Schema, found: Mapping[str, Mechanism]) -> None:
    """A fold with what methods expect of themselves; it works nothing out until it is opened.

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
        asked = _asked(session, schema)
        if asked is None:
            return
        told: Mapping[str, Foreseen] = session.keep(
            "methods beforehand",
            (schema.fingerprint, asked),
            lambda: foreseen(found.values(), schema, asked),
        )
        st.table(table(told, found).set_index("Method"))
        for kind, each in told.items():
            title = words.plain(found[kind].title)
            if each.nothing:
                st.error(
                    f"**{title}**: nothing can be released at ε = {asked.epsilon:g}: "
                    f"{words.plain(each.nothing)}. {words.plain(each.remedy)}",
                    icon=":material/gpp_bad:",
                )
            else:
                st.markdown(f"**{title}.** {words.plain(each.said)}")
        st.caption(_HINT)


def table(told: Mapping[str, Foreseen], found: Mapping[str, Mechanism]) -> pd.DataFrame:
    """Return a row for each method: what it makes, and how far off noise and chance will leave
    it."""
    return pd.DataFrame(
        [
            {
                "Method": found[kind].title,
                "Makes": each.makes,
                "A typical column off": _off(each.column),
                "A typical counted pair off": _off(each.pair),
                "Pairs counted": "" if each.pairs is None else f"{each.pairs:,}",
            }
            for kind, each in told.items()
        ],
        columns=["Method", "Makes", "A typical column off", "A typical counted pair off",
                 "Pairs counted"],
    )  # fmt: skip


def _off(distance: float | None) -> str:
    if distance is None:
        return "not foreseen"
    return f"at most {numerals.significant(100 * distance, 2)}{numerals.FIXED}%"


def _asked(session: Session, schema: Schema) -> Known | None:
    """Return what is publicly known, and at which ε to compare; None while the number of records is
    missing."""
    spent = st.number_input(
        "ε to compare at, for one person", min_value=0.01, max_value=100.0, value=1.0, step=0.1,
        key="beforehand-epsilon", width=240,
    )  # fmt: skip
    sizes, people = session.sizes, schema.people
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
        refuse(refusal)
        return None
