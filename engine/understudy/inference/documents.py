"""What noisy tables tell, as files: intervals of every column, and which relations were counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
_DIGITS: Final = 5
_MOST_VALUES: Final = 60
"""Of a column of more values the shares of groups are in the file."""


@dataclass(frozen=True)
class ColumnInterval:
    """An interval of one column by itself: the question, and what answers it."""

    question: IntervalQuestion
    answer: IntervalAnswer


def answer_columns(counts: ReleasedCounts) -> Iterator[ColumnInterval]:
    """Yield the mean of each column of numbers, and the shares of the values of each column."""
    for column in counts.schema.columns:
        questions = [IntervalQuestion("mean", column.name)] if column.domain.numeric else []
        for label in _list_labels(column):
            questions.append(IntervalQuestion("share", column.name, label))
        for question in questions:
            (answer,) = counts.answer(question)
            yield ColumnInterval(question, answer)


def _list_labels(column: Column) -> tuple[str, ...]:
    """Return the values of a column, or the finest groups of which there are few enough; of numbers
    their buckets or coarser ones."""
    first = 1 if column.ordered else 0
    levels = [column.level_labels(level) for level in range(first, column.coarsest + 1)]
    return next((each for each in levels if len(each) <= _MOST_VALUES), levels[-1])


def intervals_csv(intervals: Iterable[ColumnInterval]) -> str:
    """Return the intervals of every column, as CSV."""
    lines = [csv_line(INTERVAL_HEADS)]
    for interval in intervals:
        question, answer = interval.question, interval.answer
        ends = (answer.table, answer.population, answer.table_any, answer.population_any)
        numbers = (text for each in ends for text in _write_ends(each))
        names = (question.kind, question.column, question.value)
        lines.append(csv_line((*names, _write_number(answer.estimate), *numbers)))
    return "".join(lines)


def relations_csv(relations: CountedPairs) -> str:
    """Return how each pair of columns was counted, as CSV."""
    rows = ((*pair, COUNTED_WORDS[how]) for pair, how in relations.counted.items())
    return "".join(map(csv_line, (RELATION_HEADS, *rows)))


def _write_ends(ends: Ends | None) -> tuple[str, str]:
    """Return both ends of an interval; empty where there is none."""
    return ("", "") if ends is None else (_write_number(ends.low), _write_number(ends.high))


def _write_number(number: float) -> str:
    """Return a number of a file; empty where it is not known."""
    return f"{number:.{_DIGITS}g}" if np.isfinite(number) else ""
