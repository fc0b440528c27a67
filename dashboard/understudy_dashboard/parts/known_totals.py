"""Known totals: the list, and the form for a table that is pasted."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.known_totals import (
    COUNTED,
    MOST_TABLES,
    KnownTotals,
    TotalsOf,
    compare_totals,
)
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.totals_file import TotalsRead, read_totals
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, mark_internal, show_refusal
from understudy_dashboard.session import Session

_LEAD: Final = (
    "How many rows there are in each region, or of each age and sex, if that is published. "
    "Released rows have these totals exactly, and they cost no budget. Only whole tables that are "
    "drawn without seeds can have them."
)
_HOW: Final = (
    "Copy the table from your spreadsheet with its headings: the name of a column, or of two, and "
    "“total”, above one total a line. Name values, buckets or groups as they are called on these "
    "pages. A value without a line gets no row."
)
_EXAMPLE: Final = "region\tsex\ttotal\nNorth\tfemale\t1,204\nNorth\tmale\t1,187"
_OF_TABLE: Final = (
    "Everybody will learn these counts of your table exactly. The guarantee says so, and holds "
    "between tables that have the same counts."
)


def draw_known_totals(session: Session) -> None:
    """Draw the known totals of the schema, and the form for further ones."""
    schema = session.settings.require_schema()
    if schema.made_of_positions:
        return
    st.subheader("Known totals", anchor=False)
    st.markdown(_LEAD)
    with st.container():
        for place, each in enumerate(schema.totals):
            _draw_totals(session, place, each)
    with st.container():
        try:
            _ = schema.joint_totals
        except Refusal as refusal:
            show_refusal(refusal)
    if len(schema.totals) < MOST_TABLES:
        with st.expander("Add totals", icon=":material/add:"):
            _draw_form(session, schema)


def _draw_totals(session: Session, place: int, totals: KnownTotals) -> None:
    with st.container(border=True, key=f"totals-{place}"):
        said, remove = st.columns([9, 1], vertical_alignment="center")
        said.markdown(words.escape(totals.sentence))
        remove.button(
            "",
            icon=":material/delete:",
            key=f"totals-remove-{place}",
            help="Take these totals out",
            on_click=_remove,
            args=(session, totals),
        )
        if totals.of == "table":
            st.caption(_OF_TABLE)
        with st.popover("Show them", icon=":material/table:"):
            _draw_lines(totals)
        if totals.of == "table" and session.data.table is not None:
            _draw_check(session, place, totals)


def _draw_lines(totals: KnownTotals) -> None:
    shown: dict[str, list[str] | list[int]] = {
        name: [names[axis] for names, _ in totals.lines] for axis, name in enumerate(totals.columns)
    }
    st.dataframe({**shown, "Total": [total for _, total in totals.lines]}, hide_index=True)


def _draw_check(session: Session, place: int, totals: KnownTotals) -> None:
    """Draw whether the open table has totals that count it."""
    schema, policies = session.settings.require_schema(), session.settings.policies
    with mark_internal(f"totals-check-{place}"):
        try:
            records: Records = session.data.unrepaired_records(schema, policies)
        except Refusal as refusal:
            st.caption(f"Not checked against the table yet: {words.escape(refusal.problem)}")
            return
        checks = compare_totals(totals, schema.columns, list(records.codes.T))
        differ = [each for each in checks if each.released != each.declared]
        if not differ:
            st.markdown("The open table has these totals.")
            return
        first = differ[0]
        st.warning(
            f"The open table has other counts in {len(differ):,} of "
            f"{words.count(len(checks), 'cell')}, such as {first.released:,} and not "
            f"{first.declared:,} rows with {words.escape(first.cell)}.",
            icon=":material/help:",
        )


def _remove(session: Session, totals: KnownTotals) -> None:
    schema = session.settings.require_schema()
    session.describe(schema.with_totals([each for each in schema.totals if each != totals]))


def _draw_form(session: Session, schema: Schema) -> None:
    """Draw the form for a table of totals, and what is read in it."""
    turn = session.revision
    st.markdown(_HOW)
    pasted = st.text_area(
        "The table of totals", key=f"totals-text-{turn}", placeholder=_EXAMPLE, height=160
    )
    of: TotalsOf | None = st.radio(
        "What do they count?",
        list(COUNTED),
        index=None,
        format_func=lambda each: COUNTED[each],
        key=f"totals-of-{turn}",
        horizontal=True,
    )
    source = st.text_input(
        "Where are they published?",
        key=f"totals-source-{turn}",
        placeholder="such as: Statistical yearbook 2024, table 3",
    )
    if of == "table":
        st.warning(_OF_TABLE, icon=":material/visibility:")
    found = _read_form(schema, pasted, of, source)
    missing = [
        what
        for what, given in (
            ("the table", pasted.strip()),
            ("what they count", of),
            ("where they are published", source.strip()),
        )
        if not given
    ]
    if found is not None:
        st.markdown(words.escape(found.totals.sentence))
        for note in found.notes:
            st.info(words.escape(note), icon=":material/info:")
    elif missing and pasted.strip():
        st.caption(f"Still to be said: {' and '.join(missing)}.")
    st.button(
        "Add these totals",
        type="primary",
        icon=":material/check:",
        key="totals-keep",
        disabled=found is None,
        on_click=partial(_keep, session, found),
    )


def _read_form(schema: Schema, pasted: str, of: TotalsOf | None, source: str) -> TotalsRead | None:
    """Return what the form says; None while something is missing or wrong, which is shown."""
    if not pasted.strip():
        return None
    try:
        # The table is checked as soon as it is there, whatever else is still to be said.
        found = read_totals(pasted, schema.columns, of=of or "population", source=source or "-")
        _ = schema.with_totals((*schema.totals, found.totals)).joint_totals
    except Refusal as refusal:
        show_refusal(refusal)
        return None
    return found if of is not None and source.strip() else None


def _keep(session: Session, found: TotalsRead | None) -> None:
    assert found is not None
    schema = session.settings.require_schema()
    session.describe(schema.with_totals((*schema.totals, found.totals)))


def draw_totals_in_words(session: Session) -> None:
    """Say which totals every release will have, and that nothing is paid for them."""
    totals = session.settings.require_schema().totals
    if not totals:
        return
    title = f"Released rows have {words.count(len(totals), 'table')} of known totals exactly"
    with st.expander(f"{title}: nothing is paid for them"):
        st.markdown("\n".join(f"- {words.escape(each.sentence)}" for each in totals))
        if any(each.of == "table" for each in totals):
            st.warning(_OF_TABLE, icon=":material/visibility:")
        draw_link("data", "Change them on Data", icon=None)
