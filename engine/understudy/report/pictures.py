"""The public pictures of a method, as a report draws them: from their tables, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from understudy.charts.public import PublicPicture, public_pictures
from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.report.svg import Lines, Pairs, draw_lines, draw_pairs


@dataclass(frozen=True)
class Pictured:
    """A picture of a report.

    Attributes:
        title: what it shows, in a few words.
        said: what it means.
        drawn: the picture, as SVG; empty where there is none.
        heads, rows: its table, where there is no picture.
        foresees: whether it tells how near the outputs will come.
    """

    title: str
    said: str
    drawn: Markup
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    foresees: bool = False


def draw_pictures(decided: PlannedRun) -> tuple[Pictured, ...]:
    """Return the public pictures of a plan, without those that are about something else."""
    try:
        pictures = public_pictures(decided)
    except Refusal:
        return ()
    return tuple(_pictured(picture) for picture in pictures if not picture.warning)


def _pictured(found: PublicPicture) -> Pictured:
    drawn, heads, rows = _drawn(found), [], []
    if not drawn:
        heads = [str(each) for each in found.table]
        rows = [[_cell(each) for each in row] for row in found.table.itertuples(index=False)]
    return Pictured(found.title, found.said, drawn, heads, rows, found.foresees)


def _drawn(found: PublicPicture) -> Markup:
    shape, table = found.shape, found.table
    if shape is None:
        return Markup("")
    columns = {name: [float(each) for each in table[name]] for name in shape.of}
    if shape.kind == "pairs":
        first, second = shape.of
        labels = [str(each) for each in table[shape.across]]
        made = Pairs(labels, columns[first], columns[second], (first, second))
        return draw_pairs(made, found.alt)
    across = [float(each) for each in table[shape.across]]
    return draw_lines(
        Lines(across, columns, shape.across, shape.up, shape.powers, marked=shape.marked),
        found.alt,
    )


def _cell(value: Any) -> str:
    """Return a figure to three digits, and anything else as it is."""
    return significant(float(value)) if isinstance(value, int | float) else str(value)
