"""Latent noise over flags (Bindschaedler 2018, §6.3.1): a record's code is disturbed on a public
grid, the test is about the disturbed code, and rows are drawn from it afterwards.

    candidate of seed d     z′ = z(d) + ζ
    p_d(z′)                 Pr{ζ = z′ − z(d)}, the same law of ζ for every record

Whatever is made of a code that passed is post-processing: several rows of one code too, which are
not independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray, NamedArrays
from understudy.models.latent.grid import Grid
from understudy.models.latent.spaces import Linear, Space
from understudy.privacy.randomness import RandomSource


@dataclass(frozen=True, eq=False)
class LatentNoise:
    """The model.

    Attributes:
        grid: where codes are disturbed.
        space: what records are to the grid, and rows of what is there.
    """

    grid: Grid
    space: Space

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """(B, w) the disturbed code of each of (B, m) seeds."""
        return self.grid.disturbed(self._codes(seeds), source)

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """(n, B) ln p_d(z′) of (n, m) records d and (B, w) disturbed codes z′."""
        return self.grid.log_likelihood(self._codes(seeds), candidates)

    @property
    def reach(self) -> int:
        """How far a code is moved at most."""
        return self.grid.reach

    def located(self, records: CodeArray) -> CodeArray:
        """(n, w) the codes of (n, m) records, all that a likelihood looks at."""
        return self._codes(records).astype(np.uint16)

    def log_likelihood_at(self, places: CodeArray, candidates: CodeArray) -> FloatArray:
        """(n, B) as `log_likelihood`, of records with (n, w) codes."""
        return self.grid.log_likelihood(places.astype(np.int64), candidates)

    def log_likelihood_of(self, places: CodeArray, candidates: CodeArray) -> FloatArray:
        """(P,) the same of a record at each of (P, w) places and the candidate beside it."""
        return self.grid.log_likelihood_of(places.astype(np.int64), candidates)

    def radius(self, least: FloatArray) -> IntArray:
        """(B,) how far a place lies from a candidate on any axis, whose likelihood of it is at
        least so much."""
        return self.grid.radius(least)

    def decoded(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """(B, m) a row of each disturbed code."""
        return self.space.rows(self.grid.middles(candidates), source)

    def arrays(self) -> NamedArrays:
        """Return all that it is made of."""
        return {**self.grid.arrays(), **self.space.arrays()}

    @classmethod
    def restored(
        cls, arrays: NamedArrays, space: Callable[[NamedArrays], Space] = Linear.restored
    ) -> LatentNoise:
        """Return the model that gave these arrays.

        Args:
            arrays: it.
            space: what makes the space of them.

        Raises:
            KeyError, ValueError: there is none.
        """
        return cls(Grid.restored(arrays), space(arrays))

    def _codes(self, records: CodeArray) -> IntArray:
        return self.grid.coordinates(self.space.numbers(records))
