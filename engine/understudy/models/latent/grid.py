"""Coordinates on a public grid, the noise that disturbs them there, exactly, and numbers decoded.

Everything up to the score is in whole numbers: a record's coordinate is a function of the record
alone, the noise is an integer law out of 2^48, and its logarithms are multiples of 2^−41, so that
sums of them are exact in any order, and equal to the last bit whatever else is asked.

Numbers are decoded from disturbed coordinates by the conditional expectation that mean and
covariance give, and a draw of the rest: post-processing of released or noisy numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import CodeArray, FloatArray, IntArray, NamedArrays
from understudy.models.categorical import WHOLE, ConditionalTable
from understudy.models.latent.moments import SecondMoments
from understudy.privacy.randomness import RandomSource

PLACES: Final = 1 << 12
"""How many places each axis has."""
DEVIATION: Final = 4
"""The standard deviation of the noise, in places."""
REACH: Final = 7 * DEVIATION
"""No coordinate is moved further."""
MOST_AXES: Final = 16
_UNIT: Final = 2.0**-41


def normal_law() -> IntArray:
    """Return (2·REACH + 1,) the chance of each move out of 2^48: in proportion to a Gaussian's
    density."""
    moves = np.arange(-REACH, REACH + 1)
    density = np.exp(-(moves**2) / (2 * DEVIATION**2))
    return np.asarray(ConditionalTable.from_probabilities(density[None]).weights[0])


@dataclass(frozen=True, eq=False)
class ProjectionGrid:
    """A grid of w axes over projections.

    Attributes:
        directions: (c, w) whole numbers that records are projected with.
        centre: (w,) the projection in the middle of each axis.
        width: (w,) how far places are apart, in units of projections, at least 1.
        law: (2r + 1,) the chances of the moves −r … r of a coordinate, out of 2^48, none of them 0.
        places: how many each axis has, more than 2r and at most 2^16.

    Raises:
        ValueError: one of them is out of bounds.
    """

    directions: IntArray
    centre: IntArray
    width: IntArray
    law: IntArray
    places: int = PLACES

    def __post_init__(self) -> None:
        axes = self.directions.shape[1]
        if not 1 <= axes <= MOST_AXES or len(self.centre) != axes or len(self.width) != axes:
            raise ValueError(f"a grid has 1 to {MOST_AXES} axes, each with its middle and width")
        if (self.width < 1).any() or not len(self.law) % 2 or (self.law < 1).any():
            raise ValueError("widths are at least 1, and every move has a chance")
        if self.law.sum() != WHOLE or not len(self.law) <= self.places <= 1 << 16:
            raise ValueError("the chances sum to 2^48, and fit on every axis")

    def arrays(self) -> NamedArrays:
        """Return all that it is made of, for `restore`."""
        return {
            "directions": self.directions,
            "centre": self.centre,
            "width": self.width,
            "law": self.law,
            "places": np.array([self.places]),
        }

    @classmethod
    def restore(cls, arrays: NamedArrays) -> ProjectionGrid:
        """Return the grid that gave these arrays, among others.

        Raises:
            KeyError, ValueError: there is none.
        """
        names = "directions", "centre", "width", "law", "places"
        directions, centre, width, law, places = (arrays[each].astype(np.int64) for each in names)
        return cls(directions, centre, width, law, int(places[0]))

    @property
    def axes(self) -> int:
        """How many there are."""
        return len(self.width)

    @property
    def reach(self) -> int:
        """How far a coordinate is moved at most."""
        return len(self.law) // 2

    def coordinates(self, numbers: IntArray) -> IntArray:
        """Return (n, w) the places of (n, c) standardised numbers. Those near the ends are put
        where every move stays on the axis: before any noise, so the law of a move is the same for
        all."""
        # Whole numbers below 2^53: no order of adding them rounds.
        projected = numbers.astype(np.float64) @ self.directions.astype(np.float64)
        places = (projected.astype(np.int64) - self.centre) // self.width + self.places // 2
        return np.asarray(np.clip(places, self.reach, self.places - 1 - self.reach))

    def middles(self, places: CodeArray) -> FloatArray:
        """Return (n, w) the projection in the middle of each place."""
        return np.asarray((places.astype(np.int64) - self.places // 2 + 0.5) * self.width) + (
            self.centre
        )

    def disturb(self, coordinates: IntArray, source: RandomSource) -> CodeArray:
        """Return (n, w) each coordinate moved by a draw of the law."""
        first = np.zeros(coordinates.size, dtype=np.int64)
        moves = self._table.draw(first, source).astype(np.int64) - self.reach
        return (coordinates + moves.reshape(coordinates.shape)).astype(np.uint16)

    def log_likelihood(self, coordinates: IntArray, places: CodeArray) -> FloatArray:
        """Return (n, B) ln of the chance that each of (n, w) coordinates is moved to each of (B, w)
        places; −∞ where it cannot be."""
        found = np.zeros((len(coordinates), len(places)))
        last = len(self._logs) - 1
        for axis in range(self.axes):
            to = places[:, axis].astype(np.int64) + (self.reach + 1)
            moved = to[None, :] - coordinates[:, axis][:, None]
            found += self._logs[np.clip(moved, 0, last, out=moved)]
        return found

    def log_likelihood_of(self, coordinates: IntArray, places: CodeArray) -> FloatArray:
        """Return (P,) the same of each of (P, w) coordinates and the place beside it."""
        found = np.zeros(len(coordinates))
        last = len(self._logs) - 1
        for axis in range(self.axes):
            moved = places[:, axis].astype(np.int64) - coordinates[:, axis] + (self.reach + 1)
            found += self._logs[np.clip(moved, 0, last, out=moved)]
        return found

    def radius(self, least: FloatArray) -> IntArray:
        """Return (B,) how far, on any axis, a coordinate lies from a place at most to which it is
        moved with a `log_likelihood` of at least so much; 0 also where there is none."""
        logs = self._logs[1:-1]
        by_distance = np.maximum(logs[self.reach :], logs[self.reach :: -1])
        # The most that a move by so much or more can have on one axis, the further the less.
        beyond = np.maximum.accumulate(by_distance[::-1])
        # All else is moved as is likeliest. What rounding takes from this is given back.
        spare = least - (self.axes - 1) * logs.max() - 2.0**-30
        many = len(beyond) - np.searchsorted(beyond, spare, side="left")
        return np.asarray(np.maximum(0, many - 1), dtype=np.int64)

    @property
    def variance(self) -> FloatArray:
        """(w,) of the noise in units of projections, with that of the place within its width."""
        moves = np.arange(-self.reach, self.reach + 1)
        of_moves = float(self.law @ moves**2) / WHOLE
        return np.asarray(self.width.astype(np.float64) ** 2 * (of_moves + 1 / 12))

    @cached_property
    def _table(self) -> ConditionalTable:
        return ConditionalTable(self.law[None].copy())

    @cached_property
    def _logs(self) -> FloatArray:
        """(2r + 3,) the logarithm of each chance, and −∞ before and after."""
        logs = np.rint(np.log(self.law / WHOLE) / _UNIT) * _UNIT
        return np.concatenate([[-np.inf], logs, [-np.inf]])


@dataclass(frozen=True, eq=False)
class Decoder:
    """The law of the numbers x given the disturbed projection y, both taken to be Gaussian.

    Where the coordinates follow the moments, so do the numbers: the noise on the coordinates is
    taken into account, and adds nothing to the covariance.

    Attributes:
        offset: (c,) the mean of x at y = 0.
        gain: (w, c) how x follows y.
        open: (c, c) the factor of the covariance that y leaves: x is `offset + y·gain + u·open`, u
            standard Gaussian.
    """

    offset: FloatArray
    gain: FloatArray
    open: FloatArray

    @classmethod
    def of(cls, moments: SecondMoments, grid: ProjectionGrid) -> Decoder:
        """Return the decoder for numbers of these moments and coordinates on this grid."""
        directions = grid.directions.astype(np.float64)
        shared = moments.covariance @ directions
        of_y = directions.T @ shared + np.diag(grid.variance)
        gain = np.linalg.solve(of_y, shared.T)
        left = moments.covariance - shared @ gain
        values, vectors = np.linalg.eigh((left + left.T) / 2)
        factor = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
        offset = moments.mean - moments.mean @ directions @ gain
        return cls(offset, np.asarray(gain, dtype=np.float64), factor)

    def draw(self, projected: FloatArray, source: RandomSource) -> FloatArray:
        """Return (n, c) numbers of (n, w) projections."""
        shape = len(projected), len(self.offset)
        chance = ndtri(source.uniforms(shape[0] * shape[1])).reshape(shape)
        return np.asarray(self.offset + projected @ self.gain + chance @ self.open)
