"""What a plan will keep and what not, foreseen from public numbers: by ε, by column and by pair,
and what the buckets of a column change of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import pandas as pd
import streamlit as st

from understudy.charts.expected_error import (
    MOST_SHOWN,
    column_bars,
    columns_table,
    pair_cells,
    pairs_table,
)
from understudy.charts.scales import LayoutChart
from understudy.core.numerals import describe_roughly
from understudy.core.refusal import Refusal
from understudy.evaluation.fitness import Fitness, fitness
from understudy.mechanisms.expected_utility import foreseen_stakes
from understudy.mechanisms.seedbased.charts.budgets import (
    CHANCE,
    PAIR,
    accuracy_table,
    draw_accuracy,
)
from understudy.mechanisms.seedbased.foresight import (
    FamilySize,
    Precision,
    levels_in_words,
    nearness_in_words,
    predict_table,
    round_per_cent,
    tie_in_words,
    unrelated_columns,
)
from understudy.mechanisms.seedbased.marks import sentences
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.proposal import OverEpsilon
from understudy.models.prediction import Predicted
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link
from understudy_dashboard.methods.seedbased import planner
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import PlanOffer
from understudy_dashboard.parts.panel import draw_fitness
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.session import Session


def draw_keeping(session: Session, plan: Plan, made: Promise) -> None:
    """Draw how far noise and chance will set columns and pairs apart under the plan in use.

    Args:
        session: the page's state.
        plan: the plan in use.
        made: what it promises.
    """
    schema = session.settings.schema
    assert schema is not None
    if plan_choice(session).wish.records_at_least is None:
        return
    st.subheader("What will be kept, and what not?", anchor=False)
    found = foresee_plan(session, plan, made)
    if found is None:
        st.info("Of a third-party model nothing is known beforehand.", icon=":material/help:")
        return
    told = session.cache.keep(
        "fitness foreseen", _key_of(session, plan, made), lambda: _foresee_fitness(session)
    )
    if told is None:
        _draw_summary(plan, schema, found)
    else:
        draw_fitness(told)
    levels = levels_in_words(found, schema)
    if levels:
        st.caption(words.escape(levels))
    _draw_marked(plan, schema, found)
    if _name_unrelated(plan, schema, found):
        draw_link("buckets", "Group values on Buckets", icon=None)


def draw_pair_by_pair(session: Session, plan: Plan, made: Promise) -> None:
    """Draw what noise and chance do in numbers, and to each pair as a map.

    Args:
        session: the page's state.
        plan: the plan in use.
        made: what it promises.
    """
    schema, found = session.settings.schema, foresee_plan(session, plan, made)
    assert schema is not None
    if found is None:
        return
    with st.container(key="keeping"):
        said, drawn = st.columns([2, 3], gap="large")
    about_it = _key_of(session, plan, made)
    with said:
        _draw_summary(plan, schema, found)
    with drawn:
        _draw_map(
            session.cache.keep(
                "map of pairs", about_it, lambda: _PairMap.of(_list_titles(schema), found)
            )
        )


def foresee_plan(session: Session, plan: Plan, made: Promise) -> Predicted | None:
    """Return what is foreseen of the plan in use; None of a third-party model, and where it is not
    known how many records there are."""
    records, schema = plan_choice(session).wish.records_at_least, session.settings.schema
    assert schema is not None
    if records is None:
        return None
    found: Predicted | None = session.cache.keep(
        "foreseen",
        _key_of(session, plan, made),
        lambda: predict_table(plan, schema, made, records, plan.attempts),
    )
    return found


def _foresee_fitness(session: Session) -> Fitness | None:
    """Return what the table will be fit for; None where too little is known to foresee it."""
    decided = session.settings.planned_run()
    ahead = foreseen_stakes(decided)
    return None if ahead is None else fitness(ahead, _list_titles(decided.schema))


def _list_titles(schema: Schema) -> tuple[str, ...]:
    """Return what a reader calls each column."""
    return tuple(column.title or column.name for column in schema.columns)


def _key_of(session: Session, plan: Plan, made: Promise) -> tuple[object, ...]:
    """Return all that what is foreseen depends on, and the titles that its picture shows."""
    assert session.settings.schema is not None
    return (
        session.settings.schema.fingerprint,
        _list_titles(session.settings.schema),
        *(plan.model, plan.marks, plan.shares, plan.attempts, made.record_delta),
        plan_choice(session).wish.records_at_least,
    )


def _draw_summary(plan: Plan, schema: Schema, found: Predicted) -> None:
    """Draw what the map means, then what is lost, by name."""
    st.markdown(_describe_nearness(found))
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
        return words.escape(unrelated_columns(found, plan, schema))
    return (
        "Columns are generated independently; **relations between them are lost**. A larger ε, or "
        "columns in fewer groups, would change that."
    )


def _draw_marked(plan: Plan, schema: Schema, found: Predicted) -> None:
    """Draw what becomes of that which must survive."""
    marked = list(sentences(found, plan, schema))
    if marked:
        listed = "\n".join(f"- {words.escape(each)}" for each in marked)
        st.markdown(f"**What must survive**:\n{listed}")


def _describe_nearness(found: Predicted) -> str:
    counted = f"**{found.counted:,} of {words.count(len(found.each_pair), 'pair')}** of columns"
    verb = "is" if len(found.each_pair) == 1 else "are"
    return f"{words.escape(nearness_in_words(found))} {counted} {verb} counted.".strip()


@dataclass(frozen=True, eq=False)
class _PairMap:
    """The picture with its table; no picture where no pair is counted."""

    figure: LayoutChart | None
    table: pd.DataFrame
    wide: bool

    @classmethod
    def of(cls, names: tuple[str, ...], found: Predicted) -> _PairMap:
        figure = LayoutChart.of(pair_cells(names, found)) if found.counted else None
        return cls(figure, pairs_table(names, found), len(names) > MOST_SHOWN)


def _draw_map(drawn: _PairMap) -> None:
    if drawn.figure is None:
        st.info("Nothing is counted of any pair.", icon=":material/grid_off:")
        return
    draw_picture(
        drawn.figure,
        drawn.table,
        key="predicted-pairs",
        alt="How far off each pair of columns will be by noise and chance",
        confidential=False,
    )
    if drawn.wide:
        st.caption(f"The first {MOST_SHOWN} columns; all of them stand in the table.")


MEANS: Final = (
    f"How far noise and chance put a typical column and pair off in 95 of 100 runs, at most. "
    f"**{PAIR}** is drawn where most pairs are counted: what ties others is lost. **{CHANCE}**: as "
    "many other people, by chance. What a model cannot express comes on top."
)


def draw_curve(session: Session, plan: Plan | None, made: Promise | None) -> None:
    """Draw the curve; where it is not known how many records there are, say where to say it.

    Args:
        session: the page's state.
        plan, made: the plan in use, and what it promises; None where there is none.
    """
    if plan_choice(session).wish.records_at_least is None:
        st.caption("Say on Data how many records there are, and it is foreseen here.")
        return
    found = _foresee_over_epsilon(session)
    if found is None:
        return
    here = None if plan is None or made is None else locate_plan(session, plan, made)
    draw_picture(
        draw_accuracy(found, here),
        accuracy_table(found),
        key="over-epsilon",
        alt="How far off a typical pair and column are at most, by ε",
        confidential=False,
    )
    said = "Foreseen from public numbers: nothing is looked at, and looking is free."
    if made is not None and made.seeds is not None:
        said += " What rows keep of a seed comes on top."
    if found.least > found.epsilons[0] and math.isfinite(found.least):
        said += f" Below ε = {found.least:.3g} no plan fits."
    st.caption(said)


def _foresee_over_epsilon(session: Session) -> OverEpsilon | None:
    """Return the curve; None where a number is wrong."""
    held, schema = plan_choice(session).planned, session.settings.schema
    assert schema is not None
    wish = planner.without_epsilon(held.wish)
    key = schema.fingerprint, repr(wish), repr(held.draft)

    def foresee_curve() -> OverEpsilon | None:
        try:
            return planner.foresee_over_epsilon(wish, held.draft, schema)
        except Refusal:
            return None

    found: OverEpsilon | None = session.cache.keep("over epsilon", key, foresee_curve)
    return found


def locate_plan(session: Session, plan: Plan, made: Promise) -> tuple[float, float] | None:
    """Return where the plan in use stands; None where no bound was found to hold of it."""
    found = foresee_plan(session, plan, made)
    if found is None or not found.sure or not made.total.bounded:
        return None
    pair = found.any_pair_at_most
    return made.total.epsilon, found.column_at_most if math.isnan(pair) else pair


def draw_column_errors(session: Session, plan: Plan, made: Promise) -> None:
    """Draw how far off pairs and columns will be, and how the kinds of model compare.

    Args:
        session: the page's state.
        plan: the plan in use.
        made: what it promises.
    """
    schema = session.settings.schema
    assert schema is not None
    draw_pair_by_pair(session, plan, made)
    found = foresee_plan(session, plan, made)
    if found is None:
        st.info("Nothing is known of them beforehand.", icon=":material/help:")
    else:
        names = _list_titles(schema)
        draw_picture(
            column_bars(names, found),
            columns_table(names, found),
            key="predicted-columns",
            alt="How far off each column will be by noise and chance",
            confidential=False,
        )
    if not plan_choice(session).planned.by_hand:
        _draw_models(plan_choice(session).offer())


def _draw_models(offer: PlanOffer) -> None:
    """Draw how the kinds of model compare for the same budget."""
    proposal = offer.proposal
    if not proposal.models:
        return
    rows = [
        f"| {MODELS[kind].title} | {round_per_cent(found.column_by_noise)} | {found.counted:,} of "
        f"{len(found.each_pair):,} | {round_per_cent(found.all_pairs)} |"
        for kind, found in proposal.models.items()
    ]
    st.markdown(
        f"**Why the {offer.plan.model.about.title}**\n\n"
        "| Model | Typical column | Pairs counted | All pairs |\n|:--|--:|--:|--:|\n"
        + "\n".join(rows)
    )
    if proposal.seconds is not None:
        st.caption(f"About {describe_roughly(proposal.seconds)} on one core, for model and rows.")
    st.caption(words.escape(words.COMPARED))
    st.caption(words.escape(_describe_published_cost(offer)))


def _describe_published_cost(offer: PlanOffer) -> str:
    """Return what the published network would cost."""
    published = offer.proposal.published
    if not published.corrected.bounded:
        return ""
    return (
        f"The published network keeps to the same {words.format_budget(offer.made.total)} here; "
        "by the "
        f"formula it was published with, its noise would cost {published.in_words}."
    )


_WITHOUT_LIMIT: Final = 1e12


def draw_bucket_effect(session: Session, column: Column) -> None:
    """Draw what follows from the buckets as they are now: how many counts, and the noise on
    each."""
    schema = session.settings.schema
    assert schema is not None
    family = _ask_family(session, schema, column)
    _draw_size(family)
    if session.settings.sizes.records is None:
        st.caption("No figures for the noise yet: nobody has said how many records there are.")
        draw_link("data", "Say it on Data", icon=None)
        return
    try:
        precision = _find_precision(session, schema)
    except Refusal as refusal:
        st.caption(f"No figures for the noise yet: {words.escape(refusal.problem)}")
        draw_link("privacy", "See Privacy", icon=None)
        return
    _draw_noise(session, family, precision)


def _ask_family(session: Session, schema: Schema, column: Column) -> FamilySize:
    """Return the table that is looked at: which column is predicted, and what else helps."""
    editing = session.editing
    others = [name for name in schema.names if name != column.name]
    child = editing.predicts if editing.predicts in others else _find_coarsest(schema, others)
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
    return FamilySize.of(schema, str(child), (column.name, *beside))


def _find_coarsest(schema: Schema, names: list[str]) -> str:
    """Return the column with the fewest values: the easiest to predict."""
    return min(names, key=lambda name: schema.column(name).cardinality)


def _find_precision(session: Session, schema: Schema) -> Precision:
    """Return what the plan makes of a cell, worked out once a plan.

    Raises:
        Refusal: the settings on the Privacy page make no plan.
    """
    plan, made = plan_choice(session).plan(), plan_choice(session).promise()
    records = plan_choice(session).wish.records_at_least
    found: Precision = session.cache.keep(
        "precision",
        (plan.to_json(), records),
        lambda: Precision.of(plan, schema, made, records),
    )
    return found


def _draw_size(family: FamilySize) -> None:
    configurations, cells = st.columns(2)
    configurations.metric(
        "Configurations",
        _format_count(family.configurations),
        help="How many combinations there are of the buckets of this column and of those it goes "
        "together with: one row of counts for each.",
    )
    cells.metric(
        "Counts to learn",
        _format_count(family.cells),
        help=f"One for each combination and each of the {family.values:,} values predicted.",
    )


def _draw_noise(session: Session, family: FamilySize, precision: Precision) -> None:
    noise, even = st.columns(2)
    noise.metric(
        "Noise per count",
        f"± {_format_figure(precision.deviation)}" if precision.deviation else "none",
        help="The standard deviation of what is added to each count, in records, at the present "
        "settings of the Privacy page.",
    )
    even.metric(
        "Records per count",
        _format_figure(precision.even(family)),
        help=f"If they were spread evenly. Counting on {precision.records:,.0f} records to learn "
        "from: the part of those that the Data page says there are that goes to learning how "
        "columns depend on one another. Nothing is counted in your table for this.",
    )
    st.markdown(_describe_noise(session, family, precision))


def _describe_noise(session: Session, family: FamilySize, precision: Precision) -> str:
    """Return what the figures mean."""
    if not MODELS[plan_choice(session).draft.kind].relates:
        return (
            "The model on the Privacy page treats all columns as independent, so buckets have no "
            "effect at present. Relations may be kept with fewer buckets or a larger ε."
        )
    share = precision.noise_share(family)
    compared = f"The noise is {words.percent(share)} of an even count"
    if share > 1:
        compared = f"The noise is {_format_figure(share)} times an even count"
    tied = _describe_tie(session)
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


def _describe_tie(session: Session) -> str:
    """Return what the Privacy page says of the two columns, where the model counts pairs and no
    further column helps; "" else."""
    editing, schema = session.editing, session.settings.schema
    assert schema is not None
    plan, made = plan_choice(session).plan(), plan_choice(session).promise()
    found = foresee_plan(session, plan, made)
    if found is None or not plan.model.at_once or editing.beside or editing.predicts is None:
        return ""
    one, other = (schema.names.index(str(each)) for each in (session.column, editing.predicts))
    return tie_in_words(found, one, other)


def _format_count(value: int) -> str:
    return f"{value:,}" if value < _WITHOUT_LIMIT else f"{value:.1e}"


def _format_figure(value: float) -> str:
    """Return a number with three digits that count, or all of those before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
