"""One measure of several models, column by column (Figures 8.1 and 8.2). Internal figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.forest import Dot, Rule, ValueAxis, forest
from understudy.charts.measured import WHISKERS, axis_of
from understudy.charts.palette import QUIET
from understudy.charts.readings import read_whole, share
from understudy.evaluation.measure import About, Measured

ByColumn = Mapping[str, Mapping[str, Measured]]


def by_column(found: Mapping[str, Measured], titles: Mapping[str, str]) -> ByColumn:
    """Return the breakdown of each subject by column, called by their titles, in the schema's
    order."""
    return {
        subject: {
            titles[name]: Measured(part.value, part.interval)
            for name in titles
            for part in measured.parts
            if part.of == (name,)
        }
        for subject, measured in found.items()
        if measured.parts
    }


def columns_table(about: About, found: ByColumn) -> pd.DataFrame:
    """Return one row for each column, one column for each model."""
    factor, unit = (100, " (%)") if share(about) else (1, "")
    named = _columns(found)
    values = {
        f"{subject}{unit}": [
            factor * columns[each].value if each in columns else np.nan for each in named
        ]
        for subject, columns in found.items()
    }
    table = pd.DataFrame({"Column": named} | values)
    return table.round(2) if share(about) else table


def columns(about: About, found: ByColumn) -> alt.LayerChart:
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


def _nothing_gained(across: ValueAxis) -> Sequence[Rule]:
    """Return a line at 0, where values lie on both sides of it."""
    return [Rule(None, 0.0, QUIET)] if across.low < 0 < across.high else []


def _columns(found: ByColumn) -> list[str]:
    return list(dict.fromkeys(column for columns in found.values() for column in columns))
