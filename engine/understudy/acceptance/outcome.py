"""What came of an acceptance test: intervals, what the release has, and whether limits were kept.

All of it follows from the noisy numbers, the plan, the schema and the released table, so whoever
has a packet can compute it again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from understudy.acceptance.intervals import NoisyInterval, explain_noise
from understudy.acceptance.measurement import ReleasedTally, ends, marginals, pair_of, scales
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.core.arrays import IntArray
from understudy.models.prediction import distance_by_chance
from understudy.models.views import cells
from understudy.table.schema import Schema

NAME: Final = "acceptance"
"""The name of the figures that a run releases."""

ABOUT: Final = "What the acceptance test measured on held-out records, with noise."

Verdict = Literal["passed", "failed", "open"]

SAID: Final[Mapping[Verdict, str]] = {
    "passed": "passed",
    "failed": "failed",
    "open": "cannot be told",
}
"""A verdict as a reader meets it."""


@dataclass(frozen=True)
class StatisticAnswer:
    """What came of one statistic.

    Attributes:
        statistic: what was asked.
        found: of the held-out records, with its interval; of a mean in units of its column.
        released: the same of the released records, exact; None of a distance, which is of both,
            and where no record was released.
        chance: of a distance, what chance alone may come to, at most, with so many records.
        verdict: whether the limit was kept; None where there is none.
    """

    statistic: ShareOf | MeanOf | DistanceOf
    found: NoisyInterval
    released: float | None
    chance: float | None
    verdict: Verdict | None


def answers(
    test: AcceptanceTest,
    schema: Schema,
    numbers: Sequence[Sequence[int]],
    released: ReleasedTally,
) -> tuple[StatisticAnswer, ...]:
    """Return what came of every statistic.

    Args:
        test: what was asked.
        schema: the columns.
        numbers: the two noisy numbers of each statistic.
        released: the released records, counted.
    """
    sizes = [cells(schema, each) for each in marginals(test, schema)]
    of_each = zip(
        test.statistics, numbers, scales(test, schema), released.tables, sizes, strict=True
    )
    return tuple(
        _answer(test, schema, statistic, (int(pair[0]), int(pair[1])), scale, table, size)
        for statistic, pair, scale, table, size in of_each
    )


def _answer(
    test: AcceptanceTest,
    schema: Schema,
    statistic: ShareOf | MeanOf | DistanceOf,
    pair: tuple[int, int],
    scale: tuple[float, float],
    table: IntArray,
    size: int,
) -> StatisticAnswer:
    apart = isinstance(statistic, DistanceOf)
    found = explain_noise(pair, scale, test.confidence, distance=apart)
    there = chance = None
    if apart:
        counts = int(table.sum()), pair[1]
        by_each = [float(distance_by_chance(np.array(float(size)), each)) for each in counts]
        chance = min(1.0, math.hypot(*by_each))
    else:
        there = _of(statistic, schema, table)
    if isinstance(statistic, MeanOf):
        low, high = ends(statistic, schema)
        found = found.scale_to(low, high)
        there = None if there is None else low + (high - low) * there
    return StatisticAnswer(
        statistic, found, there, chance, _verdict(statistic.limit, found, there, apart)
    )


def _of(statistic: ShareOf | MeanOf | DistanceOf, schema: Schema, table: IntArray) -> float | None:
    """Return a share or a mean of the released records, 0 to 1."""
    first, second = pair_of(statistic, schema, table, table)
    return first / (first + second) if first + second else None


def _verdict(
    limit: float | None, found: NoisyInterval, released: float | None, apart: bool
) -> Verdict | None:
    """Return whether the limit was kept by every value within the interval, by none, or by some."""
    if limit is None:
        return None
    if apart:
        nearest, farthest = found.low, found.high
    elif released is None:
        return "failed"
    else:
        nearest = max(0.0, found.low - released, released - found.high)
        farthest = max(found.high - released, released - found.low)
    if farthest <= limit:
        return "passed"
    return "failed" if nearest > limit else "open"


def as_figures(
    test: AcceptanceTest,
    schema: Schema,
    numbers: Sequence[Sequence[int]],
    released: ReleasedTally,
) -> dict[str, Any]:
    """Return the figures that a run releases; see `answers`."""
    found = answers(test, schema, numbers, released)
    of_each = zip(found, numbers, scales(test, schema), strict=True)
    return {
        "about": "Measured on the records that were held out, of which nothing else was made.",
        "epsilon": test.epsilon,
        "confidence": test.confidence,
        "statistics": [
            {
                **answer.statistic.model_dump(mode="json"),
                "noisy": [int(each) for each in pair],
                "noise_scale": list(scale),
                "estimate": answer.found.estimate,
                "at_least": answer.found.low,
                "at_most": answer.found.high,
                "released": answer.released,
                "by_chance_at_most": answer.chance,
                "verdict": answer.verdict,
            }
            for answer, pair, scale in of_each
        ],
    }


def noisy_numbers(figures: Mapping[str, Any]) -> list[list[int]]:
    """Return the noisy numbers that released figures hold.

    Raises:
        KeyError, TypeError, ValueError: there are none.
    """
    found = [each["noisy"] for each in figures["statistics"]]
    if any(len(each) != 2 or any(type(one) is not int for one in each) for each in found):
        raise ValueError("the noisy numbers are not whole")
    return found
