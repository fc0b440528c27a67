"""What Inspect shows of runs of seedbased synthesis alone. Internal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
import streamlit as st

from understudy.charts.network import dependency_graph, dependency_graph_table
from understudy.charts.passing import pass_rate_curves, pass_rate_curves_table
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.fields.of_test import TESTS
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.plausibility.privacy_test import USUAL_GAMMA, TestKind, privacy_test
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased.sentences import weights_lie
from understudy_dashboard.parts.controls import stops_of
from understudy_dashboard.parts.pictures import picture


def pass_rates(figures: Figures, plan: Plan, made: Promise) -> None:
    """How many candidates pass at any k, by either test."""
    ks = sorted({*stops_of(FIELDS["k"]), plan.test.k})
    kinds: list[TestKind] = list(get_args(TestKind))
    kind = st.radio(
        FIELDS["test"].words.title,
        kinds,
        index=kinds.index(plan.test.kind),
        format_func=TESTS.__getitem__,
        key="inspect-test",
        horizontal=True,
        help=FIELDS["test"].words.help,
    )
    k = st.select_slider(
        FIELDS["k"].words.title,
        ks,
        value=plan.test.k,
        key="inspect-k",
        help=FIELDS["k"].words.help,
        format_func=lambda stop: f"{stop:,}",
    )
    gamma = getattr(plan.test, "gamma", USUAL_GAMMA) if kind == "plausible-deniability" else None
    test = privacy_test(kind, int(k), plan.test.epsilon0, gamma)
    places = np.array(ks, dtype=np.int64)
    curves = {
        words.ranged(f"ω = {each.omega}"): each.curve(test, places, made.pass_cap)
        for each in figures.samples
    }
    st.caption(
        f"Of all candidates, so many pass at k = {int(k):,}. ω is how many columns are drawn "
        f"afresh from the model; this plan has ω = {FIELDS['omega'].show(plan.omega)}."
    )
    rates = st.columns(max(1, len(figures.samples)))
    for column, each in zip(rates, figures.samples, strict=False):
        rate = each.pass_rate(test, made.pass_cap)
        column.metric(words.ranged(f"ω = {each.omega}"), words.percent(rate))
    picture(
        pass_rate_curves(places, curves, int(k)),
        pass_rate_curves_table(places, curves),
        key="passing",
        alt="The share of attempts that pass, for each k, one line for each ω",
    )
    st.caption(
        "Nothing is generated again: the scores of a sample of candidates were kept. "
        + words.TUNING
    )


def dependencies(figures: Figures, plan: Plan, titles: Sequence[str]) -> None:
    """Which column depends on which in the model."""
    kept = (len(titles) - plan.omega.high, len(titles) - plan.omega.low)
    st.caption(
        "An arrow leads from a column to one that the model draws with its help. What is drawn "
        "afresh comes after what is copied, so that it can follow it."
        + plan.model.about.pictured
        + weights_lie(figures.effective)
    )
    picture(
        dependency_graph(titles, figures.parents, figures.order, kept),
        dependency_graph_table(titles, figures.parents, figures.order, kept),
        key="graph",
        alt="Which column depends on which",
    )
