"""What a plan promises, in figures and charts."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dashboard import sentences, words
from dashboard.charts.accounting import (
    epsilon_against_attempts,
    epsilon_against_attempts_table,
    tradeoff,
    tradeoff_table,
)
from dashboard.parts.pictures import picture
from engine.privacy.account import Account, growth
from engine.privacy.account import tradeoff as every_t
from engine.privacy.budget import Budget
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise

_POINTS = 60


def promised(plan: Plan, made: Promise) -> None:
    """The figure that is promised, beside the one that was published."""
    ours, published = st.columns(2, gap="medium", border=True)
    with ours:
        _figure("The whole release", made.total)
        st.caption(f"**What it covers.** {sentences.covers(plan, made)}")
    with published:
        _figure("As published: one record", made.published_record)
        st.caption(f"**What it covers.** {_published_covers(made)}")
    st.markdown(sentences.meaning(made.total))
    warning = sentences.large(made)
    if warning:
        st.warning(warning, icon=":material/balance:")
    with st.expander("How the total comes about"):
        _parts(plan, made)


def _figure(label: str, budget: Budget | None) -> None:
    st.markdown(f"**{label}**")
    if budget is None or not budget.bounded:
        st.markdown("No figure.")
        return
    epsilon, delta = st.columns(2)
    epsilon.metric("ε", words.epsilon(budget.epsilon))
    delta.metric("δ", words.delta(budget.delta))


def _published_covers(made: Promise) -> str:
    if made.seeds is None:
        return "There is nothing to compare with: the theorem is about candidates made from seeds."
    if made.published_record is None:
        return "Nothing: the theorem needs noise in the test."
    return (
        "One released record, whatever else is released. It says nothing about rejected "
        "candidates, nor about the table as a whole; it is here to compare with the literature."
    )


def _parts(plan: Plan, made: Promise) -> None:
    if made.seeds is not None and made.seeds.attempt.budget.bounded:
        seeds = made.seeds
        st.markdown(
            f"- One attempt: {words.budget(seeds.attempt.budget)}, stated at t = "
            f"{seeds.attempt.t:,}.\n"
            f"- {words.count(seeds.attempts, 'attempt')} added up: "
            f"{words.budget(seeds.sequential)}.\n"
            f"- The same by advanced composition: {words.budget(seeds.advanced)}. The smaller ε "
            f"of the two counts.\n"
            f"- Share of passing candidates turned down, ρ: {words.percent(made.pass_cap)}. "
            "With it the promise covers rejections.\n"
            f"- To be publicly known: the table has at least {made.records_at_least:,} records, so "
            f"that {plan.seeds_at_least:,} of them become seeds, but for a chance within δ."
        )
    elif made.seeds is None:
        st.markdown("- The seeds pay nothing, as no attempt looks at one.")
    st.markdown(
        f"- Learning the structure: {words.budget(made.structure)}.\n"
        f"- Learning the parameters: {words.budget(made.parameters)}.\n"
        f"- The same noise by the published formula: {words.budget(made.published_model)}.\n"
        "- These parts see different records, so the largest counts, not the sum."
    )
    if plan.sampling is not None:
        st.markdown(f"- Lowered as the table is a sample, p = {plan.sampling:g}.")


def charts(plan: Plan, made: Promise) -> None:
    """ε against the number of attempts, and what each t states."""
    if made.seeds is None or plan.test.epsilon0 is None or made.seeds.attempt.t is None:
        st.info(
            "There is no curve to draw: "
            + (
                "no attempt looks at a seed, so their number costs nothing."
                if made.seeds is None
                else "without noise nothing is promised."
            )
        )
        return
    attempts, t = st.tabs(
        ["ε and the number of attempts", "ε and δ over t"], key="accounting", on_change="rerun"
    )
    if attempts.open:
        with attempts:
            _growth(plan, made.seeds)
    if t.open:
        with t:
            _tradeoff(plan, made.seeds)


def _growth(plan: Plan, seeds: Account) -> None:
    grown = growth(
        plan.test,
        _counts(seeds.attempts),
        plan.delta,
        t=plan.t,
        equal_likelihood=plan.omega.per_attempt,
    )
    picture(
        epsilon_against_attempts(grown, seeds.attempts),
        epsilon_against_attempts_table(grown),
        key="growth",
        alt="How the total ε grows with the number of attempts",
    )
    st.caption("Each attempt that looks at a seed counts, whether it passes or not.")


def _tradeoff(plan: Plan, seeds: Account) -> None:
    target = plan.delta / seeds.attempts
    every, epsilon, delta = every_t(plan.test, equal_likelihood=plan.omega.per_attempt)
    picture(
        tradeoff(every, epsilon, delta, seeds.attempt.t or 0, target),
        tradeoff_table(every, epsilon, delta, target),
        key="tradeoff",
        alt="ε and δ of one attempt, for every t",
    )
    st.caption("t changes what is stated about an attempt, and nothing about the attempt.")


def _counts(now: int) -> np.ndarray:
    """Numbers of attempts for the curve: evenly spread, the present one among them."""
    most = max(100_000, 10 * now)
    spread = np.geomspace(1, most, _POINTS).round().astype(np.int64)
    return np.union1d(spread, [now])
