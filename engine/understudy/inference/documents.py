"""What noisy tables tell, as files: intervals of every column, and which relations were counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from understudy.inference.inversion import Ends
from understudy.inference.questions import IntervalAnswer, IntervalQuestion, ReleasedCounts
from understudy.inference.relations import COUNTED_WORDS, CountedPairs
from understudy.table.column import Column
from understudy.table.formula_safety import csv_line

INTERVAL_HEADS: Final = (
    "of", "column", "value", "estimate", "table low", "table high", "population low",
    "population high", "table low however spread", "table high however spread",
    "population low however spread", "population high however spread",
)  # fmt: skip
RELATION_HEADS: Final = ("column", "other column", "counted")
DIGITS: Final = 5
_MOST_VALUES: Final = 60
"""A column of more values is told through the coarsest groups that tell it."""


def column_intervals(
    counts: ReleasedCounts,
) -> Iterator[tuple[str, Column, str, IntervalAnswer]]:
    """Yield the intervals of each column by itself: the kind, the column, the value or group, and
    the answer."""
    for column in counts.schema.columns:
        if column.domain.numeric:
            (mean,) = counts.answer(IntervalQuestion("mean", column.name))
            yield "mean", column, "", mean
        for label in value_labels(column):
            (share,) = counts.answer(IntervalQuestion("share", column.name, label))
            yield "share", column, label, share


def value_labels(column: Column) -> tuple[str, ...]:
    """Return the values whose shares are told, or their groups: the finest that are few enough, but
    buckets of numbers."""
    first = 1 if column.ordered else 0
    levels = [column.level_labels(level) for level in range(first, column.coarsest + 1)]
    return next((each for each in levels if len(each) <= _MOST_VALUES), levels[-1])


def intervals_csv(counts: ReleasedCounts) -> str:
    """Return the intervals of every column, as CSV."""
    lines = [csv_line(INTERVAL_HEADS)]
    for kind, column, value, answer in column_intervals(counts):
        ends = (answer.table, answer.population, answer.table_any, answer.population_any)
        numbers = (text for each in ends for text in write_ends(each))
        lines.append(csv_line((kind, column.name, value, spell(answer.estimate), *numbers)))
    return "".join(lines)


def relations_csv(relations: CountedPairs) -> str:
    """Return how each pair of columns was counted, as CSV."""
    rows = ((*pair, COUNTED_WORDS[how]) for pair, how in relations.counted.items())
    return "".join(map(csv_line, (RELATION_HEADS, *rows)))


def write_ends(ends: Ends | None) -> tuple[str, str]:
    """Return both ends of an interval; empty where there is none."""
    return ("", "") if ends is None else (spell(ends.low), spell(ends.high))


def spell(number: float) -> str:
    """Return a number of a file; empty where it is not known."""
    return f"{number:.{DIGITS}g}" if np.isfinite(number) else ""
