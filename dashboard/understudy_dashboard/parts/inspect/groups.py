"""What was measured, a group of measures at a time: values, references, and what is behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from understudy.charts import spreads
from understudy.charts.forest import direction, is_share, value_range, value_text
from understudy.charts.measures import (
    by_column,
    chart_measures,
    column_dots,
    column_values,
    measured_table,
    subject_rows,
)
from understudy.charts.spreads import Spread
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    RELEASED,
    About,
    Finding,
    Group,
    SubjectResult,
)
from understudy_dashboard import words
from understudy_dashboard.parts.evaluation import FoundEvaluation
from understudy_dashboard.parts.pictures import draw_picture

_FEW = 3
_SEEN = (REALS, MARGINALS, RELEASED)
_SUBJECTS = {"models": "Model", "linear": "Method"}
_ALSO = {
    "models": "“Random forest” learned from real records without noise, to compare with; “random "
    "guess” names any value of the column.",
    "linear": "“Ordinary” learned from real records without any privacy. Output and objective "
    "perturbation are two ways to publish such a classifier with privacy: noise is added when it "
    "has learned, or while it learns.",
    "propensity": "pMSE stands for propensity mean squared error: how far the guesses which table "
    "a record is of are from a coin’s.",
}
"""What names in a group’s charts mean."""


def draw_group(found: FoundEvaluation, group: Group) -> None:
    """Draw one group: the measure that is chosen, with all there is to know of it."""
    measures = found.of(group)
    if not measures:
        st.info("This was not among what was measured.")
        return
    _draw_measure(found, *_ask_measure(measures, group))


def draw_whole_group(found: FoundEvaluation, group: Group) -> None:
    """Draw the measure of a group that is chosen, then all of them."""
    draw_group(found, group)
    if found.of(group):
        st.markdown("**All of them**")
        # Eight columns fit a small screen only where their names may take several lines.
        table = tabulate_measures(found, group)
        st.table(table, hide_index=True, alt="Every measure of every table")
        st.caption("The interval of each value is in its chart above, and in the chart’s table.")


def tabulate_measures(found: FoundEvaluation, group: Group) -> pd.DataFrame:
    """Return one row for each measure, one column for each table: values in words."""
    tables = [each.name for each in found.evaluation.tables]
    rows = [
        {"Measure": about.name}
        | {name: _format_value(about, finding.by_subject.get(name)) for name in tables}
        | {"Which way is better": direction(about)}
        for about, finding in found.of(group)
        if not finding.trouble
    ]
    return pd.DataFrame(rows, columns=["Measure", *tables, "Which way is better"])


def _format_value(about: About, found: SubjectResult | None) -> str:
    return "" if found is None else value_text(about, found.value)


def describe_meaning(about: About) -> str:
    """Return range, direction and source of a measure, for who asks."""
    said = f"Values go {value_range(about)}; {direction(about)}."
    return f"{said} Source: {about.source}." if about.source else said


def _ask_measure(measures: Sequence[tuple[About, Finding]], group: Group) -> tuple[About, Finding]:
    if len(measures) == 1:
        return measures[0]
    by_key = {about.key: (about, finding) for about, finding in measures}
    keys, key = list(by_key), f"measure-of-{group}"

    def name_measure(each: str) -> str:
        return by_key[each][0].name

    if len(measures) > _FEW:
        chosen = st.selectbox("Measure", keys, format_func=name_measure, key=key)
    else:
        chosen = st.radio(
            "Measure",
            keys,
            format_func=name_measure,
            key=key,
            horizontal=True,
            label_visibility="collapsed",
        )
    return by_key[chosen or keys[0]]


def _draw_measure(found: FoundEvaluation, about: About, finding: Finding) -> None:
    st.markdown(f"**{words.escape(about.name)}**", help=describe_meaning(about))
    st.caption(words.escape(f"{about.sentence} {_ALSO.get(about.group, '')}"))
    if finding.trouble:
        st.info(words.escape(finding.trouble), icon=":material/info:")
        return
    subjects = _SUBJECTS.get(about.group, "Table")
    rows = subject_rows(about, finding.by_subject)
    draw_picture(
        chart_measures(about, rows, subjects),
        measured_table(about, rows, subjects),
        key=f"measured-{about.key}",
        alt=f"{about.name}, one row for each {subjects.lower()}",
    )
    _draw_breakdown(found, about, finding)


def _draw_breakdown(found: FoundEvaluation, about: About, finding: Finding) -> None:
    """Draw the breakdown, where it is not one by classifiers."""
    if not any(each.parts for each in finding.by_subject.values()):
        return
    if about.parts == "column" and about.group != "distances":
        _draw_by_column(found, about, finding)
    elif about.parts.endswith(("column", "columns")):
        _draw_spread(found, about, finding)


def _draw_by_column(found: FoundEvaluation, about: About, finding: Finding) -> None:
    """Draw every model; of tables, the released one and its references, as more would be a
    crowd."""
    subjects = finding.by_subject
    if about.group != "models":
        subjects = {name: subjects[name] for name in _SEEN if name in subjects}
    st.markdown("**Column by column**")
    each = by_column(subjects, found.titles)
    draw_picture(
        column_dots(about, each),
        column_values(about, each),
        key=f"columns-{about.key}",
        alt=f"{about.name}, a row for each column",
    )


def _draw_spread(found: FoundEvaluation, about: About, finding: Finding) -> None:
    many = about.parts if about.parts.endswith("s") else f"{about.parts}s"
    many = many.replace("pair of columns", "pairs of columns")
    if about.parts.startswith(("three", "four")):
        many = f"sets of {many}"
    st.markdown(f"**The {words.escape(many)} behind it**")
    kind = spreads.SpreadKind(
        one=about.parts.capitalize(),
        many=many,
        value=about.name,
        axis=f"{about.name} ({direction(about)})",
        most=about.high,
        share=is_share(about),
    )
    drawn = [_make_spread(found, name, each) for name, each in finding.by_subject.items()]
    draw_picture(
        spreads.boxes(drawn, kind),
        spreads.spreads_table(drawn, kind),
        key=f"parts-{about.key}",
        alt=f"{about.name} of each {about.parts}, one row for each table",
    )


def _make_spread(found: FoundEvaluation, name: str, each: SubjectResult) -> Spread:
    values = [part.value if math.isfinite(part.value) else math.nan for part in each.parts]
    what = [found.name_entry(part.of) for part in each.parts]
    return Spread(name, found.records, what, np.array(values, dtype=np.float64))
