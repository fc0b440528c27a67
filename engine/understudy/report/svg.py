"""The few charts of the report, drawn as SVG by hand.

They are made of publishable numbers alone: settings, proven figures, and counts of the released
table. They do not use `understudy.charts`, because a packet is checked by making its report again
and comparing the text: Vega lays a chart out by the width of letters in the fonts of the machine,
and its SVG changes from version to version. Colours come from the report's style sheet, by class.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from markupsafe import Markup

from understudy.core.numerals import significant

_WIDTH: Final = 640
_LABEL: Final = 170
_ROW: Final = 34


@dataclass(frozen=True)
class Bar:
    """A bar of a chart.

    Attributes:
        label: what it is of.
        share: its length, 0 to 1.
        said: the number beside it.
        before: a share up to which it is drawn otherwise, as what was there before; None for none.
    """

    label: str
    share: float
    said: str
    before: float | None = None


def draw_bars(found: Sequence[Bar], alt: str) -> Markup:
    """Return bars under one another, each with its label and its number."""
    height = _ROW * len(found)
    room = _WIDTH - _LABEL - 120
    parts = []
    for place, bar in enumerate(found):
        top = _ROW * place
        long = max(1.0, room * bar.share)
        parts.append(_text(_LABEL - 10, top + 21, bar.label, "end"))
        parts.append(_rect(_LABEL, top + 7, long, _ROW - 14, "bar"))
        if bar.before is not None:
            parts.append(_rect(_LABEL, top + 7, max(1.0, room * bar.before), _ROW - 14, "before"))
        parts.append(_text(_LABEL + long + 8, top + 21, bar.said, "start"))
    return _svg(_WIDTH, height, parts, alt)


def draw_spark(shares: Sequence[float], alt: str) -> Markup:
    """Narrow bars side by side, the tallest filling the height: the shape of a column."""
    width, height, most = 240.0, 56.0, max([*shares, 1e-12])
    step = width / max(1, len(shares))
    gap = min(2.0, step / 5)
    parts = [_rect(0, height - 0.5, width, 0.5, "axis")]
    for place, share in enumerate(shares):
        tall = (height - 2) * share / most
        if share > 0:
            tall = max(tall, 1.0)
        parts.append(_rect(place * step + gap / 2, height - tall, step - gap, tall, "bar"))
    return _svg(width, height, parts, alt)


@dataclass(frozen=True)
class CurveChart:
    """A line that rises over numbers, both axes logarithmic.

    Attributes:
        x, y: the points; a y that is no number is left out.
        here: the point to mark.
        said: what to write beside it.
        across, up: what the axes show.
    """

    x: Sequence[float]
    y: Sequence[float]
    here: tuple[float, float]
    said: str
    across: str
    up: str


def draw_curve_chart(found: CurveChart, alt: str) -> Markup:
    """Return one line on two logarithmic axes, a point of it marked."""
    points = [
        (math.log10(x), math.log10(y))
        for x, y in zip(found.x, found.y, strict=True)
        if math.isfinite(y) and y > 0
    ]
    here = (math.log10(found.here[0]), math.log10(found.here[1]))
    every = [*points, here]
    axes = _Axes(_Scale.of_powers([x for x, _ in every]), _Scale.of_powers([y for _, y in every]))
    at = axes.x(here[0]), axes.y(here[1])
    right = at[0] < _WIDTH * 0.6
    parts = [
        *axes.draw(found.across, found.up),
        axes.line(points),
        f'<circle class="here" cx="{_n(at[0])}" cy="{_n(at[1])}" r="6"/>',
        # The line rises, so there is room under its right and over its left.
        _text(at[0] + 12, at[1] + 18, found.said, "start")
        if right
        else _text(at[0] - 12, at[1] - 10, found.said, "end"),
    ]
    return _svg(_WIDTH, axes.height, parts, alt)


@dataclass(frozen=True)
class LineChart:
    """Named lines over numbers, the axis up logarithmic.

    Attributes:
        x: the numbers across.
        y: at each, by the name of the line; what is no positive number is left out.
        across, up: what the axes show.
        powers: whether the axis across is logarithmic too.
        least: the lowest y that is drawn.
        marked: a number across to mark; None for none.
    """

    x: Sequence[float]
    y: Mapping[str, Sequence[float]]
    across: str
    up: str
    powers: bool = False
    least: float = 1e-15
    marked: float | None = None


_DASHES: Final = ("", "8 4", "2 3", "10 3 2 3")
_LEGEND: Final = 20.0


def draw_line_chart(found: LineChart, alt: str) -> Markup:
    """Return lines told apart by their dashes, with a key above them."""
    placed = {name: _place_points(found, each) for name, each in found.y.items()}
    every = [point for each in placed.values() for point in each]
    if not every:
        return Markup("")
    xs, ys = [x for x, _ in every], [y for _, y in every]
    tall = max(1, math.ceil((max(ys) - min(ys)) / _MOST_TICKS))
    across = _Scale.of_powers(xs) if found.powers else _Scale.of_numbers(xs)
    axes = _Axes(across, _Scale.of_powers(ys, tall), right=30.0)
    parts = axes.draw(found.across, found.up)
    key = []
    for place, (name, points) in enumerate(placed.items()):
        dash = _DASHES[place % len(_DASHES)]
        more = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(axes.line(points, more))
        level = _n(_LEGEND * place + 10)
        key.append(f'<polyline class="line"{more} points="70,{level} 110,{level}"/>')
        key.append(_text(118, _LEGEND * place + 14, name, "start"))
    marked = None if found.marked is None else _along(found, found.marked)
    if marked is not None and min(xs) <= marked <= max(xs):
        parts += axes.upright(marked, "this plan")
    down = _LEGEND * len(placed) + 8
    body = [*key, f'<g transform="translate(0 {_n(down)})">', *parts, "</g>"]
    return _svg(_WIDTH, axes.height + down, body, alt)


_MOST_TICKS: Final = 10


def _along(found: LineChart, value: float) -> float:
    return math.log10(value) if found.powers else value


def _place_points(found: LineChart, ys: Sequence[float]) -> list[tuple[float, float]]:
    """Return the points of a line on its axes."""
    return [
        (_along(found, x), math.log10(max(y, found.least)))
        for x, y in zip(found.x, ys, strict=True)
        if math.isfinite(y) and y > 0
    ]


@dataclass(frozen=True)
class PairChart:
    """Two bars for each of several things, on one logarithmic scale from 1.

    Attributes:
        labels: what the things are.
        first, second: the numbers, and what they are called.
    """

    labels: Sequence[str]
    first: Sequence[float]
    second: Sequence[float]
    names: tuple[str, str]


_MOST_ROWS: Final = 22
"""A chart of more rows is cut into several, so that each fits on a page."""


def draw_pair_chart(found: PairChart, alt: str) -> Markup:
    """Draw two bars for each thing, the second lighter, each with its number; a key above them.
    Many things are several charts on one scale."""
    most = math.log10(1 + max([*found.first, *found.second, 1.0]))
    rows = range(0, max(1, len(found.labels)), _MOST_ROWS)
    charts = (_pairs_from(found, first, most, alt) for first in rows)
    return Markup("\n").join(charts)


def _pairs_from(found: PairChart, first: int, most: float, alt: str) -> Markup:
    """Return the chart that begins with one of the things."""
    room = _WIDTH - _WIDE - 70
    labels = found.labels[first : first + _MOST_ROWS]
    parts = []
    for place, (name, kind) in enumerate(zip(found.names, ("bar", "before"), strict=True)):
        parts.append(_rect(_WIDE, _LEGEND * place + 4, 14, 10, kind))
        parts.append(_text(_WIDE + 22, _LEGEND * place + 14, name, "start"))
    down = 2 * _LEGEND + 10
    for row, label in enumerate(labels):
        place, top = first + row, down + _ROW * row
        broken = textwrap.wrap(label, _LABEL_LETTERS, max_lines=2, placeholder="…")
        for line, text in enumerate(broken):
            parts.append(_text(_WIDE - 10, top + 26 - 7 * len(broken) + 14 * line, text, "end"))
        for number, values, kind in ((0, found.first, "bar"), (1, found.second, "before")):
            long = max(1.0, room * math.log10(1 + max(0.0, values[place])) / most)
            parts.append(_rect(_WIDE, top + 3 + 13 * number, long, 11, kind))
            said = significant(values[place])
            parts.append(_text(_WIDE + long + 6, top + 13 + 13 * number, said, "start"))
    said = f"{alt} From “{labels[0]}” on." if first else alt
    return _svg(_WIDTH, down + _ROW * len(labels), parts, said)


_WIDE: Final = 220.0
"""Room for the labels of pairs of bars."""
_LABEL_LETTERS: Final = 30
"""So many letters of a label fit in a line of that."""


@dataclass(frozen=True)
class _Scale:
    """A range of numbers along an axis.

    Attributes:
        low, high: its ends.
        ticks: numbers within it, each with its label.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def of_powers(cls, values: Sequence[float], every: int = 1) -> _Scale:
        """Around some powers of ten, with a tick at each so many whole ones."""
        low = math.floor(min(values))
        high = max(math.ceil(max(values)), low + 1)
        return cls(low, high, tuple((at, _power(at)) for at in range(low, high + 1, every)))

    @classmethod
    def of_numbers(cls, values: Sequence[float]) -> _Scale:
        """Around some numbers, with a tick at each of a few round ones."""
        wide = (max(values) - min(values)) or 1.0
        power = 10.0 ** math.floor(math.log10(wide / 5))
        step = next(each * power for each in (1, 2, 5, 10) if wide <= 6 * each * power)
        first, last = math.floor(min(values) / step), math.ceil(max(values) / step)
        ticks = tuple((at * step, f"{at * step:.6g}") for at in range(first, last + 1))
        return cls(ticks[0][0], ticks[-1][0], ticks)

    def share(self, value: float) -> float:
        """Return how far along it a number lies, 0 to 1."""
        return (value - self.low) / (self.high - self.low)


class _Axes:
    """Two axes that cross."""

    height: Final = 320.0
    _left, _top, _bottom = 70.0, 30.0, 50.0

    def __init__(self, across: _Scale, up: _Scale, right: float = 20.0) -> None:
        self._across, self._up, self._right = across, up, right

    def x(self, value: float) -> float:
        return self._left + self._across.share(value) * (_WIDTH - self._left - self._right)

    def y(self, value: float) -> float:
        room = self.height - self._top - self._bottom
        return self.height - self._bottom - self._up.share(value) * room

    def line(self, points: Sequence[tuple[float, float]], more: str = "") -> str:
        """Return a line through some points, with more attributes."""
        drawn = " ".join(f"{_n(self.x(x))},{_n(self.y(y))}" for x, y in points)
        return f'<polyline class="line"{more} points="{drawn}"/>'

    def upright(self, value: float, said: str) -> list[str]:
        """Return a thin line up from a number across, and what it is."""
        at, foot = self.x(value), self.height - self._bottom
        left = at > _WIDTH * 0.7
        beside, anchor = (at - 6, "end") if left else (at + 6, "start")
        return [
            _rect(at, self._top, 1, foot - self._top, "axis"),
            _text(beside, self._top + 10, said, anchor),
        ]

    def draw(self, across: str, up: str) -> list[str]:
        foot, end = self.height - self._bottom, _WIDTH - self._right
        parts = [_text(self._left, 14, up, "start"), _text(end, self.height - 8, across, "end")]
        for value, label in self._across.ticks:
            parts.append(_text(self.x(value), foot + 20, label, "middle"))
        for value, label in self._up.ticks:
            level = self.y(value)
            parts.append(_rect(self._left, level, end - self._left, 0.5, "grid"))
            parts.append(_text(self._left - 8, level + 4, label, "end"))
        parts.append(_rect(self._left, foot, end - self._left, 1, "axis"))
        return parts


def _power(power: int) -> str:
    return f"{10**power:,}" if 0 <= power < 6 else f"{10.0**power:g}"


def _svg(width: float, height: float, parts: Sequence[str], alt: str) -> Markup:
    said = escape(alt)
    return Markup(
        f'<svg role="img" aria-label="{said}" viewBox="0 0 {_n(width)} {_n(height)}" '
        f'width="{_n(width)}" height="{_n(height)}">{"".join(parts)}</svg>'
    )


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"/>'
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(text)}</text>'


def _n(number: float) -> str:
    """Return a length, in tenths, so that processors which disagree in the last place draw the
    same."""
    return f"{number:.1f}".removesuffix(".0")
