"""The columns of the released table at a glance: counts of the release itself, so publishable."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from understudy.core.numerals import percent
from understudy.report.dictionary import Described, describe_column
from understudy.report.files import VALUES
from understudy.report.svg import draw_spark
from understudy.report.table import SyntheticTable
from understudy.table.column import Column
from understudy.table.domain import Ranged

_MOST_BARS: Final = 24
_NAMED: Final = 3
_LONGEST: Final = 40


@dataclass(frozen=True)
class Glance:
    """A column of the synthetic table.

    Attributes:
        about: what it may contain.
        chart: the shape of its values; None in an empty table.
        alt: the same in words.
        ends: what stands under the ends of the chart.
    """

    about: Described
    chart: Markup | None
    alt: str
    ends: tuple[str, str]


def make_glances(table: SyntheticTable) -> tuple[Glance, ...]:
    """Return every column, in the order of the table."""
    records = table.records
    return tuple(
        _glance(column, records.counts(place))
        for place, column in enumerate(records.schema.columns)
    )


def _glance(column: Column, counts: npt.NDArray[np.int64]) -> Glance:
    about, total = describe_column(column, VALUES), int(counts.sum())
    if total == 0:
        return Glance(about, None, "There are no records.", ("", ""))
    values = counts[: column.domain.size]
    shares = _binned(values) if column.ordered else _largest(values)
    alt = _said(column, counts / total)
    return Glance(about, draw_spark([each / total for each in shares], alt), alt, _ends(column))


def _binned(values: npt.NDArray[np.int64]) -> list[int]:
    """Counts of ranges of equal width, cut by the public range."""
    edges = np.linspace(0, len(values), min(_MOST_BARS, len(values)) + 1).round().astype(int)
    return [int(values[low:high].sum()) for low, high in pairwise(edges.tolist())]


def _largest(values: npt.NDArray[np.int64]) -> list[int]:
    """Return the most frequent values, the most frequent first."""
    return [int(each) for each in np.sort(values)[::-1][:_MOST_BARS]]


def _ends(column: Column) -> tuple[str, str]:
    if column.domain.ranged is not None:
        return column.domain.ranged.ends
    return "most frequent", "least frequent" if column.domain.size <= _MOST_BARS else "…"


def _said(column: Column, shares: npt.NDArray[np.float64]) -> str:
    missing = f"; missing {percent(float(shares[-1]))}" if column.missing else ""
    values = shares[: column.domain.size]
    if column.domain.ranged is not None:
        return _middle(column.domain.ranged, values) + missing
    first = np.argsort(-values, kind="stable")[:_NAMED]
    named = [f"{_short(column.labels[place])} {percent(float(values[place]))}" for place in first]
    return ", ".join(named) + missing


def _middle(domain: Ranged, values: npt.NDArray[np.float64]) -> str:
    """Return the middle half of the numbers."""
    whole = values.sum()
    if whole == 0:
        return "no number"
    below = np.cumsum(values) / whole
    low, middle, high = (int(np.searchsorted(below, at)) for at in (0.25, 0.5, 0.75))
    texts = domain.texts
    if domain.measured:
        half = f"{domain.between(low, high)} {domain.units}".rstrip()
        return f"half of them from {half}, the middle one in {texts[middle]}"
    return f"half of them from {texts[low]} to {texts[high]}, the middle one {texts[middle]}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
