"""Principal directions of flags and numbers, from noisy second moments; rows without seeds.

Directions are in whole numbers out of 2^12. A row is decoded from normal coordinates with the
variances of the directions (dissertation 2018, §6.3.3): flags by chances cut to [0, 1], numbers
with the variance that the directions leave open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray, NamedArrays
from understudy.models.latent.factors import normals, one_of
from understudy.models.latent.features import S
from understudy.models.latent.moments import NoisyMoments
from understudy.privacy.randomness import RandomSource

ONE = 1 << 12
"""What a coefficient of 1 is."""


def learn_directions(covariance: FloatArray, many: int) -> IntArray:
    """Return (c, w) the principal directions of a noisy covariance, the one of most variance first.

    They are post-processing of what was measured with noise.
    """
    _, vectors = np.linalg.eigh(covariance)
    return to_fixed_point(vectors[:, ::-1][:, :many])


def public(columns: int, many: int) -> IntArray:
    """Return (c, w) the first cosines over the columns in their order: their mean, then ever
    quicker changes from column to column. They know nothing of any record."""
    place = (np.arange(columns)[:, None] + 0.5) * np.arange(min(many, columns))
    waves = np.cos(np.pi * place / columns)
    return to_fixed_point(waves / np.linalg.norm(waves, axis=0))


def to_fixed_point(vectors: FloatArray) -> IntArray:
    """Return coefficients between −1 and 1 as whole numbers."""
    return np.rint(vectors * ONE).astype(np.int64)


_BLOCK: Final = 1 << 13


@dataclass(frozen=True, eq=False)
class Principal:
    """w directions over f flags and c numbers, in this order.

    Attributes:
        mean: (f + c,) of each column: of a flag its share, of a number from −1 to 1.
        directions: (f + c, w) each times the deviation along it.
        open: (c,) the deviation of each number that the directions leave.
    """

    mean: FloatArray
    directions: FloatArray
    open: FloatArray

    @classmethod
    def fit(cls, moments: NoisyMoments, width: int) -> Principal:
        """Return the directions of most variance that noisy moments show."""
        covariance = moments.covariance.copy()
        np.fill_diagonal(covariance, moments.variances)
        values, vectors = np.linalg.eigh(covariance)
        along = vectors[:, ::-1][:, :width] * np.sqrt(np.maximum(values[::-1][:width], 0.0))
        left = moments.variances - (along**2).sum(axis=1)
        return cls(moments.mean, along, np.sqrt(np.maximum(left[moments.flags :], 0.0)))

    def draw(
        self, count: int, source: RandomSource, exclusive: slice | None = None
    ) -> tuple[CodeArray, FloatArray]:
        flags = len(self.mean) - len(self.open)
        bits = np.empty((count, flags), dtype=np.uint16)
        numbers = np.empty((count, len(self.open)))
        for start in range(0, count, _BLOCK):
            here = slice(start, min(count, start + _BLOCK))
            shape = here.stop - start, self.directions.shape[1]
            found = self.mean + normals(shape, source) @ self.directions.T
            uniforms = source.uniforms(shape[0] * flags).reshape(shape[0], flags)
            bits[here] = uniforms < found[:, :flags]
            if exclusive is not None:
                chances = np.clip(found[:, exclusive], 0, 1)
                bits[here, exclusive] = one_of(chances, uniforms[:, exclusive.start])
            alone = normals((shape[0], len(self.open)), source) * self.open
            numbers[here] = np.clip((found[:, flags:] + alone) * S, -S, S)
        return bits, numbers

    def arrays(self) -> NamedArrays:
        """Return all that it is made of, for `restore`."""
        return {"mean": self.mean, "directions": self.directions, "open": self.open}

    @classmethod
    def restore(cls, arrays: NamedArrays) -> Principal:
        """Return the model that gave these arrays.

        Raises:
            KeyError: there is none.
        """
        return cls(*(arrays[name].astype(np.float64) for name in ("mean", "directions", "open")))
