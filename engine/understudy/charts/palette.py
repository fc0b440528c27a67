"""One palette for every chart, readable on a light and on a dark page and by colour-blind people.

The hues are those of Okabe and Ito (Color Universal Design, 2008); their lightness is moved so
that each has a contrast of at least 3 : 1 (WCAG 2.2, 1.4.11) on both of Streamlit's
backgrounds. No chart tells things apart by colour alone: dashes or shapes go with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

BLUE: Final = "#3A86D8"
VERMILLION: Final = "#BC3F0C"
GREEN: Final = "#007A57"
PURPLE: Final = "#B5529B"
GOLD: Final = "#BA8A12"
GREY: Final = "#8B9097"

SERIES: Final = (VERMILLION, GREEN, PURPLE, BLUE)
"""Colours of things that have no colour of their own, in the order they are named. Blue is that
of the released table, so it comes last."""

INTERNAL: Final = "#C4690F"
"""The mark on whatever is computed from confidential records without noise."""

REAL: Final = GREY
MARGINALS: Final = GOLD
RELEASED: Final = BLUE

QUIET: Final = "#787C82"
"""Rules and arrows inside a chart: as far from white as from Streamlit's dark."""

LETTERS: Final = "light-dark(#48515A, #BFC7CF)"
"""Words in a chart and around it. No colour has a contrast of 4.5 : 1 (WCAG 2.2, 1.4.3) on a light
page and on a dark one, so there is one for each; see `apply_theme`."""

WARNING: Final = "light-dark(#8F4D08, #E8A33D)"
"""The words of the mark `INTERNAL`."""

INKS: Final = ("#05080B", "#FBFDFE")
"""Letters on a colour of our own, which is the same on either page."""

DASHES: Final = ((1, 0), (8, 4), (2, 3), (10, 3, 2, 3), (14, 4), (4, 2, 1, 2, 1, 2))
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

SEQUENTIAL: Final = ("#1B3A6B", "#47526F", "#6C6C72", "#918577", "#BBA26D", "#E3C158", "#FDE455")
"""From little to much: Cividis, its darkest end left out."""

DIVERGING: Final = ("#0B4FA3", "#4A78B5", "#8B8F94", "#CBA04A", "#FFC83D")
"""From less to more through a grey that is neither page's background."""

REFERENCES: Final = {
    "other real records": REAL,
    "marginals": MARGINALS,
    "other real people": REAL,
    "uniform model": MARGINALS,
}
"""Tables that others are held against, by the names that comparisons give them."""

_EITHER: Final = re.compile(r"light-dark\((#\w{6}), (#\w{6})\)")

_OWN: Final = {**REFERENCES, "released": RELEASED, "before the test": RELEASED}
"""Candidates before the test are the released plan's own; a shape tells them from the release."""


def colour_of(name: str, among: Sequence[str] = ()) -> str:
    """Return the colour of a table or a curve.

    Args:
        name: what it is called in the legend.
        among: the names drawn beside it. Those without a colour of their own take `SERIES` in
            this order, so that the same ω has one colour in every chart that names them alike.
    """
    if name in _OWN:
        return _OWN[name]
    return SERIES[_place(name, among) % len(SERIES)]


def dash_of(name: str, among: Sequence[str]) -> list[int]:
    """Return the dash of a curve, by its place among all the names drawn."""
    return list(DASHES[list(among).index(name) % len(DASHES)])


def shape_of(name: str, among: Sequence[str]) -> str:
    """Return the shape of a point, by its place among all the names drawn."""
    return SHAPES[list(among).index(name) % len(SHAPES)]


def apply_theme(text: str, *, dark: bool) -> str:
    """Return the text of a chart, each colour that depends on the page's theme as that theme has
    it."""
    return _EITHER.sub(r"\2" if dark else r"\1", text)


def stops(colours: Sequence[str], bend: float = 1.0) -> list[float]:
    """Return where each of the colours stands on a scale from 0 to 1.

    They are at even distances; with a `bend` above 1 they lie closer near 0, so that small
    numbers beside a few large ones can still be told from nothing.
    """
    last = len(colours) - 1
    return [(place / last) ** bend for place in range(len(colours))]


def ink_on(colours: Sequence[str], share: float) -> str:
    """Dark or light ink, whichever reads better on an even scale's colour at `share`, 0 to 1."""
    light = sum(
        weight * _linear(channel)
        for weight, channel in zip(
            (0.2126, 0.7152, 0.0722), _mix_channels(colours, share), strict=True
        )
    )
    # Where black and white would have the same contrast: (L + 0.05)/0.05 = 1.05/(L + 0.05).
    return INKS[0] if light > 0.179 else INKS[1]


def ramp(count: int) -> list[str]:
    """So many colours: those of the series and, where they are too few, as many between the ends
    of ours, each seen on either page."""
    if count <= len(SERIES):
        return list(SERIES[:count])
    mixed = (
        _mix_channels((BLUE, PURPLE, VERMILLION), place / (count - 1)) for place in range(count)
    )
    return ["#" + "".join(f"{round(255 * each):02X}" for each in channels) for channels in mixed]


def _mix_channels(colours: Sequence[str], share: float) -> list[float]:
    """Return the channels, 0 to 1, at `share` of an even scale."""
    at = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    low = min(int(at), len(colours) - 2)
    one, other = (_channels(colour) for colour in colours[low : low + 2])
    return [a + (at - low) * (b - a) for a, b in zip(one, other, strict=True)]


def _channels(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _place(name: str, among: Sequence[str]) -> int:
    # Whatever else is drawn beside them, values of ω are counted among themselves.
    omega = name.startswith("ω")
    others = [each for each in among if each not in _OWN and each.startswith("ω") == omega]
    return others.index(name) if name in others else 0
