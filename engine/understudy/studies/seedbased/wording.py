"""Formatting of the numbers of a reproduction."""

from __future__ import annotations

MISSING = "–"


def percent(value: float | None) -> str:
    """Return a number that is in percent already."""
    return MISSING if value is None else f"{value:.1f}"


def share(value: float | None) -> str:
    """Return a share between 0 and 1 in percent."""
    return MISSING if value is None else f"{100 * value:.1f}".replace("-", "−")


def ratio(value: float | None) -> str:
    """Return a multiple, or a part of the way."""
    return MISSING if value is None else f"{value:.2f}".replace("-", "−")


def between(low: float | None, high: float | None) -> str:
    """Return the two ends of an interval, in percent."""
    return MISSING if low is None or high is None else f"{low:.1f} to {high:.1f}"


def distance(value: float | None) -> str:
    """Return a distance between 0 and 1."""
    return MISSING if value is None else f"{value:.4f}"


def seconds(value: float) -> str:
    """Seconds, or milliseconds where they are few, to about two digits."""
    if value < 0.1:
        return f"{1000 * value:.2g} ms"
    return f"{value:.2g} s" if value < 10 else f"{value:,.0f} s"
