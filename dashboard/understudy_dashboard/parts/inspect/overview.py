"""What was kept and what was lost: one scale for all measures, and a table."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.charts.readings import direction, read_whole, references
from understudy.charts.standing import Standing, standings, standings_table
from understudy.evaluation.measure import BEST, RELEASED, WORST, About, Finding, Measured, reference
from understudy.evaluation.relative_score import has_references, standing
from understudy_dashboard import words
from understudy_dashboard.parts.evaluation import Found
from understudy_dashboard.parts.pictures import picture

_ON_SCALE: Final = {
    "Where people are": ("places-by-time", "places", "zones-by-period", "entering-rectangles"),
    "How people move": ("stays-a-day", "hours-of-moves", "jump-lengths", "flows"),
    "Lives": ("home-to-work", "time-at-home", "radius-of-gyration", "distinct-places"),
    "Distances": (
        "total-variation",
        "total-variation-pairs",
        "total-variation-of-three",
        "invented-pairs",
        "missing-pairs",
    ),
    "Prediction": ("accuracy", "agreement", "linear-accuracy"),
    "Telling it from real records": (
        "distinguishing",
        "days-told-apart",
        "propensity-logistic",
        "propensity-tree",
    ),
}
"""The headline measures, by the headings they stand under."""

_RISKS: Final = (
    "exact-matches",
    "closer-to-used",
    "membership",
    "attribute-inference",
    "points-matched",
    "top-places-found",
    "membership-of-people",
)
"""Those of disclosure: a risk is nothing to be kept or lost, so they are on no scale."""

_ALIKE: Final = (
    "The two ends cannot be told apart by it here, so there is no scale between them; the numbers "
    "stand below."
)
_ALONE: Final = "There is too little real, or to compare with, at the ends of the scale."
_TROUBLE: Final = "It could not be measured; its tab says why."

_WIDTHS: Final = (255, 165, 135, 110, 135)


def every_measure(found: Found) -> None:
    """All headline measures on one scale, and their numbers."""
    on_scale, off = scaled(found)
    worst, best = references(each.name for each in found.evaluation.tables)
    st.caption(
        f"Measures on one scale: 0 % is what {worst} {_WHAT[found.of_days]} and the "
        f"worst that is acceptable; 100 % is what {best} score, the best that can be expected. "
        "Both ends count as known: a whisker says how uncertain the table’s own value is, and "
        "leaves out that the ends are uncertain too."
    )
    st.caption(found.tables)
    picture(
        standings(on_scale),
        standings_table(on_scale),
        key="standings",
        alt=f"Where each table stands between {worst} and {best}, by measure",
    )
    for sentence in off:
        st.caption(sentence)
    st.markdown("**The numbers**")
    numbers = numbers_table(found)
    st.dataframe(
        numbers,
        hide_index=True,
        height="content",
        column_config=_widths(list(numbers.columns)),
        alt=f"Every measure: released, {best}, {worst}",
    )
    for sentence in found.evaluation.remarks:
        st.caption(words.plain(sentence))


_WHAT: Final = {
    False: "score, a table without any relation between columns",
    True: "scores, days of people who know nothing but the map,",
}
"""What the worst is, of records and of days."""


def _widths(names: list[str]) -> dict[str, Any]:
    return {
        name: st.column_config.Column(width=width)
        for name, width in zip(names, _WIDTHS, strict=True)
    }


def scaled(found: Found) -> tuple[list[Standing], list[str]]:
    """Return the headline measures on the scale, and sentences about those that are not."""
    on_scale = []
    off: dict[str, list[str]] = {why: [] for why in (_ALIKE, _ALONE, _TROUBLE)}
    tables = {each.name for each in found.evaluation.tables}
    for heading, keys in _ON_SCALE.items():
        for about, finding in found.named(*keys):
            placed = standing(about, finding)
            if placed is None:
                off[_why_off(finding)].append(about.name)
                continue
            kept = {name: each for name, each in placed.items() if name in tables}
            on_scale.append(Standing(heading, about, finding.by_subject, kept))
    return on_scale, [f"Left out: {', '.join(names)}. {why}" for why, names in off.items() if names]


def _why_off(finding: Finding) -> str:
    if finding.trouble:
        return _TROUBLE
    return _ALIKE if has_references(finding) else _ALONE


def numbers_table(found: Found) -> pd.DataFrame:
    """Return each headline measure with both references, and which way is better."""
    keys = [key for keys in _ON_SCALE.values() for key in keys] + list(_RISKS)
    best, worst = _headed(found.of_days)
    rows = [_numbers(*each, best, worst) for each in found.named(*keys) if has_references(each[1])]
    columns = ["Measure", "Released", best, worst, "Which way is better"]
    return pd.DataFrame(rows, columns=columns)


def _headed(of_days: bool) -> tuple[str, str]:
    """Return how the columns of both references are headed."""
    if of_days:
        return "Other real people", "Uniform model"
    return "Other real records", "Marginals"


def _numbers(about: About, finding: Finding, best: str, worst: str) -> dict[str, str]:
    by = finding.by_subject
    return {
        "Measure": about.name,
        "Released": read_whole(about, by.get(RELEASED)),
        best: read_whole(about, _value(reference(by, BEST))),
        worst: read_whole(about, _value(reference(by, WORST))),
        "Which way is better": direction(about),
    }


def _value(found: Measured | None) -> Measured | None:
    """Return a value without its interval."""
    return None if found is None else Measured(found.value)
