"""Small drawings of how a synthetic record is made, in the colours of either theme.

They are SVG of shapes only. What they show is the method, never a record or a figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_WIDTH, _HEIGHT = 240, 150
_KEPT: Final = "var(--kept)"
_MADE: Final = "var(--made)"
_MOST_CELLS: Final = 12

CSS: Final = """
.drawing { --kept: light-dark(#00639b, #56b4e9); --made: light-dark(#007a57, #3fbf95);
  --quiet: light-dark(#5b6570, #a4adb6); display: block; width: 100%; max-width: 26rem; }
"""


@dataclass(frozen=True)
class Drawing:
    """A drawing and what it says.

    Attributes:
        svg: the drawing.
        text: one or two sentences, in Markdown.
    """

    svg: str
    text: str


def record(columns: int, kept: int, text: str) -> Drawing:
    """Return a record of a real table above one made from it, what is kept filled alike.

    Args:
        columns: how many columns it has.
        kept: how many of them are copied; 0 where nothing is.
        text: what to say.
    """
    cells = min(columns, _MOST_CELLS)
    same = 0 if kept == 0 else max(1, round(kept * cells / columns))
    wide = (_WIDTH - 20) / cells
    parts = []
    for at in range(cells):
        x = 10 + at * wide
        if kept:
            parts.append(_cell(x, 22, wide, _KEPT, filled=at < same))
            if at < same:
                parts.append(_arrow(x + wide / 2, 56, x + wide / 2, 88))
        parts.append(_cell(x, 95 if kept else 60, wide, _KEPT if at < same else _MADE, filled=True))
    return drawing(parts, "A record: some cells are copied, the others are new.", text)


def crowd(text: str) -> Drawing:
    """Return many records that could have made the same candidate."""
    parts = [_circle(24 + 24 * (at % 5), 24 + 26 * (at // 5), 8, _KEPT) for at in range(20)]
    parts += [_arrow(142, 75, 172, 75), _cell(180, 60, 50, _MADE, filled=True, height=30)]
    return drawing(parts, "Many records that could all have made one candidate.", text)


def gate(text: str) -> Drawing:
    """Candidates at a gate: some go on into a table, the others to nowhere."""
    parts = [_circle(18, 30 + 22 * at, 7, _MADE) for at in range(5)]
    parts += [
        f'<path d="M92 12 V58 M92 92 V138" stroke="{_KEPT}" stroke-width="6"/>',
        _arrow(32, 75, 82, 75), _arrow(102, 75, 148, 75),
    ]  # fmt: skip
    parts += [_cell(156, 42 + 22 * at, 74, _MADE, filled=True, height=16) for at in range(3)]
    parts.append('<path d="M50 104 l16 16 m0 -16 l-16 16" stroke="var(--quiet)" stroke-width="4"/>')
    return drawing(parts, "Candidates at a gate; some pass into a table.", text)


def noisy_counts(text: str) -> Drawing:
    """Bars of counts, with a band of noise at the top of each."""
    heights = (52, 88, 70, 104, 40, 64)
    parts = []
    for at, height in enumerate(heights):
        x, top = 18 + 36 * at, 138 - height
        parts.append(
            f'<rect x="{x}" y="{top}" width="24" height="{height}" fill="{_KEPT}" opacity="0.85"/>'
        )
        parts.append(
            f'<path d="M{x + 12} {top - 16} v32 M{x + 4} {top - 16} h16 M{x + 4} {top + 16} h16" '
            'stroke="var(--quiet)" stroke-width="3"/>'
        )
    return drawing(parts, "Bars of counts, each with noise at its top.", text)


def table(text: str) -> Drawing:
    """Return a table of any length."""
    parts = [
        _cell(30 + 46 * column, 14 + 25 * row, 46, _MADE, filled=True, height=19)
        for row in range(5)
        for column in range(4)
    ]
    return drawing(parts, "A table of made-up records.", text)


def drawing(parts: list[str], alt: str, text: str) -> Drawing:
    """Return a drawing of shapes on a field of 240 by 150.

    Args:
        parts: elements of SVG, coloured by `--kept`, `--made` and `--quiet`.
        alt: what it shows, for who cannot see it.
        text: what to say.
    """
    svg = (
        f'<svg class="drawing" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{alt}" '
        f'fill="none">{"".join(parts)}</svg>'
    )
    return Drawing(svg, text)


def _cell(x: float, y: float, wide: float, colour: str, *, filled: bool, height: float = 30) -> str:
    inside = colour if filled else "none"
    return (
        f'<rect x="{x + 1.5:.1f}" y="{y}" width="{wide - 3:.1f}" height="{height}" rx="2" '
        f'fill="{inside}" stroke="{colour}" stroke-width="2"/>'
    )


def _circle(x: float, y: float, radius: float, colour: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    """Return a line with a head, straight across or straight down."""
    head = (
        f"M{to_x - 7:.1f} {to_y - 6:.1f} L{to_x:.1f} {to_y:.1f} L{to_x - 7:.1f} {to_y + 6:.1f}"
        if y == to_y
        else f"M{to_x - 6:.1f} {to_y - 7:.1f} L{to_x:.1f} {to_y:.1f} L{to_x + 6:.1f} {to_y - 7:.1f}"
    )
    return (
        f'<path d="M{x:.1f} {y:.1f} L{to_x:.1f} {to_y:.1f} {head}" stroke="var(--quiet)" '
        'stroke-width="3"/>'
    )
