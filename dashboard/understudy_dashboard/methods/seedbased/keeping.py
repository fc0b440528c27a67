"""What a plan will keep and what not, before anything is spent: in words, and as a map of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from understudy.charts.drawn import Drawn
from understudy.charts.predicted import MOST_SHOWN, pairs, pairs_table
from understudy.evaluation.fitness import Fitness, fitness
from understudy.mechanisms.foreseeing import foreseen_stakes
from understudy.mechanisms.seedbased.foresight import (
    foreseen,
    nearness_in_words,
    unrelated_columns,
)
from understudy.mechanisms.seedbased.marked import sentences
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.models.predicted import Predicted
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import link
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.parts.fitness import fit_and_unfit
from understudy_dashboard.parts.pictures import picture
from understudy_dashboard.session import Session


def keeping(session: Session, plan: Plan, made: Promise) -> None:
    """Draw how far noise and chance will set columns and pairs apart under the plan in use.

    Args:
        session: the page's state.
        plan: the plan in use.
        made: what it promises.
    """
    schema = session.schema
    assert schema is not None
    if own(session).wish.records_at_least is None:
        return
    st.subheader("What will be kept, and what not?", anchor=False)
    found = foreseen_of(session, plan, made)
    if found is None:
        st.info("Of a third-party model nothing is known beforehand.", icon=":material/help:")
        return
    told = session.keep("fitness foreseen", _about(session, plan, made), lambda: _fitness(session))
    if told is None:
        _said(plan, schema, found)
    else:
        fit_and_unfit(told)
    _draw_marked(plan, schema, found)
    if _name_unrelated(plan, schema, found):
        link("buckets", "Group values on Buckets", icon=None)


def draw_pair_by_pair(session: Session, plan: Plan, made: Promise) -> None:
    """Draw what noise and chance do in numbers, and to each pair as a map.

    Args:
        session: the page's state.
        plan: the plan in use.
        made: what it promises.
    """
    schema, found = session.schema, foreseen_of(session, plan, made)
    assert schema is not None
    if found is None:
        return
    with st.container(key="keeping"):
        said, drawn = st.columns([2, 3], gap="large")
    about_it = _about(session, plan, made)
    with said:
        _said(plan, schema, found)
    with drawn:
        _map(session.keep("map of pairs", about_it, lambda: _Map.of(titles(schema), found)))


def foreseen_of(session: Session, plan: Plan, made: Promise) -> Predicted | None:
    """Return what is foreseen of the plan in use; None of a third-party model, and where it is not
    known how many records there are."""
    records, schema = own(session).wish.records_at_least, session.schema
    assert schema is not None
    if records is None:
        return None
    found: Predicted | None = session.keep(
        "foreseen",
        _about(session, plan, made),
        lambda: foreseen(plan, schema, made, records, plan.attempts),
    )
    return found


def _fitness(session: Session) -> Fitness | None:
    """Return what the table will be fit for; None where too little is known to foresee it."""
    decided = session.planned_run()
    ahead = foreseen_stakes(decided)
    return None if ahead is None else fitness(ahead, titles(decided.schema))


def titles(schema: Schema) -> tuple[str, ...]:
    """Return what a reader calls each column."""
    return tuple(column.title or column.name for column in schema.columns)


def _about(session: Session, plan: Plan, made: Promise) -> tuple[object, ...]:
    """Return what is foreseen depends on this, and the picture of it on the titles too."""
    assert session.schema is not None
    return (
        session.schema.fingerprint,
        titles(session.schema),
        *(plan.model, plan.marks, plan.shares, plan.attempts, made.record_delta),
        own(session).wish.records_at_least,
    )


def _said(plan: Plan, schema: Schema, found: Predicted) -> None:
    """What the map means, then what is lost, by name."""
    st.markdown(_near(found))
    lost = _name_unrelated(plan, schema, found)
    if lost:
        st.warning(lost, icon=":material/link_off:")
    if not lost and found.counted == len(found.each_pair):
        st.markdown(":material/check: Every pair of columns is counted.")
    if plan.shares.seeds:
        st.caption(
            "Of candidates as the model makes them; the test turns away the rarest, so what is "
            "released differs further."
        )


def _name_unrelated(plan: Plan, schema: Schema, found: Predicted) -> str:
    """Return which columns will be unrelated to others, in words; "" for none."""
    if plan.model.about.relates:
        return words.plain(unrelated_columns(found, plan, schema))
    return (
        "Each column is drawn by itself: **no relation between columns is kept**. A larger ε, or "
        "columns in fewer groups, would change that."
    )


def _draw_marked(plan: Plan, schema: Schema, found: Predicted) -> None:
    """Draw what becomes of that which must survive."""
    marked = list(sentences(found, plan, schema))
    if marked:
        listed = "\n".join(f"- {words.plain(each)}" for each in marked)
        st.markdown(f"**What must survive**:\n{listed}")


def _near(found: Predicted) -> str:
    counted = f"**{found.counted:,} of {words.count(len(found.each_pair), 'pair')}** of columns"
    verb = "is" if len(found.each_pair) == 1 else "are"
    return f"{words.plain(nearness_in_words(found))} {counted} {verb} counted.".strip()


@dataclass(frozen=True, eq=False)
class _Map:
    """The picture with its table; no picture where no pair is counted."""

    figure: Drawn | None
    table: pd.DataFrame
    wide: bool

    @classmethod
    def of(cls, names: tuple[str, ...], found: Predicted) -> _Map:
        figure = Drawn.of(pairs(names, found)) if found.counted else None
        return cls(figure, pairs_table(names, found), len(names) > MOST_SHOWN)


def _map(drawn: _Map) -> None:
    if drawn.figure is None:
        st.info("Nothing is counted of any pair.", icon=":material/grid_off:")
        return
    picture(
        drawn.figure,
        drawn.table,
        key="predicted-pairs",
        alt="How far off each pair of columns will be by noise and chance",
        confidential=False,
    )
    if drawn.wide:
        st.caption(f"The first {MOST_SHOWN} columns; all of them stand in the table.")
