"""Known totals: the list, and the form for a table that is pasted."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.known_totals import COUNTED, MOST_TABLES, KnownTotals, compare_totals
from understudy.table.schema import Schema
from understudy.table.totals_file import TotalsRead, read_totals
from understudy_dashboard import words
from understudy_dashboard.frame import (
    IconButton,
    draw_link,
    draw_with_buttons,
    mark_internal,
    show_internal,
    show_refusal,
    show_unchecked,
    showing_refusals,
)
from understudy_dashboard.parts.controls import fill_widget, take_value
from understudy_dashboard.session import Session, TotalsForm

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
    st.subheader("Known totals", anchor=False)
    st.markdown(_LEAD)
    with st.container():
        for place, each in enumerate(schema.totals):
            _draw_totals(session, place, each)
    with st.container(), showing_refusals():
        _ = schema.joint_totals
    if len(schema.totals) < MOST_TABLES:
        with st.expander("Add totals", icon=":material/add:"):
            _draw_form(session, schema)


def _draw_totals(session: Session, place: int, totals: KnownTotals) -> None:
    with st.container(border=True, key=f"totals-{place}"):
        draw_with_buttons(
            words.escape(totals.sentence),
            IconButton(
                key=f"totals-remove-{place}",
                icon=":material/delete:",
                help="Take these totals out",
                on_click=partial(_remove, session, totals),
            ),
        )
        if totals.of == "table":
            st.caption(_OF_TABLE)
        with st.popover("Show them", icon=":material/table:"):
            _draw_lines(totals)
        if totals.of == "table":
            _draw_check(session, place, totals)


def _draw_lines(totals: KnownTotals) -> None:
    shown: dict[str, list[str] | list[int]] = {
        name: [names[axis] for names, _ in totals.lines] for axis, name in enumerate(totals.columns)
    }
    st.dataframe({**shown, "Total": [total for _, total in totals.lines]}, hide_index=True)


def _draw_check(session: Session, place: int, totals: KnownTotals) -> None:
    """Draw whether the open table has totals that count it."""
    schema, policies = session.settings.require_schema(), session.settings.policies
    key = f"totals-check-{place}"
    try:
        records = session.data.unrepaired_records(schema, policies)
    except Refusal as refusal:
        show_unchecked(key, refusal)
        return
    checks = compare_totals(totals, schema.columns, list(records.codes.T))
    differ = [each for each in checks if each.released != each.declared]
    if not differ:
        show_internal(key, "The open table has these totals.")
        return
    first = differ[0]
    with mark_internal(key):
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
    form = session.totals_form
    st.markdown(_HOW)
    fill_widget("totals-text", form.text)
    st.text_area(
        "The table of totals",
        key="totals-text",
        placeholder=_EXAMPLE,
        height=160,
        on_change=take_value,
        args=(form, "text", "totals-text"),
    )
    fill_widget("totals-of", form.of)
    st.radio(
        "What do they count?",
        list(COUNTED),
        index=None,
        format_func=lambda each: COUNTED[each],
        key="totals-of",
        horizontal=True,
        on_change=take_value,
        args=(form, "of", "totals-of"),
    )
    fill_widget("totals-source", form.source)
    st.text_input(
        "Where are they published?",
        key="totals-source",
        placeholder="such as: Statistical yearbook 2024, table 3",
        on_change=take_value,
        args=(form, "source", "totals-source"),
    )
    if form.of == "table":
        st.warning(_OF_TABLE, icon=":material/visibility:")
    read = _read_form(schema, form)
    missing = [
        what
        for what, given in (
            ("what they count", form.of),
            ("where they are published", form.source.strip()),
        )
        if not given
    ]
    if read is not None and missing:
        st.caption(f"Still to be said: {' and '.join(missing)}.")
    elif read is not None:
        st.markdown(words.escape(read.totals.sentence))
        for note in read.notes:
            st.info(words.escape(note), icon=":material/info:")
    st.button(
        "Add these totals",
        type="primary",
        icon=":material/check:",
        key="totals-keep",
        disabled=read is None or bool(missing),
        on_click=partial(_keep, session, read),
    )


def _read_form(schema: Schema, form: TotalsForm) -> TotalsRead | None:
    """Return the totals that are typed; None if there are none, or wrong ones, which is shown.

    The table is read as soon as it is there, whatever else is still to be said.
    """
    if not form.text.strip():
        return None
    try:
        read = read_totals(
            form.text,
            schema.columns,
            of=form.of or "population",
            source=form.source.strip() or "-",
        )
        _ = schema.with_totals((*schema.totals, read.totals)).joint_totals
    except Refusal as refusal:
        show_refusal(refusal)
        return None
    return read


def _keep(session: Session, read: TotalsRead | None) -> None:
    assert read is not None
    schema = session.settings.require_schema()
    session.describe(schema.with_totals((*schema.totals, read.totals)))
    session.totals_form = TotalsForm()


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
