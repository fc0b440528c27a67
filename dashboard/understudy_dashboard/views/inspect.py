"""Inspect: what the released table kept, and what it lost. Internal all over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from understudy.charts.spreads import DistanceOf, distance_boxes, distance_boxes_table
from understudy.evaluation.comparison import Compared, latest
from understudy.evaluation.measure import Group
from understudy.evaluation.relative_score import aspects
from understudy.runs.folder import RunFolder
from understudy.table.pictures.picture_schema import are_pictures
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, mark_internal, show_page
from understudy_dashboard.ledger_status import load_measurements, load_planned_run, stamp_figures
from understudy_dashboard.methods.page import RunInspection, Tabs, page_of
from understudy_dashboard.methods.words import plan_words
from understudy_dashboard.parts.evaluation import (
    FoundEvaluation,
    ask_evaluation,
    draw_measuring,
    find_evaluation,
    list_titles,
)
from understudy_dashboard.parts.inspect.compare import draw_compare
from understudy_dashboard.parts.inspect.disclosure import draw_disclosure
from understudy_dashboard.parts.inspect.distances import (
    draw_column_distances,
    draw_pair,
    draw_pairs,
)
from understudy_dashboard.parts.inspect.groups import draw_group, draw_whole_group
from understudy_dashboard.parts.inspect.rules import draw_rules_kept, draw_totals_hit
from understudy_dashboard.parts.inspect.summary import (
    draw_fit,
    draw_foreseen,
    draw_measures,
    draw_story,
    tell_story,
)
from understudy_dashboard.parts.pictures import draw_picture, label_pictures
from understudy_dashboard.parts.run_list import choose_run
from understudy_dashboard.parts.sheets import draw_beside_real
from understudy_dashboard.session import Session

_EMPTY = (
    "**This page shows what a synthetic table kept of the real one, and what it lost.** Once a run "
    "has finished, three sentences and a chart are shown here for a first look; behind them every "
    "distance, how well models learn from the table, whether its records can be told from real "
    "ones, what attacks find out, and several runs side by side."
)


def _draw_body(session: Session) -> None:
    run = choose_run(session, "inspect")
    if run is None:
        st.info(_EMPTY, icon=":material/query_stats:")
        draw_link("generate", "Go to Generate", ":material/arrow_back:")
        return
    looked: RunInspection | None = session.cache.keep(
        "looked", stamp_figures(run), lambda: _load_inspection(session, run)
    )
    if looked is None:
        st.info("This run has no figures: it has not finished, or ended before they were made.")
        draw_link("generate", "Go to Generate", ":material/arrow_back:")
        return
    found = find_evaluation(session, run, looked.schema)
    with mark_internal("inspect"), label_pictures(run):
        draw_measuring(session, run, looked.schema, found)
        _draw_sections(replace(looked, found=found, compared=_find_latest(looked, found)))
    draw_link("release", "Next: Release")


def _find_latest(looked: RunInspection, found: FoundEvaluation | None) -> tuple[Compared, ...]:
    """Return the distances that count: those of the evaluation, where there is one."""
    evaluation = None if found is None else found.evaluation
    return latest(looked.compared, evaluation, looked.schema.names)


def _load_inspection(session: Session, run: RunFolder) -> RunInspection | None:
    """Return what a run left to be looked at, ranges in the names of its tables written as they are
    printed.

    Raises:
        Refusal: it can no longer be read.
    """
    found = load_measurements(session, run)
    if found is None:
        return None
    named = tuple(replace(each, name=words.print_range(each.name)) for each in found.compared)
    return RunInspection(session, run, load_planned_run(run), named, found.told)


def _draw_sections(looked: RunInspection) -> None:
    """Draw the tabs, each with what it shows; of several things, the one that is chosen."""
    page = page_of(looked.decided.plan.kind)
    drawn = {**page.tabs(looked, _list_usual_tabs(looked)), **_list_picture_tabs(looked)}
    tabs = st.tabs(list(drawn), key="inspect-tab", on_change="rerun")
    for tab, (name, parts) in zip(tabs, drawn.items(), strict=True):
        if tab.open:
            with tab:
                parts[_ask_part(name, list(parts), measured=looked.found is not None)]()


def _list_totals(looked: RunInspection) -> Mapping[str, Callable[[], None]]:
    """Return what shows known totals, if there are any."""
    if not looked.decided.schema.totals:
        return {}
    return {"Known totals": lambda: draw_totals_hit(looked)}


def _list_usual_tabs(looked: RunInspection) -> Tabs:
    """Return the tabs that every method has whose release is measured by the same measures."""
    groups = _list_groups(looked)
    if "distances" not in groups:
        return _list_group_tabs(looked, groups)
    if not any(each.schema is not None for each in looked.decided.outputs):
        return {
            "Overview": {"": lambda: _draw_without_table(looked)},
            "Compare": _list_compare(looked),
        }
    titles = list(list_titles(looked.schema).values())
    return {
        "Overview": {
            "In short": lambda: _draw_in_short(looked),
            "Foreseen and found": lambda: draw_foreseen(looked),
            "Every measure": lambda: _draw_measures(looked, "overview", draw_measures),
            "Rules": lambda: draw_rules_kept(looked),
            **_list_totals(looked),
        },
        "Distances": {
            "Every distance": lambda: _draw_whole_group(looked, "distances"),
            "Single columns": lambda: draw_column_distances(looked),
            "Spread": lambda: _draw_boxes(looked, titles, "single"),
            "Pairs": lambda: _draw_pairs(looked, titles),
            "One pair": lambda: draw_pair(looked, titles),
        },
        "Prediction": {
            "Trees and forests": lambda: _draw_group(looked, "prediction"),
            "Linear classifiers": lambda: _draw_group(looked, "linear"),
        },
        "Distinguishing": {
            "Telling records apart": lambda: _draw_group(looked, "distinguishing"),
            "Propensity": lambda: _draw_group(looked, "propensity"),
        },
        "Disclosure": {"": lambda: _draw_disclosure(looked)},
        "Compare": _list_compare(looked),
    }


def _list_picture_tabs(looked: RunInspection) -> Tabs:
    """Return what there is to see besides where records are pictures."""
    if not are_pictures(looked.schema):
        return {}
    return {"Pictures": {"": lambda: draw_beside_real(looked.session, looked.run, looked.decided)}}


def _list_groups(looked: RunInspection) -> tuple[Group, ...]:
    """Return the groups of the measures that an evaluation of the run takes, in their order."""
    decided = looked.decided
    every = decided.mechanism.measures(decided)
    return tuple(dict.fromkeys(each.about.group for each in every))


def _list_group_tabs(looked: RunInspection, groups: Sequence[Group]) -> Tabs:
    """Return a tab for each group of measures that are not of tables of records."""
    return {
        "Overview": {"": lambda: _draw_overview(looked)},
        **{
            _TABS[each]: {"": partial(_draw_whole_group, looked, each)}
            for each in groups
            if each in _TABS
        },
        "Disclosure": {"": lambda: _draw_disclosure(looked)},
        "Compare": _list_compare(looked),
    }


_TABS: Final[Mapping[Group, str]] = {
    "places": "Places",
    "moves": "Moves",
    "lives": "Lives",
    "peers": "As others measure",
    "distinguishing": "Distinguishing",
}
"""What the tab of a group of measures is called."""


def _list_compare(looked: RunInspection) -> Mapping[str, Callable[[], None]]:
    return {"": lambda: draw_compare(looked.session, looked.run)}


def _draw_overview(looked: RunInspection) -> None:
    """Draw what a run has to say first, and its headline measures."""
    passing = page_of(looked.decided.plan.kind).summarise_run(looked)
    if passing:
        st.markdown(passing)
    _draw_measures(looked, "overview", draw_measures)


def _draw_whole_group(looked: RunInspection, group: Group) -> None:
    _draw_measures(looked, group, lambda found: draw_whole_group(found, group))


# What is looked at first as long as not everything was measured.
_BEFORE = ("Single columns", "Dependencies")


def _ask_part(section: str, parts: list[str], *, measured: bool) -> str:
    """Return which part of a section is looked at."""
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
    "overview": "All headline measures will be shown here on one scale, from the worst that is "
    "acceptable to what is real, and their numbers in a table.",
    "places": "How popular each place is, by time, and which of the busiest places stay so, will "
    "be shown here beside other real people and people who know nothing but the map.",
    "moves": "How often, when, how far and from where to where people go will be shown here beside "
    "other real people and people who know nothing but the map.",
    "lives": "How far people live from work, how much they are at home, how many places they know "
    "and how often they return will be shown here beside other real people.",
    "peers": "The measures by which published methods for trajectories are compared will be "
    "shown here.",
    "distances": "Every way of measuring how far the shares in the released table are from those "
    "of real records will be shown here, by column, by pair and by larger sets.",
    "models": "How well the model says each column from the others will be shown here, beside one "
    "learned without noise.",
    "prediction": "How often decision trees and forests that learned from the released table are "
    "right about real records will be shown here, beside those that learned from real ones.",
    "linear": "The same for linear classifiers will be shown here, beside two other ways to "
    "publish one with privacy.",
    "distinguishing": "How often a forest can tell a released record from a real one will be "
    "shown here.",
    "propensity": "How well the released table as a whole can be told from a real one will be "
    "shown here.",
    "disclosure": "What known attacks find out about the records it was made from will be "
    "shown here.",
}


def _draw_in_short(looked: RunInspection) -> None:
    evaluation = None if looked.found is None else looked.found.evaluation
    known = aspects(looked.compared, evaluation)
    target = "" if looked.found is None else looked.found.target
    plan = looked.decided.plan
    passed = page_of(plan.kind).summarise_run(looked)
    draw_fit(looked)
    said = tell_story(known, passed, target, plan_words(plan.kind).explain_loss(looked.decided))
    draw_story(said, known)
    if looked.found is None:
        _ask_evaluation(looked, _SHORT)


def _draw_without_table(looked: RunInspection) -> None:
    """Draw what there is to say of a run that released no table."""
    passing = page_of(looked.decided.plan.kind).summarise_run(looked)
    if passing:
        st.markdown(passing)
    st.info(
        "This run released figures and no table, so there are no records to compare with real "
        "ones. What it released stands on the Release page."
    )


_SHORT = (
    "This is the short version. The full evaluation holds the released table against other real "
    "records and against a table without relations: distances, how well models trained on it "
    "predict, whether it can be told from real records, and what it discloses."
)


def _ask_evaluation(looked: RunInspection, shown: str) -> None:
    ask_evaluation(looked.session, looked.run, looked.schema, shown)


def _draw_measures(
    looked: RunInspection, what: str, drawn: Callable[[FoundEvaluation], None]
) -> None:
    """Draw what needs the full evaluation; without it, what will stand there."""
    if looked.found is None:
        _ask_evaluation(looked, _SHOWN[what])
        return
    drawn(looked.found)


def _draw_group(looked: RunInspection, group: Group) -> None:
    _draw_measures(looked, group, lambda found: draw_group(found, group))


def _draw_disclosure(looked: RunInspection) -> None:
    found = looked.found
    draw_disclosure(None if found is None else found.evaluation, list_titles(looked.schema))
    if found is None:
        _ask_evaluation(looked, _SHOWN["disclosure"])


def _draw_pairs(looked: RunInspection, titles: Sequence[str]) -> None:
    _draw_boxes(looked, titles, "pairs")
    if looked.compared:
        draw_pairs(looked.compared, titles)


def _draw_boxes(looked: RunInspection, titles: Sequence[str], kind: DistanceOf) -> None:
    compared = looked.compared
    if not compared:
        st.info("There are too few records, released or held out, to compare.")
        return
    what = "column" if kind == "single" else "pair of columns"
    st.caption(
        f"For each {what}: the largest difference in the share of records that any statement "
        "about it can show, against held-out records. 0 % is the same, 100 % has nothing in "
        "common. "
        "“Other real records” is the best there is; “marginals” ignores all relations."
    )
    draw_picture(
        distance_boxes(compared, titles, kind),
        distance_boxes_table(compared, titles, kind),
        key=f"boxes-{kind}",
        alt=f"Distance of each {what} from held-out records, one row for each table",
    )


show_page(
    "Inspect",
    "See what the synthetic table kept of the real one, and what it lost.",
    _draw_body,
)
