"""Inspect: what the released table kept, and what it lost. Internal all over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import streamlit as st

from dashboard import words
from dashboard.charts.boxes import Kind
from dashboard.charts.distances import boxes, boxes_table
from dashboard.charts.network import dependency_graph, dependency_graph_table
from dashboard.charts.passing import pass_rate_curves, pass_rate_curves_table
from dashboard.frame import link, show
from dashboard.internal import internal
from dashboard.parts.controls import SCALES
from dashboard.parts.pictures import picture
from dashboard.parts.relations import all_pairs, one_pair
from dashboard.parts.run_list import chosen_run
from dashboard.parts.story import story
from dashboard.session import Session
from engine.evaluation.figures import Figures
from engine.privacy.plausibility.privacy_test import USUAL_GAMMA, TestKind, privacy_test
from engine.runs.folder import RunFolder
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise, promise
from engine.table.schema import Schema


def _body(session: Session) -> None:
    run = chosen_run(session, "inspect")
    if run is None:
        st.info("No run has been made yet. Once one has finished, its figures stand here.")
        link("generate", "Go to Generate", ":material/arrow_back:")
        return
    figures: Figures | None = session.keep(
        "figures", (run.identity, run.internal.exists()), lambda: _loaded(run)
    )
    if figures is None:
        st.info("This run has no figures: it has not finished, or was stopped before its end.")
        link("generate", "Go to Generate", ":material/arrow_back:")
        return
    plan = Plan.from_json(run.read_text("plan.json"))
    schema = Schema.from_json(run.read_text("schema.json"))
    made = session.keep("run promise", run.identity, lambda: promise(plan, schema))
    titles = [column.title or column.name for column in schema.columns]
    with internal("inspect"):
        st.subheader("In short", anchor=False)
        for sentence in story(figures, plan, made):
            st.markdown(sentence)
        _tabs(session, run, figures, plan, schema, made, titles)
    link("release", "Next: Release")


def _loaded(run: RunFolder) -> Figures | None:
    """The figures of a run, ranges in the names of its tables written as they are printed."""
    figures = Figures.load(run.internal)
    if figures is None:
        return None
    named = tuple(replace(each, name=words.ranged(each.name)) for each in figures.compared)
    return replace(figures, compared=named)


def _tabs(
    session: Session,
    run: RunFolder,
    figures: Figures,
    plan: Plan,
    schema: Schema,
    made: Promise,
    titles: Sequence[str],
) -> None:
    drawn: dict[str, Callable[[], None]] = {
        "Single columns": lambda: _boxes(figures, titles, "single"),
        "Pairs": lambda: _pairs(figures, titles),
        "One pair": lambda: one_pair(session, run, schema, titles),
        "Pass rate": lambda: _passing(figures, plan, made),
        "Dependencies": lambda: _graph(figures, plan, titles),
    }
    tabs = st.tabs(list(drawn), key="inspect-tab", on_change="rerun")
    for tab, draw in zip(tabs, drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _pairs(figures: Figures, titles: Sequence[str]) -> None:
    _boxes(figures, titles, "pairs")
    if figures.compared:
        all_pairs(figures.compared, titles)


def _boxes(figures: Figures, titles: Sequence[str], kind: Kind) -> None:
    if not figures.compared:
        st.info("There are too few records, released or held back, to compare.")
        return
    what = "column" if kind == "single" else "pair of columns"
    st.caption(
        f"For each {what}: the largest difference in the share of records that any statement "
        "about it can show, against held-back records. 0 is the same, 1 has nothing in common. "
        "“Other real records” is the best there is; “marginals” ignores all relations."
    )
    picture(
        boxes(figures.compared, titles, kind),
        boxes_table(figures.compared, titles, kind),
        key=f"boxes-{kind}",
        alt=f"Distance of each {what} from held-back records, one row for each table",
    )


def _passing(figures: Figures, plan: Plan, made: Promise) -> None:
    ks = sorted({*SCALES["k"], plan.test.k})
    kinds: list[TestKind] = list(get_args(TestKind))
    kind = st.radio(
        words.LABELS["test"],
        kinds,
        index=kinds.index(plan.test.kind),
        format_func=words.TESTS.__getitem__,
        key="inspect-test",
        horizontal=True,
        help=words.HELP["test"],
    )
    k = st.select_slider(
        words.LABELS["k"],
        ks,
        value=plan.test.k,
        key="inspect-k",
        help=words.HELP["k"],
        format_func=lambda stop: f"{stop:,}",
    )
    gamma = getattr(plan.test, "gamma", USUAL_GAMMA) if kind == "plausible-deniability" else None
    test = privacy_test(kind, int(k), plan.test.epsilon0, gamma)
    places = np.array(ks, dtype=np.int64)
    curves = {
        words.ranged(f"ω = {each.omega}"): each.curve(test, places, made.pass_cap)
        for each in figures.samples
    }
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


def _graph(figures: Figures, plan: Plan, titles: Sequence[str]) -> None:
    kept = (len(titles) - plan.omega.high, len(titles) - plan.omega.low)
    st.caption(
        "An arrow leads from a column to one it helps to predict. Columns are resampled from the "
        "end of the dependency order."
    )
    picture(
        dependency_graph(titles, figures.parents, figures.order, kept),
        dependency_graph_table(titles, figures.parents, figures.order, kept),
        key="graph",
        alt="Which column depends on which",
    )


show(
    "Inspect",
    "See what the synthetic table kept of the real one, and what it lost.",
    _body,
)
