"""How many records there are, and the sums of their numbers and of products of two, with noise.

A record is the vector v = (S, x_1, …, x_c), x its standardised numbers, |x_i| ≤ S. What is counted
is the sum over the records of every v_i·v_j, i ≤ j: E = (c + 1)(c + 2)/2 whole numbers. One record
more or less moves each by at most S², so all of them by at most S²·E in L1 and S²·√E in L2; both
are attained where every |x_i| is S. Where at most q of the x_i are not 0, as of records whose ones
are thinned, at most (q + 1)(q + 2)/2 of the sums move, and that takes the place of E. Laplace
noise of scale S²·E/ε is ε-differentially private, and Gaussian noise of σ = S²·√(E/(2ρ)) is
ρ-zCDP. Symmetric noise on second moments is that of Dwork, Talwar, Thakurta and Zhang (2014), here
with the number of records and the sums among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.latent.standardised import S
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise

Standard = IntArray | npt.NDArray[np.int16]

_BLOCK = 1 << 14
_LEAST_VARIANCE = 1.0
"""Of a column, in squares of a unit: what noise left below it is no variance."""


def entries(columns: int) -> int:
    """Return how many numbers are measured of so many columns."""
    return (columns + 1) * (columns + 2) // 2


def sums(numbers: Standard) -> IntArray:
    """(E,) the exact sums of v_i·v_j over (n, c) standardised numbers, the upper triangle row by
    row. Internal."""
    many = numbers.shape[1] + 1
    found = np.zeros((many, many), dtype=np.int64)
    for start in range(0, len(numbers), _BLOCK):
        block = numbers[start : start + _BLOCK]
        # Products are below 2^20 and a block of them below 2^34, which doubles add exactly.
        v = np.column_stack([np.full(len(block), S), block]).astype(np.float64)
        found += (v.T @ v).astype(np.int64)
    return found[np.triu_indices(many)]


def measure(
    numbers: Standard, allowance: Allowance, noise: Noise, not_zero: int | None = None
) -> IntArray:
    """(E,) the sums with noise; see the module.

    Args:
        numbers: (n, c) standardised numbers, each from −S to S.
        allowance: what is spent on them.
        noise: where the noise comes from.
        not_zero: how many numbers of a record are other than 0 at most, if not all may be. What
            has more would not be paid for.

    Raises:
        ValueError: a record has more.
    """
    columns = numbers.shape[1]
    most = columns if not_zero is None else min(not_zero, columns)
    if most < columns and (np.count_nonzero(numbers, axis=1) > most).any():
        raise ValueError("a record has more entries than its sensitivity allows for")
    many = entries(most)
    return allowance.vector(sums(numbers), S**2 * many, S**2 * float(np.sqrt(many)), noise)


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and covariance of the standardised numbers, as far as noise allows to tell.

    Attributes:
        mean: (c,) between −S and S.
        covariance: (c, c) symmetric, without negative eigenvalues, and variances of at least 1.
    """

    mean: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, noisy: IntArray, present: FloatArray) -> Moments:
        """Return the moments of those numbers that are there, if they are missing independently.

        Args:
            noisy: (E,) as of `measure`.
            present: (c,) which share of each column is there, above 0, as far as is known.
        """
        many = len(present) + 1
        square = np.zeros((many, many))
        square[np.triu_indices(many)] = noisy
        square = square + np.triu(square, 1).T
        records = max(1.0, square[0, 0] / S**2)
        mean = np.clip(square[0, 1:] / S / records / present, -S, S)
        both = np.outer(present, present)
        np.fill_diagonal(both, present)
        return cls(mean, _possible(square[1:, 1:] / records / both - np.outer(mean, mean)))


def _possible(covariance: FloatArray) -> FloatArray:
    """Return the nearest matrix that is a covariance, with variances between 1 and S²."""
    values, vectors = np.linalg.eigh(covariance)
    found = (vectors * np.maximum(values, 0.0)) @ vectors.T
    found += np.diag(np.maximum(0.0, _LEAST_VARIANCE - np.diagonal(found)))
    # Scaled from both sides, which leaves correlations as they are.
    scale = np.minimum(1.0, S / np.sqrt(np.diagonal(found)))
    found *= np.outer(scale, scale)
    return np.asarray((found + found.T) / 2)
