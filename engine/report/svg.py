"""The few charts of the report, drawn as SVG by hand.

They are made of publishable numbers alone: settings, proven figures, and counts of the released
table. They do not use `engine.charts`, because a packet is checked by making its report again and
comparing the text: Vega lays a chart out by the width of letters in the fonts of the machine, and
its SVG changes from version to version. Colours come from the report's style sheet, by class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from markupsafe import Markup

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


def bars(found: Sequence[Bar], alt: str) -> Markup:
    """Bars under one another, each with its label and its number."""
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


def spark(shares: Sequence[float], alt: str) -> Markup:
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
class Curve:
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


def curve(found: Curve, alt: str) -> Markup:
    """One line on two logarithmic axes, a point of it marked."""
    points = [
        (math.log10(x), math.log10(y))
        for x, y in zip(found.x, found.y, strict=True)
        if math.isfinite(y) and y > 0
    ]
    here = (math.log10(found.here[0]), math.log10(found.here[1]))
    axes = _Axes([*points, here])
    line = " ".join(f"{_n(axes.x(x))},{_n(axes.y(y))}" for x, y in points)
    at = axes.x(here[0]), axes.y(here[1])
    right = at[0] < _WIDTH * 0.6
    parts = [
        *axes.drawn(found.across, found.up),
        f'<polyline class="line" points="{line}"/>',
        f'<circle class="here" cx="{_n(at[0])}" cy="{_n(at[1])}" r="6"/>',
        # The line rises, so there is room under its right and over its left.
        _text(at[0] + 12, at[1] + 18, found.said, "start")
        if right
        else _text(at[0] - 12, at[1] - 10, found.said, "end"),
    ]
    return _svg(_WIDTH, axes.height, parts, alt)


class _Axes:
    """Two logarithmic axes around some points, given as powers of ten."""

    height: Final = 320.0
    _left, _right, _top, _bottom = 70.0, 20.0, 30.0, 50.0

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self._low = math.floor(min(xs)), math.floor(min(ys))
        self._high = (
            max(math.ceil(max(xs)), self._low[0] + 1),
            max(math.ceil(max(ys)), self._low[1] + 1),
        )

    def x(self, power: float) -> float:
        share = (power - self._low[0]) / (self._high[0] - self._low[0])
        return self._left + share * (_WIDTH - self._left - self._right)

    def y(self, power: float) -> float:
        share = (power - self._low[1]) / (self._high[1] - self._low[1])
        return self.height - self._bottom - share * (self.height - self._top - self._bottom)

    def drawn(self, across: str, up: str) -> list[str]:
        foot, end = self.height - self._bottom, _WIDTH - self._right
        parts = [_text(self._left, 14, up, "start"), _text(end, self.height - 8, across, "end")]
        for power in range(self._low[0], self._high[0] + 1):
            parts.append(_text(self.x(power), foot + 20, _power(power), "middle"))
        for power in range(self._low[1], self._high[1] + 1):
            level = self.y(power)
            parts.append(_rect(self._left, level, end - self._left, 0.5, "grid"))
            parts.append(_text(self._left - 8, level + 4, _power(power), "end"))
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
    """A length, in tenths, so that processors which disagree in the last place draw the same."""
    return f"{number:.1f}".removesuffix(".0")
