"""Drawings of how a model is chosen, for a slide."""

from __future__ import annotations

from typing import Final

from understudy_dashboard.drawings import Drawing, drawing, table

_KEPT, _MADE, _QUIET = "var(--kept)", "var(--made)", "var(--quiet)"
_SLOPES: Final = (-60, -36, -12, 12, 36, 60)
_CHOSEN: Final = 1
_REAL: Final = ((40, 96), (62, 104), (88, 78), (112, 88), (140, 64), (168, 74), (196, 46))
_OTHERS: Final = ((34, 120), (74, 76), (98, 110), (126, 56), (152, 92), (182, 60), (206, 66))


def making() -> tuple[Drawing, ...]:
    """Candidates, what tells their records from the real ones, and the table."""
    return (
        _candidates("**Candidates.** Many models are drawn from public numbers alone: for each "
                    "column, a regression on those before it."),
        _told_apart("**Scores.** Of each candidate, records are made and put beside the real ones. "
                    "The harder they are to tell apart, the better its score."),
        table("**One is chosen** at random, the more likely the better it scores, and the table is "
              "drawn from it."),
    )  # fmt: skip


def _candidates(text: str) -> Drawing:
    lines = [
        f'<path d="M20 {75 - slope} L220 {75 + slope}" stroke="{_QUIET}" stroke-width="2"/>'
        for slope in _SLOPES
    ]
    chosen = _SLOPES[_CHOSEN]
    lines.append(
        f'<path d="M20 {75 - chosen} L220 {75 + chosen}" stroke="{_MADE}" stroke-width="5"/>'
    )
    return drawing(lines, "Many straight lines, one of them thick.", text)


def _told_apart(text: str) -> Drawing:
    parts = [f'<path d="M{at} 14 V136" stroke="{_QUIET}" stroke-width="1.5"/>' for at in (80, 160)]
    parts += [f'<path d="M14 {at} H226" stroke="{_QUIET}" stroke-width="1.5"/>' for at in (55, 95)]
    parts += [f'<circle cx="{x}" cy="{y}" r="6" fill="{_KEPT}"/>' for x, y in _REAL]
    parts += [
        f'<rect x="{x - 5}" y="{y - 5}" width="10" height="10" fill="{_MADE}"/>' for x, y in _OTHERS
    ]
    return drawing(parts, "Dots and squares among each other in a grid.", text)
