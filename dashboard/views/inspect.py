"""Inspect: what the released table kept, and what it lost. Internal all over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import streamlit as st

from dashboard import sentences, words
from dashboard.frame import link, show
from dashboard.internal import internal
from dashboard.parts.bounds import bounds_tab
from dashboard.parts.compare import compare_tab
from dashboard.parts.controls import stops_of
from dashboard.parts.disclosure import disclosure_tab
from dashboard.parts.evaluation import Found, asking, found_of, measuring, titles_of
from dashboard.parts.groups import distances_tab, group_tab
from dashboard.parts.overview import every_measure
from dashboard.parts.pictures import picture, pictures_of
from dashboard.parts.relations import all_pairs, one_pair
from dashboard.parts.run_list import chosen_run
from dashboard.parts.story import draw, passing, story
from dashboard.session import Session
from engine.charts.boxes import Kind, boxes, boxes_table
from engine.charts.network import dependency_graph, dependency_graph_table
from engine.charts.passing import pass_rate_curves, pass_rate_curves_table
from engine.evaluation.aspects import aspects
from engine.evaluation.measure import Group
from engine.mechanisms.seedbased.evaluation.figures import Figures
from engine.mechanisms.seedbased.fields.of_test import TESTS
from engine.mechanisms.seedbased.fields.table import FIELDS
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise, promise
from engine.privacy.plausibility.privacy_test import USUAL_GAMMA, TestKind, privacy_test
from engine.runs.folder import RunFolder
from engine.table.schema import Schema

_EMPTY = (
    "**This page shows what a synthetic table kept of the real one, and what it lost.** Once a run "
    "has finished, three sentences and a chart stand here for a first look; behind them every "
    "distance, how well models learn from the table, whether its records can be told from real "
    "ones, what attacks find out, and several runs side by side."
)


def _body(session: Session) -> None:
    run = chosen_run(session, "inspect")
    if run is None:
        st.info(_EMPTY, icon=":material/query_stats:")
        link("generate", "Go to Generate", ":material/arrow_back:")
        return
    figures: Figures | None = session.keep("figures", _written(run), lambda: _loaded(run))
    if figures is None:
        st.info("This run has no figures: it has not finished, or ended before they were made.")
        link("generate", "Go to Generate", ":material/arrow_back:")
        return
    with run.intact():
        plan = Plan.from_json(run.read_text("plan.json"))
        schema = Schema.from_json(run.read_text("schema.json"))
    made = session.keep("run promise", run.identity, lambda: promise(plan, schema))
    found = found_of(session, run, schema)
    with internal("inspect"), pictures_of(run):
        measuring(session, run, schema, found)
        _sections(_Looked(session, run, figures, plan, schema, made, found))
    link("release", "Next: Release")


@dataclass(frozen=True, eq=False)
class _Looked:
    """The run that is looked at, and all there is to see of it."""

    session: Session
    run: RunFolder
    figures: Figures
    plan: Plan
    schema: Schema
    made: Promise
    found: Found | None


def _written(run: RunFolder) -> tuple[str, int]:
    """Which figures there are: of which run, and when they were written."""
    path = run.internal / "figures.json"
    return run.identity, path.stat().st_mtime_ns if path.exists() else 0


def _loaded(run: RunFolder) -> Figures | None:
    """The figures of a run, ranges in the names of its tables written as they are printed.

    Raises:
        Refusal: they can no longer be read.
    """
    with run.intact():
        figures = Figures.load(run.internal)
    if figures is None:
        return None
    named = tuple(replace(each, name=words.ranged(each.name)) for each in figures.compared)
    return replace(figures, compared=named)


def _sections(looked: _Looked) -> None:
    """The tabs, each with what it shows; of several things, the one that is chosen."""
    figures, plan, made = looked.figures, looked.plan, looked.made
    titles = list(titles_of(looked.schema).values())
    drawn: dict[str, dict[str, Callable[[], None]]] = {
        "Overview": {
            "In short": lambda: _in_short(looked),
            "Every measure": lambda: _measured(looked, "overview", every_measure),
        },
        "Distances": {
            "Every distance": lambda: _measured(looked, "distances", distances_tab),
            "Single columns": lambda: _boxes(looked, titles, "single"),
            "Pairs": lambda: _pairs(looked, titles),
            "One pair": lambda: one_pair(looked.session, looked.run, looked.schema, titles),
        },
        "Models": {
            "Accuracy by column": lambda: _group(looked, "models"),
            "Dependencies": lambda: _graph(figures, plan, titles),
        },
        "Prediction": {
            "Trees and forests": lambda: _group(looked, "prediction"),
            "Linear classifiers": lambda: _group(looked, "linear"),
        },
        "Distinguishing": {
            "Telling records apart": lambda: _group(looked, "distinguishing"),
            "Propensity": lambda: _group(looked, "propensity"),
        },
        "Disclosure": {"": lambda: _disclosure(looked)},
        "Privacy test": {
            "Pass rate": lambda: _passing(figures, plan, made),
            "Bounds": lambda: bounds_tab(figures, plan, made),
        },
        "Compare": {"": lambda: compare_tab(looked.session, looked.run)},
    }
    tabs = st.tabs(list(drawn), key="inspect-tab", on_change="rerun")
    for tab, (name, parts) in zip(tabs, drawn.items(), strict=True):
        if tab.open:
            with tab:
                parts[_part(name, list(parts), measured=looked.found is not None)]()


# What is looked at first as long as not everything was measured.
_BEFORE = ("Single columns", "Dependencies")


def _part(section: str, parts: list[str], *, measured: bool) -> str:
    """Which part of a section is looked at."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0] if measured else next((each for each in parts if each in _BEFORE), parts[0])
    chosen = st.segmented_control(
        section,
        parts,
        default=first,
        required=True,
        key=f"inspect-{section}",
        label_visibility="collapsed",
    )
    return chosen or first


# What stands in the place of each group once it was measured.
_SHOWN = {
    "overview": "All headline measures will stand here on one scale, from a table without any "
    "relation between columns to other real records, and their numbers in a table.",
    "distances": "Every way of measuring how far the shares in the released table are from those "
    "of real records will stand here, by column, by pair and by larger sets.",
    "models": "How well the model says each column from the others will stand here, beside one "
    "learned without noise.",
    "prediction": "How often decision trees and forests that learned from the released table are "
    "right about real records will stand here, beside those that learned from real ones.",
    "linear": "The same for linear classifiers will stand here, beside two other ways to publish "
    "one with privacy.",
    "distinguishing": "How often a forest can tell a released record from a real one will stand "
    "here.",
    "propensity": "How well the released table as a whole can be told from a real one will stand "
    "here.",
    "disclosure": "What known attacks find out about the records it was made from will stand here.",
}


def _in_short(looked: _Looked) -> None:
    evaluation = None if looked.found is None else looked.found.evaluation
    known = aspects(looked.figures.compared, evaluation)
    target = "" if looked.found is None else looked.found.target
    passed = passing(looked.figures, looked.plan, looked.made)
    said = story(known, passed, target, tested=looked.made.seeds is not None)
    draw(said, known)
    if looked.found is None:
        _ask(looked, _SHORT)


_SHORT = (
    "This is the short version. The full evaluation holds the released table against other real "
    "records and against a table without relations: distances, how well models trained on it "
    "predict, whether it can be told from real records, and what it discloses."
)


def _ask(looked: _Looked, shown: str) -> None:
    asking(looked.session, looked.run, looked.schema, shown)


def _measured(looked: _Looked, what: str, drawn: Callable[[Found], None]) -> None:
    """What needs the full evaluation; without it, what will stand there."""
    if looked.found is None:
        _ask(looked, _SHOWN[what])
        return
    drawn(looked.found)


def _group(looked: _Looked, group: Group) -> None:
    _measured(looked, group, lambda found: group_tab(found, group))


def _disclosure(looked: _Looked) -> None:
    found = looked.found
    disclosure_tab(None if found is None else found.evaluation, titles_of(looked.schema))
    if found is None:
        _ask(looked, _SHOWN["disclosure"])


def _pairs(looked: _Looked, titles: Sequence[str]) -> None:
    _boxes(looked, titles, "pairs")
    if looked.figures.compared:
        all_pairs(looked.figures.compared, titles)


_QUICKLY = (
    " These were measured when the run ended, on other draws of the tables to compare with, so "
    "they differ a little from those under “Every distance”."
)


def _boxes(looked: _Looked, titles: Sequence[str], kind: Kind) -> None:
    figures = looked.figures
    if not figures.compared:
        st.info("There are too few records, released or held out, to compare.")
        return
    what = "column" if kind == "single" else "pair of columns"
    st.caption(
        f"For each {what}: the largest difference in the share of records that any statement "
        "about it can show, against held-out records. 0 % is the same, 100 % has nothing in "
        "common. "
        "“Other real records” is the best there is; “marginals” ignores all relations."
        + (_QUICKLY if looked.found is not None else "")
    )
    picture(
        boxes(figures.compared, titles, kind),
        boxes_table(figures.compared, titles, kind),
        key=f"boxes-{kind}",
        alt=f"Distance of each {what} from held-out records, one row for each table",
    )


def _passing(figures: Figures, plan: Plan, made: Promise) -> None:
    if made.seeds is None:
        st.info(
            "Nothing was tested in this run: no row is made from a record, so every row that the "
            "model drew was released."
        )
        if all(each.omega.low == len(figures.order) for each in figures.samples):
            return
        st.markdown("With columns copied from seeds, so many candidates would have passed:")
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


_WEIGHTED = (
    " The calibrated model was learned first and then put into this network, which may have more "
    "arrows than were paid for. Whole rows are weighted besides, so that pairs without an arrow "
    "agree with what was measured too."
)


def _graph(figures: Figures, plan: Plan, titles: Sequence[str]) -> None:
    kept = (len(titles) - plan.omega.high, len(titles) - plan.omega.low)
    st.caption(
        "An arrow leads from a column to one that the model draws with its help. What is drawn "
        "afresh comes after what is copied, so that it can follow it."
        + (_WEIGHTED if plan.model.kind == "calibrated" else "")
        + sentences.weights_lie(figures.effective)
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
