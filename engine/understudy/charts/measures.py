"""Results of measures, with those of each column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.forest import (
    Dot,
    GuideLine,
    ValueAxis,
    direction,
    forest,
    form,
    interval_words,
    is_share,
    read_whole,
    value_range,
    value_text,
)
from understudy.charts.palette import QUIET, REFERENCES
from understudy.evaluation.measure import (
    MARGINALS,
    PEOPLE,
    REALS,
    UNIFORM,
    About,
    Interval,
    SubjectResult,
)

# One measure of several tables or methods, with intervals and references. Internal figures.

WHISKERS: Final = "Whiskers: where the value lies, in 95 of 100 such cases."
_LINES: Final = {
    REALS: "Grey line: other real records.",
    MARGINALS: "Golden line: marginals.",
    PEOPLE: "Grey line: other real people.",
    UNIFORM: "Golden line: a uniform model.",
}
_ROOM: Final = 0.06


@dataclass(frozen=True)
class MeasuredRow:
    """One value.

    Attributes:
        block: the classifier it is by; "" for none.
        subject: the table, the model or the method.
        found: the value and its interval.
    """

    block: str
    subject: str
    found: SubjectResult


def subject_rows(about: About, by_subject: Mapping[str, SubjectResult]) -> tuple[MeasuredRow, ...]:
    """Return a row for each subject; for each classifier, where the breakdown is one by
    classifiers."""
    if "classifier" not in about.parts:
        return tuple(MeasuredRow("", subject, found) for subject, found in by_subject.items())
    blocks = dict.fromkeys(
        part.of[0] for found in by_subject.values() for part in found.parts if part.of
    )
    return tuple(
        MeasuredRow(block, subject, SubjectResult(part.value, part.interval))
        for block in blocks
        for subject, found in by_subject.items()
        for part in found.parts
        if part.of == (block,)
    )


def measured_table(
    about: About, rows: Sequence[MeasuredRow], subjects: str = "Table"
) -> pd.DataFrame:
    """Return one row for each value: what it is of, the value, and the ends of its interval."""
    factor, unit = (100, " (%)") if is_share(about) else (1, "")
    blocks = {"Classifier": [each.block for each in rows]} if _has_blocks(rows) else {}
    table = pd.DataFrame(
        {
            **blocks,
            subjects: [each.subject for each in rows],
            f"{about.name}{unit}": [factor * each.found.value for each in rows],
            f"From{unit}": [factor * _ends(each.found)[0] for each in rows],
            f"To{unit}": [factor * _ends(each.found)[1] for each in rows],
        }
    )
    return table.round(2) if is_share(about) else table


def chart_measures(
    about: About, rows: Sequence[MeasuredRow], subjects: str = "Table"
) -> alt.LayerChart:
    """Return a row for each value, those of one classifier under its name.

    Lines carry what other real records and the private marginals score through the rows of
    their block, with a band where they may lie.

    Args:
        about: what the measure says of itself.
        rows: the values; one that is not a number is left out.
        subjects: what a row is: a table, a model or a method.
    """
    known = [each for each in rows if math.isfinite(each.found.value)]
    if not known:
        return scales.saying("There is nothing to draw: no value is known.")
    dots = [
        Dot(
            block=each.block,
            row=each.subject,
            name=each.subject,
            value=each.found.value,
            low=_whisker(each.found.interval, "low"),
            high=_whisker(each.found.interval, "high"),
            said=read_whole(about, each.found),
            beside=_beside(about, each.found),
        )
        for each in known
    ]
    drawn = {each.row for each in dots}
    notes = [WHISKERS] if any(each.low is not None for each in dots) else []
    notes += [said for name, said in _LINES.items() if name in drawn]
    return forest(
        dots,
        _rules(known),
        axis_of(about, [each.found for each in known]),
        legend=False,
        row=subjects,
        notes=[" ".join(notes)],
        description=f"Dots with intervals: {about.name}, one row for each {subjects.lower()}.",
    )


def axis_of(about: About, found: Sequence[SubjectResult]) -> ValueAxis:
    """Return an axis as wide as the values and their intervals need, within the range of the
    measure."""
    ends = [end for each in found for end in (each.value, *_ends(each)) if math.isfinite(end)]
    low, high = min(ends), max(ends)
    if about.ideal is not None:
        low, high = min(low, about.ideal), max(high, about.ideal)
    elif about.better == "lower" and about.low >= 0:
        low = about.low
    room = _ROOM * (high - low) or _ROOM * max(abs(high), 0.1)
    return ValueAxis(
        title=f"{about.name} ({value_range(about)}; {direction(about)})",
        low=max(about.low, low - room),
        high=min(about.high, high + room),
        form=form(about),
        asked=about.name,
    )


def _rules(rows: Sequence[MeasuredRow]) -> list[GuideLine]:
    return [
        GuideLine(
            each.block,
            each.found.value,
            REFERENCES[each.subject],
            _whisker(each.found.interval, "low"),
            _whisker(each.found.interval, "high"),
        )
        for each in rows
        if each.subject in REFERENCES
    ]


def _beside(about: About, found: SubjectResult) -> str:
    interval = interval_words(about, found.interval)
    return (
        f"{value_text(about, found.value)}   ({interval})"
        if interval
        else value_text(about, found.value)
    )


def _whisker(interval: Interval | None, end: str) -> float | None:
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return None
    return float(getattr(interval, end))


def _ends(found: SubjectResult) -> tuple[float, float]:
    if found.interval is None:
        return math.nan, math.nan
    return found.interval.low, found.interval.high


def _has_blocks(rows: Sequence[MeasuredRow]) -> bool:
    return any(each.block for each in rows)


# One measure of several models, column by column (Figures 8.1 and 8.2). Internal figures.

ByColumn = Mapping[str, Mapping[str, SubjectResult]]


def by_column(found: Mapping[str, SubjectResult], titles: Mapping[str, str]) -> ByColumn:
    """Return the breakdown of each subject by column, called by their titles, in the schema's
    order."""
    return {
        subject: {
            titles[name]: SubjectResult(part.value, part.interval)
            for name in titles
            for part in chart_measures.parts
            if part.of == (name,)
        }
        for subject, chart_measures in found.items()
        if chart_measures.parts
    }


def column_values(about: About, found: ByColumn) -> pd.DataFrame:
    """Return one row for each column, one column for each model."""
    factor, unit = (100, " (%)") if is_share(about) else (1, "")
    named = _columns(found)
    values = {
        f"{subject}{unit}": [
            factor * columns[each].value if each in columns else np.nan for each in named
        ]
        for subject, columns in found.items()
    }
    table = pd.DataFrame({"Column": named} | values)
    return table.round(2) if is_share(about) else table


def column_dots(about: About, found: ByColumn) -> alt.LayerChart:
    """Return a row for each column, a dot in it for each model; many columns make flat rows.

    Args:
        about: what the measure says of itself.
        found: for each model the value of each column; one that is not a number is left out.
    """
    dots = [
        Dot(
            block="",
            row=column,
            name=subject,
            value=each.value,
            low=None if each.interval is None else each.interval.low,
            high=None if each.interval is None else each.interval.high,
            said=read_whole(about, each),
        )
        for column in _columns(found)
        for subject, columns in found.items()
        if (each := columns.get(column)) is not None and math.isfinite(each.value)
    ]
    if not dots:
        return scales.saying("There is nothing to draw: no value is known for any column.")
    across = axis_of(about, [each for columns in found.values() for each in columns.values()])
    whiskers = any(each.low is not None for each in dots)
    return forest(
        dots,
        _nothing_gained(across),
        across,
        legend=True,
        row="Column",
        notes=[WHISKERS] if whiskers else [],
        description=f"Dots: {about.name}, a row for each column, a colour for each model.",
    )


def _nothing_gained(across: ValueAxis) -> Sequence[GuideLine]:
    """Return a line at 0, where values lie on both sides of it."""
    return [GuideLine(None, 0.0, QUIET)] if across.low < 0 < across.high else []


def _columns(found: ByColumn) -> list[str]:
    return list(dict.fromkeys(column for columns in found.values() for column in columns))
