"""What was kept and what was lost, at a glance: sentences, one scale for all measures, a table."""

from __future__ import annotations

import math
from typing import Any, Final

import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.parts.evaluation import TABLES, Found
from dashboard.parts.pictures import picture
from engine.charts.readings import direction, read, read_whole
from engine.charts.standing import Standing, standings, standings_table
from engine.evaluation.measure import About, Finding, Measured
from engine.evaluation.standing import referenced, standing
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
_ALONE: Final = "There are too few other real records, or marginals, to hold it against."
_TROUBLE: Final = "It could not be measured; why stands in its tab."

_COLUMNS: Final = ["Measure", "Released", "Other real records", "Marginals", "Which way is better"]
_WIDTHS: Final = (280, 180, 120, 85, 135)


def overview(found: Found) -> None:
    """The sentences, the scale and the table."""
    for sentence in sentences(found):
        st.markdown(sentence)
    on_scale, off = scaled(found)
    st.markdown("**What was kept of what real records have**")
    st.caption(
        "Measures on one scale: 0 % is what the marginals score, a table without any "
        "relation between columns and the worst that is acceptable; 100 % is what other real "
        "records score, the best that can be expected. Both ends count as known: a whisker says "
        "how uncertain the table’s own value is, and leaves out that the ends are uncertain too."
    )
    st.caption(TABLES)
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


def _widths() -> dict[str, Any]:
    return {
        name: st.column_config.Column(width=width)
        for name, width in zip(_COLUMNS, _WIDTHS, strict=True)
    }


def sentences(found: Found) -> tuple[str, ...]:
    """At most three, in plain words."""
    said = (_predicting(found), _telling(found))
    return tuple(each for each in said if each)


def _predicting(found: Found) -> str:
    by = _three(found, "accuracy")
    if by is None:
        return ""
    about, released, real, marginals = by
    return (
        f"A forest of decision trees trained on the released table predicts "
        f"“{words.plain(found.target)}” right for **{read(about, released.value)}** of records it "
        f"has not seen; trained on other real records, {read(about, real.value)}; on a table "
        f"without relations, {read(about, marginals.value)}."
    )


def _telling(found: Found) -> str:
    by = _three(found, "distinguishing")
    if by is None:
        return ""
    _, released, real, marginals = by
    right, other, worst = (50 + 50 * each.value for each in (released, real, marginals))
    return (
        f"Shown released and real records mixed half and half, such a forest says which is which "
        f"in **{right:.0f} of 100** cases, where a coin would get 50; other real records it tells "
        f"apart in {other:.0f}, a table without relations in {worst:.0f}."
    )


def _three(found: Found, key: str) -> tuple[About, Measured, Measured, Measured] | None:
    """What the measure found of the released table and of both references."""
    finding, about = found.evaluation.finding(key), found.abouts.get(key)
    if finding is None or about is None:
        return None
    by = finding.by_subject
    if any(name not in by or math.isnan(by[name].value) for name in (RELEASED, REALS, MARGINALS)):
        return None
    return about, by[RELEASED], by[REALS], by[MARGINALS]


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
    return _ALIKE if referenced(finding) else _ALONE


def numbers_table(found: Found) -> pd.DataFrame:
    """Each headline measure with both references, and which way is better."""
    keys = [key for keys in _ON_SCALE.values() for key in keys] + list(_RISKS)
    rows = [_numbers(*each) for each in found.named(*keys) if referenced(each[1])]
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
