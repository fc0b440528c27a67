"""Numbers from disturbed coordinates: what mean and covariance leave to be expected, and a draw of
what they leave open. Post-processing of what is released or was measured with noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import FloatArray
from understudy.models.latent.grid import Grid
from understudy.models.latent.second_moments import Moments
from understudy.privacy.randomness import RandomSource


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
    def of(cls, moments: Moments, grid: Grid) -> Decoder:
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
        """(n, c) numbers of (n, w) projections."""
        shape = len(projected), len(self.offset)
        chance = ndtri(source.uniforms(shape[0] * shape[1])).reshape(shape)
        return np.asarray(self.offset + projected @ self.gain + chance @ self.open)
