"""How wide the intervals of an acceptance test will be, from public numbers alone."""

from __future__ import annotations

from understudy.acceptance.asked import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.acceptance.counting import FINENESS, ends, steps
from understudy.acceptance.intervals import Interval, interval
from understudy.acceptance.measuring import scales
from understudy.table.schema import Schema

_HALF, _DISTANCE = 0.5, 0.1
"""The share, place between the bounds, and distance that are taken to be found."""


def widths(test: AcceptanceTest, schema: Schema, held_out: int) -> tuple[float, ...]:
    """About how far each statistic can be from its estimate, in the units of its limit.

    Args:
        test: what is asked.
        schema: the columns.
        held_out: how many records are held out, from the number that is publicly known.
    """
    of_each = zip(test.statistics, scales(test, schema), strict=True)
    return tuple(_width(each, scale, test, schema, held_out) for each, scale in of_each)


def _width(
    statistic: ShareOf | MeanOf | DistanceOf,
    scale: tuple[float, float],
    test: AcceptanceTest,
    schema: Schema,
    held_out: int,
) -> float:
    if isinstance(statistic, DistanceOf):
        numbers = round(FINENESS * _DISTANCE * held_out), held_out
        return _half(interval(numbers, scale, test.confidence, distance=True))
    most = steps(statistic, schema) * held_out
    half = _half(interval((round(_HALF * most), round(_HALF * most)), scale, test.confidence))
    if isinstance(statistic, ShareOf):
        return half
    low, high = ends(statistic, schema)
    return half * (high - low)


def _half(found: Interval) -> float:
    return (found.high - found.low) / 2
