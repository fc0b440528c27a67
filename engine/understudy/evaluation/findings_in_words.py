"""What an evaluation found, in words: the tables side by side, values with their intervals."""

from __future__ import annotations

import math
from typing import Final

from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import (
    BEST,
    CANDIDATES,
    MARGINALS,
    PEOPLE,
    REALS,
    RELEASED,
    UNIFORM,
    About,
    Finding,
    Interval,
    SubjectResult,
)

INTERNAL: Final = (
    "INTERNAL. Computed from confidential records without noise: for your own eyes, not for "
    "release."
)


def is_of_tables(finding: Finding) -> bool:
    """Return whether a finding is about tables.

    The marginals are a model too, so they alone do not tell.
    """
    return any(name in finding.by_subject for name in (*BEST, RELEASED, CANDIDATES))


def table_heads(evaluation: Evaluation) -> dict[str, str]:
    """Return the tables that get a column, by their names, as they are headed."""
    there = [each.name for each in evaluation.tables]
    first = {
        RELEASED: "released",
        REALS: "real",
        PEOPLE: "real",
        MARGINALS: "marginals",
        UNIFORM: "uniform",
    }
    columns = {name: heading for name, heading in first.items() if name in there}
    made = [each.name for each in evaluation.tables if each.role == "synthetic"]
    return columns | {name: name.replace(" = ", "=") for name in made}


def better_in_words(said: About) -> str:
    """Return which way is better."""
    inside = said.ideal is not None and said.low < said.ideal < said.high
    return f"near {said.ideal:g}" if inside else said.better


def value_in_words(measured: SubjectResult | None, *, with_interval: bool) -> str:
    """Return a value, or a dash if there is none."""
    if measured is None:
        return "–"
    interval = _spell_interval(measured.interval) if with_interval else ""
    return f"{number_in_words(measured.value)}{interval}"


def _spell_interval(interval: Interval | None) -> str:
    return (
        ""
        if interval is None
        else f" ({number_in_words(interval.low)} to {number_in_words(interval.high)})"
    )


def number_in_words(value: float) -> str:
    """Return a number with three decimals, or as many digits as are worth reading."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "–"
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")
