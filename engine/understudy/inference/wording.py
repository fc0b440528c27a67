"""Intervals in words: rows of a table, and the sentences that say what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.core.numerals import count, percent, significant
from understudy.inference.inversion import Ends
from understudy.inference.questions import IntervalAnswer, ReleasedCounts

HEADS: Final = ("", "Estimate", "Of this table", "Of the population")
UNKNOWN: Final = "cannot be told"
_DIGITS: Final = 4


def answer_rows(answers: Sequence[IntervalAnswer]) -> list[tuple[str, str, str, str]]:
    """Return one row for each answer, and one more if numbers are known as far as their cell."""
    rows = []
    for each in answers:
        rows.append((each.what, _number(each.estimate), _ends(each.table), _ends(each.population)))
        if each.table_any is not None:
            rows.append(
                ("  however spread in cells", "", _ends(each.table_any), _ends(each.population_any))
            )
    return rows


def describe_intervals(
    counts: ReleasedCounts, answers: Sequence[IntervalAnswer], *, stained: bool = False
) -> tuple[str, ...]:
    """Return what intervals hold, and what they rest on, in a few sentences.

    Args:
        counts: what they are from.
        answers: the intervals.
        stained: whether the release is a demonstration.
    """
    level = percent(counts.level)
    said = [
        f"Each interval holds what it is about in {level} of such releases. “Of this table” "
        "accounts for the noise"
        + (
            f" and for the {percent(1 - counts.share)} of the records that were held out by lot."
            if counts.share < 1
            else "."
        ),
        "“Of the population” also accounts for chance in who is in the table, and holds if the "
        "table is a random sample of that population"
        + (
            f", whatever the up to {count(counts.records_per_person, 'record')} of one person have "
            "in common."
            if counts.records_per_person > 1
            else "."
        ),
    ]
    if any(each.table_any is not None for each in answers):
        said.append(
            "Numbers were counted in cells. The first interval holds if they are spread evenly "
            "within cells, the second however they lie in them."
        )
    if counts.schema.weights:
        said.append("Survey weights are not accounted for: each record counts as one.")
    if stained:
        said.append("This is a demonstration, made with a fixed seed.")
    return tuple(said)


def _number(value: float) -> str:
    return significant(value, _DIGITS) if np.isfinite(value) else UNKNOWN


def _ends(ends: Ends | None) -> str:
    if ends is None:
        return "–"
    if not np.isfinite(ends.low) or not np.isfinite(ends.high):
        return UNKNOWN
    return f"{significant(ends.low, _DIGITS)} to {significant(ends.high, _DIGITS)}"
