"""How near a plan will come, before anything is spent: from public numbers alone."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.methods.seedbased.own import own
from dashboard.parts.pictures import picture
from dashboard.session import Session
from engine.charts.predicted import (
    MOST_SHOWN,
    columns,
    columns_table,
    pairs,
    pairs_table,
)
from engine.mechanisms.seedbased.foresight import foreseen, unrelated
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise
from engine.mechanisms.seedbased.proposal import about
from engine.models.predicted import Predicted
from engine.table.schema import Schema

COLUMNS, PAIRS = "Columns", "Pairs of columns"


def nearness(session: Session, plan: Plan, made: Promise, *, wide: bool) -> None:
    """What noise and chance will set apart under the plan in use, by column and by pair.

    Args:
        session: the page's state.
        plan: the plan in use.
        made: what it promises.
        wide: whether there is room for two pictures side by side.
    """
    records, schema = own(session).wish.records_at_least, session.schema
    assert schema is not None
    st.subheader("How near it will come, before anything is spent", anchor=False)
    if records is None:
        st.info(
            "Say on the planner how many records the table is publicly known to have, and what "
            "noise and chance will do to each column and pair stands here.",
            icon=":material/help:",
        )
        return
    about_it = (
        schema.fingerprint,
        titles(schema),
        *(plan.model, plan.marks, plan.shares, plan.attempts, made.record_delta),
        records,
    )
    found: Predicted | None = session.keep(
        "foreseen", about_it, lambda: foreseen(plan, schema, made, records, plan.attempts)
    )
    if found is None:
        st.info("Of a third-party model nothing is known beforehand.", icon=":material/help:")
        return
    st.markdown(_said(plan, schema, found))
    lost = unrelated(found, plan, schema)
    if lost:
        st.warning(words.plain(lost), icon=":material/link_off:")
    drawn: _Drawn = session.keep("foreseen drawn", about_it, lambda: _drawn(schema, found))
    _pictures(drawn, wide)
    if made.seeds is not None:
        st.caption(
            "This is of candidates as the model makes them. The test turns away the rarest, and "
            "what is copied comes from real records, so what is released differs further."
        )
    st.caption(
        "From the schema, the budget, the shares and the number of records declared: nothing was "
        "looked at in the table, and nothing is spent by looking here. What a model cannot express "
        "comes on top; Inspect shows it after a run."
    )


def _said(plan: Plan, schema: Schema, found: Predicted) -> str:
    """What the pictures mean, in two sentences."""
    pairs_ = len(schema) * (len(schema) - 1) // 2
    farthest = list(titles(schema))[int(found.each_column.argmax())]
    said = (
        f"A distance of 1{words.FIXED}% means that 1 row in 100 would have to change to agree with "
        f"the real table. Noise and chance put a typical column {about(found.typical_column)} off "
        f"(at most {about(float(found.each_column.max()))}: {words.plain(farthest)})"
    )
    if found.counted:
        said += f" and a typical pair {about(found.typical_pair)}"
    if found.counted < pairs_:
        left = pairs_ - found.counted
        said += (
            f"; {words.count(left, 'pair')} of {pairs_:,} can hardly be counted on at this budget "
            "and "
            + (
                "are lost."
                if not plan.model.about.relates
                else "are left to the rest of the model."
            )
        )
        return said
    return f"{said}."


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Both pictures with their tables; no picture of pairs where none is counted."""

    columns: alt.LayerChart
    of_columns: pd.DataFrame
    pairs: alt.LayerChart | None
    of_pairs: pd.DataFrame
    wide: bool


def _drawn(schema: Schema, found: Predicted) -> _Drawn:
    names = titles(schema)
    return _Drawn(
        columns(names, found),
        columns_table(names, found),
        pairs(names, found) if found.counted else None,
        pairs_table(names, found),
        len(names) > MOST_SHOWN,
    )


def _pictures(drawn: _Drawn, wide: bool) -> None:
    single, double = st.columns([2, 3], gap="medium") if wide else (st.container(), st.container())
    with single:
        st.markdown(f"**{COLUMNS}**")
        picture(
            drawn.columns,
            drawn.of_columns,
            key="predicted-columns",
            alt="How far off each column will be by noise and chance",
            confidential=False,
        )
    with double:
        st.markdown(f"**{PAIRS}**")
        if drawn.pairs is None:
            st.info("Nothing is counted of any pair.", icon=":material/grid_off:")
            return
        picture(
            drawn.pairs,
            drawn.of_pairs,
            key="predicted-pairs",
            alt="How far off each pair of columns will be by noise and chance",
            confidential=False,
        )
        if drawn.wide:
            st.caption(f"The first {MOST_SHOWN} columns; all of them stand in the table.")


def titles(schema: Schema) -> tuple[str, ...]:
    """What a reader calls each column."""
    return tuple(column.title or column.name for column in schema.columns)
