"""In which measures one run came nearer than another."""

from __future__ import annotations

from understudy.evaluation.measure import Interval, Measured
from understudy.evaluation.registry import abouts
from understudy.evaluation.run_comparison import (
    CLEAR,
    Difference,
    MeasureOfRuns,
    measured_difference,
)


def of(key: str, **placed: Measured) -> MeasureOfRuns:
    return MeasureOfRuns(abouts()[key], placed, {}, {}, placed)


def between(low: float, high: float) -> Measured:
    return Measured((low + high) / 2, Interval(low, high))


def test_intervals_that_lie_apart_tell_two_runs_apart() -> None:
    keys = list(abouts())[:5]
    found = [
        of(keys[0], A=between(0.5, 0.6), B=between(0.3, 0.4)),
        of(keys[1], A=between(0.5, 0.6), B=between(0.55, 0.9)),
        of(keys[2], A=Measured(0.2), B=Measured(0.2 + 2 * CLEAR)),
        of(keys[3], A=Measured(0.2), B=Measured(0.2 + CLEAR / 2)),
        of(keys[4], A=Measured(0.9)),
    ]
    names = [abouts()[key].name for key in keys]
    seen = measured_difference(found, "A", "B")
    assert seen == Difference((names[0],), (names[2],), (names[1], names[3]))
    assert seen.measured == 4
    turned = measured_difference(found, "B", "A")
    assert (turned.first, turned.second) == (seen.second, seen.first)


def test_where_nothing_was_measured_of_both_nothing_is_said() -> None:
    assert not measured_difference([], "A", "B").measured
