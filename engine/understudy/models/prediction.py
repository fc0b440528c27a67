"""The expected error of a model's tables from noise and sampling, before anything is learned.

Distances are total variation: half the sum of |share made − share true| over the cells, 0 to 1.
Only public numbers are used. If a number depended on the records they are assumed to be spread
evenly over the cells, which is about the worst case.

**Pairs of a usual table.** A table has pairs of very unequal strength: a few are far from
independent, and most are not. Decisions and forecasts about pairs that nobody has looked at assume
such pairs. None is drawn: strengths are evenly spaced quantiles of their law, and a table of few
pairs is averaged over several of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.privacy.accounting.budget_shares import HALF_NORMAL

TYPICAL: Final = 0.047
"""How far the typical pair of a usual table is from independent …"""
_UNEQUAL: Final = 1.25
"""… and to which power of an exponential the others are: one in ten is 4.5 times as far. About so
it is in the simulated census, in Adult, in the American Community Survey and in
`understudy.samples.shapes`."""
USUAL: Final = TYPICAL * math.gamma(1 + _UNEQUAL) / math.log(2) ** _UNEQUAL
"""How far they are on average (.084): what is taken of two columns that are named, as nobody knows
whether they are of the strong ones."""
_DEALT: Final = 3_000
"""How many pairs are dealt at least: to a table of fewer, several times …"""
_MOST_DEALS: Final = 24
"""… but no more often."""
_GOLDEN: Final = (math.sqrt(5) - 1) / 2
SILVER: Final = math.sqrt(2) - 1
BRONZE: Final = (math.sqrt(13) - 3) / 2
"""Multiples of each are spread evenly over 0 to 1, and of all together by threes."""
_EDGE: Final = 1e-9


def deals_of(pairs: int) -> int:
    """Return how often strengths are dealt to so many pairs."""
    return min(_MOST_DEALS, math.ceil(_DEALT / max(1, pairs)))


def usual_strengths(pairs: int, deals: int) -> FloatArray:
    """Deal strengths to the pairs of a usual table: of every size in each deal, and to each pair
    over the deals.

    Returns:
        (deals, pairs) how far each is from independent.
    """
    places: FloatArray = (np.arange(pairs) + 0.5) * _GOLDEN + np.arange(deals)[:, None] / deals
    halvings = -np.log2(1 - _inside(places))
    return np.asarray(np.minimum(1.0, TYPICAL * halvings**_UNEQUAL))


def evenly_spread(many: int, deals: int, step: float = SILVER) -> FloatArray:
    """Return (deals, many) numbers between 0 and 1, spread evenly beside `usual_strengths`, and
    those of `SILVER` beside those of `BRONZE`."""
    return _inside((np.arange(deals * many) + 0.5) * step).reshape(deals, many)


def _inside(places: npt.NDArray[np.floating]) -> FloatArray:
    return np.asarray(np.clip(np.modf(places)[0], _EDGE, 1 - _CLOSE))


_Kind = TypeVar("_Kind", bound=np.generic)

SURELY, CHANCE = 2.5, 1.3
"""How many times as much as is expected noise, and chance, put a typical column or pair off in 95
of 100 runs, at most, on eight simulated tables of different shape (`python -m benchmarks
excess`)."""
_STEPS = 80
_CLOSE = 1e-12


@dataclass(frozen=True, eq=False)
class Predicted:
    """Expected distances from noise and from sampling.

    Attributes:
        single: (m,) the distance by noise of each attribute.
        pairs: (m, m) that of each pair that is measured, and what the levels hide that it is
            measured at, symmetric, `single` on the diagonal; NaN for a pair that would not be
            measured if it were tied as usual.
        possible: (m, m) whether a pair could be measured at all, if it were strong enough;
            symmetric.
        drawn: (m, m) an upper bound on the distance by sampling the records; on the diagonal that
            of each attribute.
        triples: of each marked triple, by columns ascending, noise and sampling together; NaN of
            one that cannot be measured.
        usual: (deals, m(m − 1)/2) how far off by noise each pair of a usual table is, as of
            `understudy.models.prediction`, row by row above the diagonal: one that is not measured
            by all that it is from independent and the noise of its columns.
        sure: whether `at_most` was found to hold of this model.
        levels: of each attribute that may be counted at several levels, the finest at which it
            would be; what is finer is spread evenly.
    """

    single: FloatArray
    pairs: FloatArray
    possible: BoolArray
    drawn: FloatArray
    usual: FloatArray
    triples: Mapping[tuple[int, ...], float] = field(default_factory=dict)
    sure: bool = False
    levels: Mapping[int, int] = field(default_factory=dict)

    @property
    def together(self) -> FloatArray:
        """(m, m) noise and sampling together; NaN for a pair that is not measured."""
        return np.minimum(1.0, np.hypot(self.pairs, self.drawn))

    @property
    def each_column(self) -> FloatArray:
        """(m,) noise and sampling together, of each attribute."""
        return np.diagonal(self.together).copy()

    @property
    def each_pair(self) -> FloatArray:
        """(m(m − 1)/2,) every pair once, row by row above the diagonal."""
        return self.together[np.triu_indices(len(self.single), 1)]

    def by_pair(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield for every pair, the smaller index first, its noise and sampling together."""
        pairs = combinations(range(len(self.single)), 2)
        return zip(pairs, self.each_pair.tolist(), strict=True)

    @property
    def typical_pair(self) -> float:
        """The median over the measured pairs; NaN where there is none."""
        found = self.each_pair[np.isfinite(self.each_pair)]
        return float(np.median(found)) if found.size else math.nan

    @property
    def counted(self) -> int:
        """The number of measured pairs."""
        return int(np.isfinite(self.each_pair).sum())

    @property
    def relates(self) -> bool:
        """Whether any pair could be measured, if it were strong enough."""
        return bool(self._upper(self.possible).any())

    @property
    def unrelated(self) -> tuple[int, ...]:
        """The attributes of which no pair could be measured, however strong, though there are
        others: what they have to do with any other is lost."""
        return _alone(self.possible)

    @property
    def hardly_related(self) -> tuple[int, ...]:
        """The further attributes of which no pair is measured unless it is stronger than usual."""
        measured = np.isfinite(self.pairs)
        return tuple(each for each in _alone(measured) if each not in self.unrelated)

    @property
    def typical_column(self) -> float:
        """The median over the attributes."""
        return float(np.median(self.each_column))

    @property
    def at_most(self) -> FloatArray:
        """Return (m, m) a bound on what a typical column or pair is off by in 95 of 100 runs; NaN
        for a pair that is not measured. Noise in one run differs from that in the next, what is
        made of it is no better than it is, and other pairs than the usual ones may be measured."""
        return np.minimum(1.0, np.hypot(SURELY * self.pairs, CHANCE * self.drawn))

    @property
    def column_at_most(self) -> float:
        """The median of that bound over the attributes."""
        return float(np.median(np.diagonal(self.at_most)))

    @property
    def pair_at_most(self) -> float:
        """The median of that bound over the measured pairs; NaN if there is none."""
        found = self._upper(self.at_most)
        found = found[np.isfinite(found)]
        return float(np.median(found)) if found.size else math.nan

    @property
    def column_by_noise(self) -> float:
        """The median over the attributes, by noise alone."""
        return float(np.median(self.single))

    @property
    def pair_by_noise(self) -> float:
        """The median over the measured pairs, by noise alone; NaN where there is none."""
        found = self.pairs[np.triu_indices(len(self.single), 1)]
        found = found[np.isfinite(found)]
        return float(np.median(found)) if found.size else math.nan

    @property
    def all_pairs(self) -> float:
        """How far off all pairs of a usual table are, by noise alone: the root of the mean of the
        squares, by which models are compared, and by which the calibrated one asks about pairs."""
        return float(np.sqrt((self.usual**2).mean()))

    @property
    def typical_of_all(self) -> float:
        """The median over all pairs of a usual table, with sampling."""
        return float(np.median(np.minimum(1.0, np.hypot(self.usual, self._upper(self.drawn)))))

    @property
    def lost(self) -> float:
        """How far off the typical pair of a usual table is, as a share of how far it would be if
        columns were drawn by themselves without noise."""
        pairs = self.usual.shape[1]
        alone = usual_strengths(pairs, deals_of(pairs))
        drawn = self._upper(self.drawn)
        return self.typical_of_all / float(np.median(np.minimum(1.0, np.hypot(alone, drawn))))

    @property
    def any_pair_at_most(self) -> float:
        """The median of that bound over all pairs, of which one that is not measured is off by
        anything; NaN unless more than half of them are measured."""
        bounds = self._upper(self.at_most)
        middle = float(np.median(np.where(np.isfinite(bounds), bounds, math.inf)))
        return middle if math.isfinite(middle) else math.nan

    @property
    def chance_at_most(self) -> float:
        """The same bound on a typical pair of as many other real records, counted or not."""
        return float(np.median(np.minimum(1.0, CHANCE * self._upper(self.drawn))))

    def _upper(self, square: npt.NDArray[_Kind]) -> npt.NDArray[_Kind]:
        return np.asarray(square[np.triu_indices(len(self.single), 1)])


def prediction_of(
    sizes: IntArray,
    single: FloatArray,
    pairs: Mapping[tuple[int, int], float],
    rows: int,
    possible: BoolArray | None = None,
    usual: FloatArray | None = None,
) -> Predicted:
    """Put a prediction together.

    Args:
        sizes: (m,) how many values each attribute has.
        single: (m,) the distance by noise of each.
        pairs: the distance by noise of each measured pair, the smaller index first.
        rows: how many records are drawn.
        possible: (m, m) which pairs could be measured; None where no further ones could.
        usual: (deals, pairs) as of `Predicted`; None where the same pairs are measured however
            strong they are.
    """
    square = np.full((len(sizes), len(sizes)), np.nan)
    for (one, other), apart in pairs.items():
        square[one, other] = square[other, one] = apart
    np.fill_diagonal(square, single)
    cells = np.outer(sizes, sizes).astype(float)
    np.fill_diagonal(cells, sizes)
    measured = np.isfinite(square)
    able = measured if possible is None else measured | possible
    found = _usual_pairs(single, square) if usual is None else usual
    return Predicted(single, square, able, distance_by_chance(cells, rows), np.minimum(1.0, found))


def _usual_pairs(single: FloatArray, pairs: FloatArray) -> FloatArray:
    """Return `Predicted.usual` where the same pairs are measured however strong they are. One that
    noise drowns counts no more than if it were not."""
    one, other = np.triu_indices(len(single), 1)
    strengths = usual_strengths(len(one), deals_of(len(one)))
    left = np.hypot(np.hypot(single[one], single[other]), strengths)
    return np.asarray(np.fmin(pairs[one, other], left))


def _alone(paired: BoolArray) -> tuple[int, ...]:
    """Return the attributes, if there are several, that are in no pair with another."""
    others = paired & ~np.eye(len(paired), dtype=bool)
    lone = ~others.any(axis=1) & (len(paired) > 1)
    return tuple(np.flatnonzero(lone).tolist())


def distance_by_noise(cells: FloatArray, deviation: FloatArray, records: float) -> FloatArray:
    """Return the expected distance by noise of this deviation on each cell, after projecting the
    counts onto those that are not negative and sum to the records.

    With a = records/(cells·σ), E(u + Z)⁺ = a has the root u that the counts are moved to, and the
    distance is E(u − a + Z)⁺/a, Z a standard Gaussian; σ is the deviation less what all cells
    share, √(1 − 1/cells) of it. It cannot be more than 1 − 1/cells.

    Args:
        cells: how many, any shape.
        deviation: in records, of the same shape.
        records: how many there are, above 0.
    """
    cells, deviation = np.broadcast_arrays(np.asarray(cells, float), np.asarray(deviation, float))
    noisy = np.flatnonzero((deviation > 0).ravel() & (cells > 1).ravel())
    apart = np.zeros(cells.size)
    many = cells.ravel()[noisy]
    share = records / (many * deviation.ravel()[noisy] * np.sqrt(1 - 1 / many))
    apart[noisy] = np.minimum(1 - 1 / many, _beyond(_expected_move(share) - share) / share)
    return apart.reshape(cells.shape)


def distance_by_chance(cells: FloatArray, rows: int) -> FloatArray:
    """Return an upper bound on the expected distance by sampling, that of records spread evenly
    over the cells: ½·√(2/π)·√((cells − 1)/rows)."""
    return np.minimum(1.0, HALF_NORMAL / 2 * np.sqrt((np.asarray(cells) - 1) / max(1, rows)))


def _beyond(start: FloatArray) -> FloatArray:
    """Return E(start + Z)⁺ for a standard Gaussian Z."""
    density = np.exp(-(start**2) / 2) / math.sqrt(2 * math.pi)
    return np.asarray(start * ndtr(start) + density)


def _expected_move(share: FloatArray) -> FloatArray:
    """Return the root u of E(u + Z)⁺ = share, by Newton's method, from above as it is convex."""
    found = share.copy()
    for _ in range(_STEPS):
        step = (_beyond(found) - share) / np.maximum(ndtr(found), _CLOSE)
        found = found - np.minimum(step, 1.0)
        if not step.size or np.abs(step).max() < _CLOSE:
            break
    return found
