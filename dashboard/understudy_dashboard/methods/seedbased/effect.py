"""What the buckets of a column do, at once: counts, noise, and what is still told apart."""

from __future__ import annotations

import math
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.foresight import tie_in_words
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.visibility import Family, Precision
from understudy.table.schema import Column, Schema
from understudy_dashboard import words
from understudy_dashboard.frame import link
from understudy_dashboard.methods.seedbased.keeping import foreseen_of
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.session import Session

_WITHOUT_LIMIT: Final = 1e12


def effect(session: Session, column: Column) -> None:
    """What follows from the buckets as they are now: how many counts, and the noise on each."""
    schema = session.schema
    assert schema is not None
    family = _family(session, schema, column)
    _size(family)
    if session.sizes.records is None:
        st.caption("No figures for the noise yet: nobody has said how many records there are.")
        link("data", "Say it on Data", icon=None)
        return
    try:
        precision = _precision(session, schema)
    except Refusal as refusal:
        st.caption(f"No figures for the noise yet: {words.plain(refusal.problem)}")
        link("privacy", "See Privacy", icon=None)
        return
    _noise(session, family, precision)


def _family(session: Session, schema: Schema, column: Column) -> Family:
    """Return the table that is looked at: which column is predicted, and what else helps."""
    editing = session.editing
    others = [name for name in schema.names if name != column.name]
    child = editing.predicts if editing.predicts in others else _coarsest(schema, others)
    st.session_state["effect-child"] = child

    def take_child() -> None:
        editing.predicts = st.session_state["effect-child"]

    st.selectbox(
        "When it helps to predict",
        others,
        key="effect-child",
        on_change=take_child,
        help="Which columns really help to predict which is learned from the records, with noise. "
        "Look at a pair you expect.",
    )
    free = [name for name in others if name != child]
    beside = [name for name in editing.beside if name in free]
    st.session_state["effect-beside"] = beside

    def take_beside() -> None:
        editing.beside = tuple(st.session_state["effect-beside"])

    st.multiselect(
        "together with",
        free,
        key="effect-beside",
        on_change=take_beside,
        placeholder="no other column",
    )
    return Family.of(schema, str(child), (column.name, *beside))


def _coarsest(schema: Schema, names: list[str]) -> str:
    """Return the column with the fewest values: the easiest to predict."""
    return min(names, key=lambda name: schema.column(name).cardinality)


def _precision(session: Session, schema: Schema) -> Precision:
    """Return what the plan makes of a cell, worked out once a plan.

    Raises:
        Refusal: the settings on the Privacy page make no plan.
    """
    plan, made = own(session).plan(), own(session).promise()
    records = own(session).wish.records_at_least
    found: Precision = session.keep(
        "precision",
        (plan.to_json(), records),
        lambda: Precision.of(plan, schema, made, records),
    )
    return found


def _size(family: Family) -> None:
    configurations, cells = st.columns(2)
    configurations.metric(
        "Configurations",
        _number(family.configurations),
        help="How many combinations there are of the buckets of this column and of those it goes "
        "together with: one row of counts for each.",
    )
    cells.metric(
        "Counts to learn",
        _number(family.cells),
        help=f"One for each combination and each of the {family.values:,} values predicted.",
    )


def _noise(session: Session, family: Family, precision: Precision) -> None:
    noise, even = st.columns(2)
    noise.metric(
        "Noise per count",
        f"± {_few(precision.deviation)}" if precision.deviation else "none",
        help="The standard deviation of what is added to each count, in records, at the present "
        "settings of the Privacy page.",
    )
    even.metric(
        "Records per count",
        _few(precision.even(family)),
        help=f"If they were spread evenly. Counting on {precision.records:,.0f} records to learn "
        "from: the part of those that the Data page says there are that goes to learning how "
        "columns depend on one another. Nothing is counted in your table for this.",
    )
    st.markdown(_said(session, family, precision))


def _said(session: Session, family: Family, precision: Precision) -> str:
    """Return what the figures mean."""
    if not MODELS[own(session).draft.kind].relates:
        return (
            "The plan on the Privacy page draws each column by itself, so that buckets change "
            "nothing in it. Relations may be kept with fewer buckets or a larger ε."
        )
    share = precision.noise_share(family)
    compared = f"The noise is {words.percent(share)} of an even count"
    if share > 1:
        compared = f"The noise is {_few(share)} times an even count"
    tied = _tied(session)
    if tied:
        return f"{compared}. {tied}"
    if precision.usable(family):
        return f"{compared}. The model may learn the one from the other."
    most = math.floor(precision.most_cells)
    allowed = f"it lets it have {words.count(most, 'count')}"
    if most < 2 * family.values:
        allowed = "it has room for no parent at all"
    return (
        f"{compared}. With no more records than that, the engine would not let this column be a "
        f"parent of that one: at this budget {allowed}. Fewer buckets, more records or a larger ε "
        "of the model change that."
    )


def _tied(session: Session) -> str:
    """Return what the Privacy page says of the two columns, where the model counts pairs and no
    further column helps; "" else."""
    editing, schema = session.editing, session.schema
    assert schema is not None
    plan, made = own(session).plan(), own(session).promise()
    found = foreseen_of(session, plan, made)
    if found is None or not plan.model.at_once or editing.beside or editing.predicts is None:
        return ""
    one, other = (schema.names.index(str(each)) for each in (session.column, editing.predicts))
    return tie_in_words(found, one, other)


def _number(value: int) -> str:
    return f"{value:,}" if value < _WITHOUT_LIMIT else f"{value:.1e}"


def _few(value: float) -> str:
    """Return a number with three digits that count, or all of those before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
