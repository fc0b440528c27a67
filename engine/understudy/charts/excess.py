"""Excess over other real records, in detail and at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.forest import Dot, GuideLine, ValueAxis, forest
from understudy.charts.palette import QUIET
from understudy.charts.scales import attribute_pair
from understudy.core.numerals import percent
from understudy.evaluation.excess import Excess, Places, Stakes
from understudy.evaluation.fitness import points
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED

# How much further off than other real records each column or pair is, the worst first. Internal.
#
# Of pairs there stands beside it whether they were foreseen to be counted.

Kind = Literal["columns", "pairs"]

ALONE: Final = MARGINALS
_STRENGTH: Final = "Independent columns (%)"
_FORESEEN: Final = "Foreseen"
_REAL: Final = "Other real records are off by (%)"
_AXIS: Final = "Further off than other real records (%); 0 is as near as they are"
_ROOM: Final = 1.08
_LEAST: Final = 0.5
"""The least range of the axis, in per cent."""


def excess_table(
    found: Excess, ahead: Stakes | None, titles: Sequence[str], kind: Kind
) -> pd.DataFrame:
    """Return a row for each column or pair, the worst first: found, what there was to lose of a
    pair, and other real records, in per cent; and whether a pair was foreseen to be counted.

    Args:
        found: what was found.
        ahead: what was foreseen, where anything was.
        titles: (m,) what a reader calls the columns.
        kind: single columns or pairs.
    """
    rows = [
        {
            _HEADED[kind]: _join_titles(places, titles),
            "Found (%)": 100 * worst,
            _STRENGTH: None if found.strength is None else 100 * float(found.strength[_at(places)]),
            _FORESEEN: "" if ahead is None else counted_in_words(ahead, _at(places)),
            _REAL: 100 * float(found.real[_at(places)]),
        }
        for places, worst in _rank_rows(found, kind)
    ]
    of_pairs = kind == "pairs"
    strength = [_STRENGTH] if of_pairs and found.strength is not None else []
    foreseen = [_FORESEEN] if of_pairs and ahead is not None else []
    columns = [_HEADED[kind], "Found (%)", *strength, *foreseen, _REAL]
    return pd.DataFrame(rows, columns=columns).round(2)


def counted_in_words(ahead: Stakes, places: tuple[int, int]) -> str:
    """Return whether a pair is foreseen to be counted together, in words; “” of a single column."""
    if ahead.counted is None or ahead.possible is None or places[0] == places[1]:
        return ""
    if ahead.counted[places]:
        return "counted"
    return "counted if tied strongly" if ahead.possible[places] else "not counted"


def excess_chart(found: Excess, titles: Sequence[str], kind: Kind, most: int) -> alt.LayerChart:
    """Draw a row for each column or pair, the worst first: a dot at its value, and one where it
    would be if the columns had nothing to do with each other.

    Args:
        found, titles, kind: as of `excess_table`.
        most: how many rows to draw at most.
    """
    ranked = _rank_rows(found, kind)
    dots = [
        dot
        for places, worst in ranked[:most]
        for dot in _dots(_join_titles(places, titles), worst, found, places)
    ]
    if not dots:
        return scales.saying("There is nothing to compare.")
    values, band = [each.value for each in dots], 100 * found.chance
    return forest(
        dots,
        [GuideLine(None, 0.0, QUIET, -band, band)],
        ValueAxis(
            _AXIS,
            _ROOM * min(-band, *values),
            _ROOM * max(_LEAST, band, *values),
            form=",~f",
            asked="Further off by",
        ),
        legend=any(each.name == ALONE for each in dots),
        row=_HEADED[kind],
        notes=[
            _describe_rows(kind, most, len(ranked)),
            "Within the grey band, chance alone explains what was found.",
        ],
        description=f"How much further off than other real records {kind} are, the worst first.",
        lanes=False,
    )


_HEADED: Final = {"columns": "Column", "pairs": "Pair"}
_NOTES: Final = {"columns": "Single columns", "pairs": "Pairs of columns"}


def _describe_rows(kind: Kind, drawn: int, of: int) -> str:
    """Return which rows there are, and how many of all."""
    if of <= drawn:
        return f"{_NOTES[kind]}, the worst first."
    return f"{_NOTES[kind]}: the worst {drawn} of {of:,}."


def _rank_rows(found: Excess, kind: Kind) -> list[tuple[Places, float]]:
    return found.worst_columns() if kind == "columns" else found.worst_pairs()


def _at(places: Places) -> tuple[int, int]:
    return places[0], places[-1]


def _join_titles(places: Places, titles: Sequence[str]) -> str:
    return " × ".join(titles[place] for place in places)


def _dots(row: str, worst: float, found: Excess, places: Places) -> list[Dot]:
    drawn = [Dot("", row, RELEASED, 100 * worst, said=points(worst), beside=points(worst))]
    if found.strength is not None and len(places) == 2:
        value = float(found.strength[_at(places)])
        drawn.insert(0, Dot("", row, ALONE, 100 * value, said=points(value), faint=True))
    return drawn


# Chart of the pairs of columns that a released table reproduces worst. Internal figures.

_AXIS_OF_WORST: Final = "Difference from real records (%); 0 is none"


def worst_pairs_table(excess: Excess | None, titles: Sequence[str], most: int = 5) -> pd.DataFrame:
    """Return the pairs that the released table is further off in than other real records by most,
    with what both are off by, in per cent."""
    rows = [(dot.row, dot.name, dot.value) for dot in _farthest(excess, titles, most)]
    return pd.DataFrame(rows, columns=["Pair", "Table", "Difference (%)"]).round(2)


def worst_pairs(excess: Excess | None, titles: Sequence[str], most: int = 5) -> alt.LayerChart:
    """Return the pairs in which the released table is further off than other real records by most;
    a pair in which those are as far off has lost nothing, and is not drawn.

    Args:
        excess: of every pair; None where it was not measured.
        titles: what a reader calls each column, in the schema's order.
        most: how many pairs to draw at most.
    """
    if excess is None:
        return scales.saying("Too few records were released, or held out, to compare.")
    dots = _farthest(excess, titles, most)
    if not dots:
        return scales.saying("No pair is further off than other real records are.")
    high = max(1.0, _ROOM * max(dot.value for dot in dots))
    return forest(
        dots,
        [],
        ValueAxis(_AXIS_OF_WORST, 0.0, high, form=",~f", asked="Difference (%)"),
        legend=True,
        row="Of",
        notes=["The pairs that are further off than other real records by most, and by how much."],
        description="The pairs of columns in which the released table is further off than other "
        "real records by most.",
        lanes=False,
    )


def _farthest(excess: Excess | None, titles: Sequence[str], most: int) -> list[Dot]:
    if excess is None:
        return []
    return [
        dot
        for (one, other), apart in excess.worst_pairs()[:most]
        if apart > 0
        for dot in _worst_dots(
            attribute_pair(titles[one], titles[other]), float(excess.real[one, other]), apart
        )
    ]


def _worst_dots(row: str, real: float, apart: float) -> tuple[Dot, Dot]:
    """Return what other real records are off by, and behind it the released table's, which comes
    last so that it lies over the other."""
    off = real + apart
    return (
        Dot("", row, REALS, 100 * real, said=percent(real), faint=True),
        Dot("", row, RELEASED, 100 * off, said=percent(off), beside=f"{points(apart)} further"),
    )
