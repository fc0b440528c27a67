"""A small picture of each release: the table, what is drawn of the parameters, and the rows."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.imputation.plan import ReleaseType
from understudy_dashboard.drawings import Drawing, drawing

_KEPT, _MADE, _QUIET = "var(--kept)", "var(--made)", "var(--quiet)"
_HEIGHT: Final = 84

RELEASES: Final[tuple[ReleaseType, ...]] = (
    "rows-from-one-draw",
    "imputations",
    "rows-from-own-draws",
    "rows-from-mode",
    "posterior-draw",
    "noised-mode",
)
"""All of them, the usual ones first."""


ALT: Final[dict[ReleaseType, str]] = {
    "rows-from-one-draw": "A table, a hill over one dot, and rows from it.",
    "imputations": "A table, a hill over several dots, and rows from each.",
    "rows-from-own-draws": "A table, a hill over a dot for each row, and the rows.",
    "rows-from-mode": "A table, the peak of a hill, and rows from it.",
    "posterior-draw": "A table, a hill over one dot, and a number.",
    "noised-mode": "A table, the peak of a hill, and a number with noise.",
}


def picture(release: ReleaseType) -> str:
    """Return the picture of a release, as SVG in the colours of either theme."""
    draw = {
        "rows-from-one-draw": lambda: _drops(1) + _rows(1),
        "imputations": lambda: _drops(3) + _rows(3),
        "rows-from-own-draws": lambda: _drops(6) + _rows(6),
        "rows-from-mode": lambda: _peak() + _rows(1),
        "posterior-draw": lambda: _drops(1) + _number("0.31"),
        "noised-mode": lambda: _peak() + _number("0.31 ± noise"),
    }[release]()
    parts = _table() + _hill() + draw
    return (
        f'<svg class="drawing" viewBox="0 0 240 {_HEIGHT}" role="img" '
        f'aria-label="{ALT[release]}" fill="none">{"".join(parts)}</svg>'
    )


def prior(text: str) -> Drawing:
    """Bars of counts, each standing on a block of the same height: the prior."""
    parts = []
    for at, height in enumerate((46, 82, 64, 98, 30, 56)):
        x = 18 + 36 * at
        parts += [
            f'<rect x="{x}" y="118" width="24" height="20" fill="{_QUIET}"/>',
            f'<rect x="{x}" y="{116 - height}" width="24" height="{height}" fill="{_KEPT}"/>',
        ]
    return drawing(parts, "Bars of counts, each on a block of the same height.", text)


def _table() -> list[str]:
    return [
        f'<rect x="6" y="{14 + 11 * row}" width="44" height="8" rx="2" fill="{_KEPT}"/>'
        for row in range(5)
    ] + [f'<path d="M56 40 h14 m-6 -5 l6 5 l-6 5" stroke="{_QUIET}" stroke-width="2"/>']


def _hill() -> list[str]:
    """Return the posterior."""
    return [f'<path d="M76 66 C96 66 98 18 111 18 S126 66 146 66" stroke="{_KEPT}" '
            'stroke-width="3"/>']  # fmt: skip


def _peak() -> list[str]:
    return [
        f'<path d="M111 12 v56" stroke="{_MADE}" stroke-width="3" stroke-dasharray="4 3"/>',
        f'<circle cx="111" cy="18" r="5" fill="{_MADE}"/>',
    ]


def _drops(count: int) -> list[str]:
    """Points on the axis under the hill, as far apart as draws are."""
    places = {1: (104,), 3: (98, 113, 123), 6: (95, 101, 108, 114, 119, 127)}[count]
    return [f'<circle cx="{at}" cy="74" r="4" fill="{_MADE}"/>' for at in places]


def _rows(groups: int) -> list[str]:
    arrow = f'<path d="M152 40 h14 m-6 -5 l6 5 l-6 5" stroke="{_QUIET}" stroke-width="2"/>'
    each = 6 // groups
    apart = 5 if 1 < groups < 6 else 0
    rows = [
        f'<rect x="176" y="{8 + 11 * row + apart * (row // each)}" width="56" height="8" rx="2" '
        f'fill="{_MADE}"/>'
        for row in range(6)
    ]
    return [arrow, *rows]


def _number(text: str) -> list[str]:
    size = 20 if len(text) < 6 else 13
    return [
        f'<path d="M152 40 h12 m-6 -5 l6 5 l-6 5" stroke="{_QUIET}" stroke-width="2"/>',
        f'<text x="168" y="45" font-size="{size}" font-weight="bold" fill="{_MADE}">{text}</text>',
    ]
