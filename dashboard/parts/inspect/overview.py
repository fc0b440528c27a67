"""What was kept and what was lost: one scale for all measures, and a table."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.parts.evaluation import Found
from dashboard.parts.pictures import picture
from engine.charts.readings import direction, read, read_whole
from engine.charts.standing import Standing, standings, standings_table
from engine.evaluation.finding import Finding
from engine.evaluation.measure import About
from engine.evaluation.standing import has_references, standing
from engine.evaluation.study import MARGINALS, REALS, RELEASED

_ON_SCALE: Final = {
    "Distances": (
        "total-variation",
        "total-variation-pairs",
        "total-variation-of-three",
        "invented-pairs",
        "missing-pairs",
    ),
    "Prediction": ("accuracy", "agreement", "linear-accuracy"),
    "Telling it from real records": ("distinguishing", "propensity-logistic", "propensity-tree"),
}
"""The headline measures, by the headings they stand under."""

_RISKS: Final = ("exact-matches", "closer-to-seeds", "membership", "attribute-inference")
"""Those of disclosure: a risk is nothing to be kept or lost, so they are on no scale."""

_ALIKE: Final = (
    "The marginals and other real records cannot be told apart by it here, so there is no scale "
    "between them; the numbers stand below."
)
_ALONE: Final = "There are too few other real records, or marginals, to compare it with."
_TROUBLE: Final = "It could not be measured; its tab says why."

_COLUMNS: Final = ["Measure", "Released", "Other real records", "Marginals", "Which way is better"]
_WIDTHS: Final = (280, 180, 120, 85, 135)


def every_measure(found: Found) -> None:
    """All headline measures on one scale, and their numbers."""
    on_scale, off = scaled(found)
    st.caption(
        "Measures on one scale: 0 % is what the marginals score, a table without any "
        "relation between columns and the worst that is acceptable; 100 % is what other real "
        "records score, the best that can be expected. Both ends count as known: a whisker says "
        "how uncertain the table’s own value is, and leaves out that the ends are uncertain too."
    )
    st.caption(found.tables)
    picture(
        standings(on_scale),
        standings_table(on_scale),
        key="standings",
        alt="Where each table stands between marginals and other real records, by measure",
    )
    for sentence in off:
        st.caption(sentence)
    st.markdown("**The numbers**")
    st.dataframe(
        numbers_table(found),
        hide_index=True,
        height="content",
        column_config=_widths(),
        alt="Every measure: released, other real records, marginals",
    )
    for sentence in found.evaluation.remarks:
        st.caption(words.plain(sentence))


def _widths() -> dict[str, Any]:
    return {
        name: st.column_config.Column(width=width)
        for name, width in zip(_COLUMNS, _WIDTHS, strict=True)
    }


def scaled(found: Found) -> tuple[list[Standing], list[str]]:
    """The headline measures on the scale, and sentences about those that are not."""
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
    """Each headline measure with both references, and which way is better."""
    keys = [key for keys in _ON_SCALE.values() for key in keys] + list(_RISKS)
    rows = [_numbers(*each) for each in found.named(*keys) if has_references(each[1])]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _numbers(about: About, finding: Finding) -> dict[str, str]:
    by = finding.by_subject
    return {
        "Measure": about.name,
        "Released": read_whole(about, by.get(RELEASED)),
        "Other real records": read(about, by[REALS].value),
        "Marginals": read(about, by[MARGINALS].value),
        "Which way is better": direction(about),
    }
