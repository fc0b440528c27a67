"""Values of a measure as text, no finer than their interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from understudy.core import numerals
from understudy.core.numerals import FIXED, MINUS
from understudy.evaluation.measure import (
    BEST,
    MARGINALS,
    OF_DAYS,
    PEOPLE,
    REALS,
    UNIFORM,
    WORST,
    About,
    Interval,
    Measured,
)

_CERTAIN_TO: Final = {"share": 2, "number": 4}
"""The most decimals, in per cent and in plain numbers."""


def share(about: About) -> bool:
    """Return whether its values are shares, written in per cent."""
    return about.unit == "share"


def value_text(about: About, value: float, within: Interval | None = None) -> str:
    """Return a value, with its unit; where its interval is known, no finer than that lets it be."""
    said = _digits(about, value, _places(about, within))
    return f"{said}{FIXED}%" if share(about) and not math.isnan(value) else said


def between(about: About, interval: Interval | None) -> str:
    """Return an interval in words; "" where there is none."""
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return ""
    low = _digits(about, interval.low, _places(about, interval))
    return f"{low} to {value_text(about, interval.high, interval)}"


def read_whole(about: About, found: Measured | None) -> str:
    """Return a value and its interval."""
    if found is None:
        return ""
    interval = between(about, found.interval)
    said = value_text(about, found.value, found.interval)
    return f"{said} ({interval})" if interval else said


def direction(about: About) -> str:
    """Return which way is better."""
    if about.better == "as real":
        what = "people" if about.group in OF_DAYS else "records"
        return f"best as other real {what}"
    if about.ideal is not None:
        return f"best at {value_text(about, about.ideal)}"
    return f"{about.better} is better"


def reach(about: About) -> str:
    """Return how far values can go."""
    low, high = _end(about, about.low), _end(about, about.high)
    if low and high:
        return f"from {low} to {high}"
    if low:
        return f"{low} or more"
    return f"{high} or less" if high else "any number"


def references(names: Iterable[str]) -> tuple[str, str]:
    """Return what the worst and the best reference among some tables are called in a sentence."""
    there = set(names)
    worst = next((each for each in WORST if each in there), MARGINALS)
    best = next((each for each in BEST if each in there), REALS)
    return _REFERENCES[worst], _REFERENCES[best]


_REFERENCES: Final = {
    MARGINALS: "the marginals",
    UNIFORM: "a uniform model",
    REALS: "other real records",
    PEOPLE: "other real people",
}


def form(about: About) -> str:
    """Return how an axis writes it."""
    return "~%" if share(about) else "~g"


def _end(about: About, value: float) -> str:
    if math.isinf(value):
        return ""
    said = f"{100 * value:g}{FIXED}%" if share(about) else f"{value:g}"
    return said.replace("-", MINUS)


def _places(about: About, within: Interval | None) -> int | None:
    """Return how many decimals an interval leaves a value, in per cent or as it is."""
    if within is None:
        return None
    factor = 100 if share(about) else 1
    places = numerals.decimals(factor * (within.high - within.low) / 2)
    return None if places is None else min(places, _CERTAIN_TO[about.unit])


def _digits(about: About, value: float, places: int | None) -> str:
    number = 100 * value if share(about) else value
    if places is not None or not math.isfinite(number):
        return numerals.fixed(number, places or 0)
    size = abs(number)
    if size == 0:
        return "0"
    sign = MINUS if number < 0 else ""
    return f"{sign}{_percent(size) if share(about) else _number(size)}"


def _percent(size: float) -> str:
    if size < 0.01:
        return "under 0.01"
    return f"{size:.2f}" if size < 1 else f"{size:,.1f}"


def _number(size: float) -> str:
    if size >= 100:
        return f"{size:,.0f}"
    if size >= 1:
        return f"{size:.2f}"
    if size >= 0.01:
        return f"{size:.3f}"
    return f"{size:.4f}" if size >= 0.0001 else "under 0.0001"
