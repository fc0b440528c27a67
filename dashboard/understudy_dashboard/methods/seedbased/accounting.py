"""What a plan promises, in figures and charts."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import streamlit as st

from understudy.charts.accounting import (
    chart_unit_tradeoff,
    epsilon_against_count,
    epsilon_against_count_table,
    unit_tradeoff_table,
)
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.growth import Growth, grow_guarantee, unit_tradeoff
from understudy.privacy.budget import Budget
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased.words import (
    advise,
    cover_paragraph,
    list_learning_costs,
    list_steps,
)
from understudy_dashboard.parts.belief import draw_belief_change, draw_published
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.session import Session

ELSEWHERE: Final = "What others published"

_POINTS = 24


def draw_promise(plan: Plan, made: Promise) -> None:
    """Draw the figure that is promised, beside the one that was published."""
    ours, published = st.columns(2, gap="medium", border=True)
    with ours:
        _draw_figure("The whole release", made.total)
        st.caption(f"**What it covers.** {cover_paragraph(plan, made)}")
    with published:
        if made.seeds is None:
            _draw_model_costs(plan, made)
        else:
            stated = made.published_record
            name = "As published: one record" if stated is None else f"One record by {stated.name}"
            _draw_figure(name, None if stated is None else stated.cost)
            st.caption(f"**What it covers.** {_describe_published(made)}")
    st.markdown(words.explain_total(made.total, plan.records_per_person))
    population = words.describe_population(made.population)
    if population is not None:
        st.markdown(population)
    warning = words.warn_large(made.total, advise(made))
    if warning:
        st.warning(warning, icon=":material/balance:")
    with st.expander("Step by step"):
        st.markdown("\n".join(f"- {each}" for each in list_steps(plan, made)))


def _draw_figure(label: str, budget: Budget | None) -> None:
    st.markdown(f"**{label}**")
    if budget is None or not budget.bounded:
        st.markdown("No figure.")
        return
    with st.container(horizontal=True, gap="medium"):
        st.metric("ε", words.epsilon(budget.epsilon), width="content")
        st.metric("δ", words.delta(budget.delta), width="content")


def _draw_model_costs(plan: Plan, made: Promise) -> None:
    """Draw what stands in the place of the published figure where nothing is made from a seed."""
    st.markdown("**What is paid for**")
    for sentence in list_learning_costs(plan, made):
        st.markdown(sentence)
    st.caption(
        "All that is released comes from the model, and what is made of it costs nothing more: "
        "another million rows, the model itself, or a picture of it. The published theorem is "
        "about candidates made from seeds, and there are none here."
    )


def _describe_published(made: Promise) -> str:
    if made.published_record is None:
        return "Nothing: the theorem needs noise in the test, and a larger k where δ is this small."
    return (
        "One released record, whatever else is released. It says nothing about rejected "
        "candidates, nor about the table as a whole; it is here to compare with the literature."
    )


def draw_beliefs(session: Session, made: Promise) -> None:
    """Draw what ε does to a belief, and what others state."""
    draw_belief_change(session, made.total)
    with st.expander(ELSEWHERE):
        draw_published(made.total)


def draw_charts(session: Session, plan: Plan, seeds: Account) -> None:
    """Draw what ε grows with, and what each t states, where the seeds pay anything that can be
    drawn."""
    if seeds.unit is None:
        st.info("There is no curve to draw: without noise nothing is promised.")
        return
    what = words.COUNTED[plan.protocol]
    count, t = st.tabs(
        [f"ε and the number of {what}s", "ε and δ over t"], key="accounting", on_change="rerun"
    )
    if count.open:
        with count:
            _draw_growth(session, plan, seeds, what)
    if t.open:
        with t:
            _draw_tradeoff(seeds, what)


def _draw_growth(session: Session, plan: Plan, seeds: Account, what: str) -> None:
    grown: Growth = session.cache.keep(
        "growth",
        _key_of(plan, seeds),
        lambda: grow_guarantee(seeds, _list_counts(seeds.count), t=plan.t),
    )
    draw_picture(
        epsilon_against_count(grown, seeds.count, what),
        epsilon_against_count_table(grown, what),
        key="growth",
        alt=f"How the total ε grows with the number of {what}s",
        confidential=False,
    )
    said = (
        "Each attempt that looks at a seed counts, whether it passes or not."
        if plan.protocol == "attempts"
        else "Each released record counts; the attempts that released nothing are hidden."
    )
    if plan.records_per_person > 1:
        said += f" For one record; a person may have {plan.records_per_person:,}."
    st.caption(said)


def _key_of(plan: Plan, seeds: Account) -> Any:
    """Return what the curve depends on."""
    return seeds.unit, seeds.count, seeds.record_delta, plan.t


def _draw_tradeoff(seeds: Account, what: str) -> None:
    target = seeds.record_delta / seeds.count
    every, epsilon, delta = unit_tradeoff(seeds)
    draw_picture(
        chart_unit_tradeoff(every, epsilon, delta, seeds.t or 0, target, what),
        unit_tradeoff_table(every, epsilon, delta, target, what),
        key="tradeoff",
        alt=f"ε and δ of one {what}, for every t",
        confidential=False,
    )
    st.caption(f"t changes what is stated about one {what}, and nothing about the run.")


def _list_counts(now: int) -> np.ndarray:
    """Return numbers for the curve: evenly spread, the present one among them."""
    most = max(100_000, 10 * now)
    spread = np.geomspace(1, most, _POINTS).round().astype(np.int64)
    return np.union1d(spread, [now])
