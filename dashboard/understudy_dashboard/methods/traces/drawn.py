"""Drawings of how people and their days are made, for a slide."""

from __future__ import annotations

from typing import Final

from understudy_dashboard.drawings import Drawing, drawing, noisy_counts

_KEPT, _MADE, _QUIET = "var(--kept)", "var(--made)", "var(--quiet)"
_SIDE: Final = 26
_WAY: Final = ((40, 110), (118, 84), (170, 32), (118, 84), (40, 110))


def making() -> tuple[Drawing, ...]:
    """Return a person's days, what is counted of all, and a made day."""
    return (
        _person("**One person, one say.** Of each person only the home, the work and the usual "
                "days count, and all of their days together no more than a fixed amount."),
        noisy_counts("**Counts with noise.** How many live and work where, when they set out and "
                     "how far they go: each count gets noise, empty places too."),
        _day("**People are made** from these counts alone: a home, a work, and days between them."),
    )  # fmt: skip


def _person(text: str) -> Drawing:
    parts = []
    for row in range(5):
        y = 14 + 26 * row
        for x, wide, colour in ((20, 60, _KEPT), (84, 66, _MADE), (154, 30, _QUIET),
                                (188, 34, _KEPT)):  # fmt: skip
            parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="16" fill="{colour}"/>')
    parts.append(f'<rect x="10" y="6" width="222" height="136" rx="6" stroke="{_KEPT}" '
                 'stroke-width="3"/>')  # fmt: skip
    return drawing(parts, "Days of one person in a frame.", text)


def _day(text: str) -> Drawing:
    parts = [
        f'<rect x="{14 + _SIDE * column}" y="{10 + _SIDE * row}" width="{_SIDE}" '
        f'height="{_SIDE}" stroke="{_QUIET}" stroke-width="1"/>'
        for row in range(5)
        for column in range(8)
    ]
    path = " L".join(f"{x} {y}" for x, y in _WAY)
    parts.append(f'<path d="M{path}" stroke="{_MADE}" stroke-width="4"/>')
    parts += [f'<circle cx="{x}" cy="{y}" r="8" fill="{_MADE}"/>' for x, y in _WAY[:3]]
    return drawing(parts, "A path between three places on a grid.", text)
