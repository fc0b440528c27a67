"""Checks of acceptance tests: how far one record moves what is measured, and what a reader learns
of a release and of a test together. Everything is written out; the counts are the shipped ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from itertools import product
from math import comb
from typing import Final

import numpy as np

from understudy.acceptance.measurement import pair_of, price_test, scales
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.accounting.composition import compose_dealt
from understudy.privacy.budget import Budget
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

_PART: Final = "Acceptance test"
_MOST: Final = 3
Pair = tuple[float, float]
Scales = Sequence[Pair]


def list_checks() -> tuple[Check, ...]:
    """Return what one record moves, and a release with a test of its held-out records."""
    return (
        Check(
            _PART,
            "what a held-out record moves",
            "the numbers of all statistics move by ε times the scale of their noise, together",
            GUARANTEE,
            _measure_move,
        ),
        Check(
            _PART,
            "a release and its acceptance test",
            "(max ε_i, max δ_i), where what is measured depends on the release, and each record is "
            "held out or not by a coin of its own",
            GUARANTEE,
            _together,
        ),
    )


def list_mutants() -> tuple[Check, ...]:
    """Tests that tell more than they pay for."""
    return tuple(
        Check.mutant(f"acceptance test, {name}", what, measure)
        for name, what, measure in (
            (
                "half the sensitivity of a mean",
                "noise of scale K/(2ε) on the steps above the minimum and below the maximum",
                partial(_measure_move, change=_half_of_means),
            ),
            (
                "a distance noised as a count",
                "noise of scale 2/ε on a distance that is told in sixteenths of a record",
                partial(_measure_move, change=_distance_as_count),
            ),
            (
                "the true number of records",
                "the number of held-out records that a distance is of, without noise",
                partial(_measure_move, change=_number_shown),
            ),
            (
                "each statistic for the whole budget",
                "noise for ε on each of several statistics, and not for its part",
                partial(_measure_move, change=_each_for_all),
            ),
            (
                "held-out records learned from",
                "every record is held out and learned from, against the mean of the two budgets",
                partial(_together, shared=True),
            ),
            (
                "limits chosen after seeing",
                "the limit is the number of held-out records, as it was found",
                partial(_together, limit_seen=True),
            ),
        )
    )


_SCHEMA: Final = Schema(
    columns=(
        Column(name="kind", domain=Categories(values=("a", "b"))),
        Column(name="size", domain=Grid(minimum=Decimal(0), maximum=Decimal(3)), missing=True),
    )
)
_STATISTICS: Final = (
    ShareOf(column="kind", values=("a",)),
    MeanOf(column="size"),
    DistanceOf(columns=("kind", "size")),
)


def _tests() -> Iterator[AcceptanceTest]:
    for epsilon in (0.1, 1.0, 3.0):
        for each in (*((one,) for one in _STATISTICS), _STATISTICS):
            yield AcceptanceTest(epsilon=epsilon, statistics=each)


def _measure_move(
    _: Effort, change: Callable[[AcceptanceTest, Scales], Scales] = lambda _, found: found
) -> MeasuredValue:
    """Return the largest Σ|Δ|/scale of all numbers, over ε: no outcome of two-sided geometric noise
    has a larger log-ratio of probabilities, and some have this one.

    Args:
        change: what becomes of the shipped scales.
    """
    total = NOTHING
    for test in _tests():
        spread = np.array(change(test, scales(test, _SCHEMA)))
        asked = [_STATISTICS.index(each) for each in test.statistics]
        lost = (_moves()[:, asked] / spread).sum(axis=(1, 2)) / test.epsilon
        what = ", ".join(each.kind for each in test.statistics)
        total |= MeasuredValue(len(lost), float(lost.max()), f"{what}, ε = {test.epsilon:g}")
    return total


_CELLS: Final = tuple(product(range(2), range(5)))
_HELD: Final = ((), *((each,) for each in range(10)), (0, 0), (0, 7), (3, 9), (1, 2), (4, 8, 8))
_RELEASED: Final = ((), (0,), (0, 0, 7), (3, 9))


@cache
def _moves() -> FloatArray:
    """Return (cases, statistics, 2) by how much one record more moves every number."""
    moves = []
    for held, released, more in product(_HELD, _RELEASED, _CELLS):
        records = [_CELLS[each] for each in held]
        theirs = [_CELLS[each] for each in released]
        before, after = _numbers(records, theirs), _numbers([*records, more], theirs)
        moves.append(np.abs(np.array(after) - np.array(before)))
    return np.array(moves, dtype=np.float64)


def _numbers(
    records: Sequence[tuple[int, int]], theirs: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    return [
        pair_of(each, _SCHEMA, _table(each, records), _table(each, theirs)) for each in _STATISTICS
    ]


def _table(
    statistic: ShareOf | MeanOf | DistanceOf, records: Sequence[tuple[int, int]]
) -> IntArray:
    """Return the table of counts that a statistic is read off. Buckets are the values
    themselves."""
    match statistic:
        case ShareOf():
            numbers, size = [one for one, _ in records], 2
        case MeanOf():
            numbers, size = [other for _, other in records], 5
        case DistanceOf():
            numbers, size = [5 * one + other for one, other in records], 10
    return np.bincount(np.array(numbers, dtype=np.int64), minlength=size).astype(np.int64)


def _half_of_means(test: AcceptanceTest, found: Scales) -> Scales:
    return [
        (one / 2, other / 2) if isinstance(each, MeanOf) else (one, other)
        for each, (one, other) in zip(test.statistics, found, strict=True)
    ]


def _distance_as_count(test: AcceptanceTest, found: Scales) -> Scales:
    return [
        (other, other) if isinstance(each, DistanceOf) else (one, other)
        for each, (one, other) in zip(test.statistics, found, strict=True)
    ]


def _number_shown(test: AcceptanceTest, found: Scales) -> Scales:
    return [
        (one, 1e-9) if isinstance(each, DistanceOf) else (one, other)
        for each, (one, other) in zip(test.statistics, found, strict=True)
    ]


def _each_for_all(test: AcceptanceTest, found: Scales) -> Scales:
    many = len(test.statistics)
    return [(one / many, other / many) for one, other in found]


@dataclass(frozen=True)
class _Together:
    """A release of a noisy count of the records that are not held out, and a distance between it
    and those that are; records are of two kinds.

    Attributes:
        release: what the release costs.
        test: what is measured of the others.
        coin: the chance of being held out.
        shared: whether held-out records are released too.
        limit_seen: whether a limit is published that tells the number of held-out records.
    """

    release: Budget
    test: AcceptanceTest
    coin: float
    shared: bool
    limit_seen: bool

    def law(self, kinds: tuple[int, int]) -> FloatArray:
        """Of everything a reader sees, every assignment of the records written out."""
        found: list[FloatArray] = []
        for held in product(*(range(each + 1) for each in kinds)):
            chance = float(
                np.prod(
                    [
                        comb(each, out) * self.coin**out * (1 - self.coin) ** (each - out)
                        for each, out in zip(kinds, held, strict=True)
                    ]
                )
            )
            if self.shared:
                held, rest, chance = kinds, kinds, 1.0 if held == kinds else 0.0
            else:
                rest = (kinds[0] - held[0], kinds[1] - held[1])
            found.append(chance * self._see_laws(held, rest))
        return np.asarray(np.sum(found, axis=0)).ravel()

    def _see_laws(self, held: Sequence[int], rest: Sequence[int]) -> FloatArray:
        released = _geometric(rest[0], 1 / self.release.epsilon, -1, 5)
        ((wide, narrow),) = scales(self.test, _TWO)
        parts = []
        for outcome, chance in zip(range(-1, 6), released, strict=True):
            theirs = np.array([max(outcome, 0), 1], dtype=np.int64)
            ours = np.array(held, dtype=np.int64)
            one, other = pair_of(self.test.statistics[0], _TWO, _spread(ours), _spread(theirs))
            numbers = np.outer(_geometric(one, wide, -16, 80), _geometric(other, narrow, -2, 6))
            parts.append(chance * numbers)
        seen = np.array(parts)
        if not self.limit_seen:
            return seen
        limits = np.zeros((2 * _MOST + 2, *seen.shape))
        limits[sum(held)] = seen
        return limits


_TWO: Final = Schema(
    columns=(
        Column(name="kind", domain=Categories(values=("a", "b"))),
        Column(name="other", domain=Categories(values=("c", "d"))),
    )
)


def _spread(counts: IntArray) -> IntArray:
    """Return two kinds of records in two cells of the four of a pair."""
    return np.array([counts[0], 0, 0, counts[1]], dtype=np.int64)


def _geometric(middle: int, scale: float, low: int, high: int) -> FloatArray:
    """Return the law of two-sided geometric noise about a number, all beyond the ends put on
    them."""
    places = np.arange(low, high + 1)
    law = np.exp(-np.abs(places - middle) / scale)
    law[[0, -1]] /= -np.expm1(-1 / scale)
    return np.asarray(law / law.sum())


def _together(_: Effort, *, shared: bool = False, limit_seen: bool = False) -> MeasuredValue:
    """Return a release and its test, for every small table and one record more.

    Args:
        shared: whether held-out records are released too.
        limit_seen: whether a limit is published that tells the number of held-out records.
    """
    total = NOTHING
    asked = DistanceOf(columns=("kind", "other"))
    for epsilon, paid, coin in ((1.0, 1.0, 0.3), (0.5, 1.0, 0.1), (2.0, 0.5, 0.5)):
        test = AcceptanceTest(epsilon=paid, statistics=(asked,))
        release = Budget(epsilon)
        stated = compose_dealt((1 - coin, release), (coin, price_test(test)))
        case = _Together(release, test, coin, shared, limit_seen)
        for kinds in product(range(_MOST), repeat=2):
            one = case.law((kinds[0], kinds[1]))
            for more in ((kinds[0] + 1, kinds[1]), (kinds[0], kinds[1] + 1)):
                found = over(hockey_stick(one, case.law(more), stated.epsilon), stated.delta)
                total |= MeasuredValue(1, float(found), f"{kinds}, ε = {epsilon:g} and {paid:g}")
    return total
