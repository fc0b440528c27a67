"""Noisy second moments: the number of records, the sums of their numbers, and of products of two.

A record is the vector v = (S, x_1, …, x_c), x its standardised numbers, |x_i| ≤ S. The sums over
the records of every v_i·v_j, i ≤ j, are counted: E = (c + 1)(c + 2)/2 whole numbers. One record
more or less moves each by at most S², so all of them by at most S²·E in L1 and S²·√E in L2; both
are attained if every |x_i| is S. If at most q of the x_i are not 0, as in records whose ones are
thinned, at most (q + 1)(q + 2)/2 of the sums move, and that takes the place of E. Laplace noise of
scale S²·E/ε is ε-differentially private, and Gaussian noise of σ = S²·√(E/(2ρ)) is ρ-zCDP.
Symmetric noise on second moments is that of Dwork, Talwar, Thakurta and Zhang (2014), here with the
number of records and the sums among them.

**The bound on ones.** A noisy count of records by their number of ones chooses how many ones a
record is counted with at most. A record lies in one cell of that histogram, so one record more or
less moves one count by 1, and Laplace noise of scale 1/ε on each makes it ε-differentially private.
The choice is post-processing, and the sensitivity of the moments that are asked afterwards follows
from it: ε adds up, as of any two questions of which the second depends on the first one's answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.models.latent.features import S, thin_bits
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

Standard = IntArray | npt.NDArray[np.int16]

_BLOCK = 1 << 14
_LEAST_SQUARE = 1.0
"""Of a column, in squares of a unit: what noise left below it is no variance."""


def entries(columns: int) -> int:
    """Return how many numbers are measured of so many columns."""
    return (columns + 1) * (columns + 2) // 2


def sums(numbers: Standard) -> IntArray:
    """Return (E,) the exact sums of v_i·v_j over (n, c) standardised numbers, the upper triangle
    row by row. Internal."""
    many = numbers.shape[1] + 1
    found = np.zeros((many, many), dtype=np.int64)
    for start in range(0, len(numbers), _BLOCK):
        block = numbers[start : start + _BLOCK]
        # Products are below 2^20 and a block of them below 2^34, which doubles add exactly.
        v = np.column_stack([np.full(len(block), S), block]).astype(np.float64)
        found += (v.T @ v).astype(np.int64)
    return found[np.triu_indices(many)]


def measure_sums(
    numbers: Standard, allowance: Allowance, noise: Noise, not_zero: int | None = None
) -> IntArray:
    """Return (E,) the sums with noise; see the module.

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
class SecondMoments:
    """Measure mean and covariance of the standardised numbers, as far as noise allows to tell.

    Attributes:
        mean: (c,) between −S and S.
        covariance: (c, c) symmetric, without negative eigenvalues, and variances of at least 1.
    """

    mean: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, noisy: IntArray, present: FloatArray) -> SecondMoments:
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
    found += np.diag(np.maximum(0.0, _LEAST_SQUARE - np.diagonal(found)))
    # Scaled from both sides, which leaves correlations as they are.
    scale = np.minimum(1.0, S / np.sqrt(np.diagonal(found)))
    found *= np.outer(scale, scale)
    return np.asarray((found + found.T) / 2)


_LEAST_VARIANCE = 1e-6
"""Of a number put between −1 and 1, which noise may leave below that."""


@dataclass(frozen=True, eq=False)
class NoisyMoments:
    """What noisy sums of products tell; a flag is 0 or 1, a number between −1 and 1.

    Attributes:
        flags: f, how many of the columns are flags; they come first.
        records: how many records there are, by the noisy sums; at least 1.
        mean: (m,) of each column; of a flag its share, strictly between 0 and 1.
        covariance: (m, m) of each pair of columns, as it was measured.
        noise: the standard deviation of the noise on each sum, in records.
    """

    flags: int
    records: float
    mean: FloatArray
    covariance: FloatArray
    noise: float

    @classmethod
    def of(cls, sums: IntArray, flags: int, deviation: float) -> NoisyMoments:
        """Return the moments that sums tell.

        Args:
            sums: as of `measure`, in units of S².
            flags: how many columns are flags.
            deviation: of the noise on each sum, in the same units.
        """
        many = int(np.sqrt(2 * len(sums)))
        square = np.zeros((many, many))
        square[np.triu_indices(many)] = sums / float(S**2)
        square = square + np.triu(square, 1).T
        records = max(1.0, float(square[0, 0]))
        mean = square[0, 1:] / records
        # The square of a flag is the flag: it was counted twice, with noise of its own each time.
        twice = np.diagonal(square)[1 : flags + 1] / records
        mean[:flags] = (mean[:flags] + twice) / 2
        least = min(0.5, 0.5 / records)
        mean[:flags] = np.clip(mean[:flags], least, 1 - least)
        mean[flags:] = np.clip(mean[flags:], -1.0, 1.0)
        covariance = square[1:, 1:] / records - np.outer(mean, mean)
        return cls(flags, records, mean, covariance, deviation / S**2)

    @property
    def shares(self) -> FloatArray:
        """(f,) of each flag."""
        return self.mean[: self.flags]

    @property
    def variances(self) -> FloatArray:
        """(m,) of each column; that of a flag follows from its share."""
        found = np.clip(np.diagonal(self.covariance), _LEAST_VARIANCE, 1.0)
        found[: self.flags] = self.shares * (1 - self.shares)
        return found

    @property
    def deviations(self) -> FloatArray:
        """(m, m) how far a covariance may be off by noise and by sampling, as a standard
        deviation, if the columns are independent."""
        by_noise = self.noise / self.records
        means = 1 + self.mean[:, None] ** 2 + self.mean[None, :] ** 2
        by_chance = np.outer(self.variances, self.variances) / self.records
        return np.asarray(np.sqrt(by_noise**2 * means + by_chance))


SPENT: Final = 16
"""The count gets one part in so many of ε."""
_LOST: Final = 0.01
"""The share of all ones that may be left out."""
_STRAYS: Final = 2.5
"""Counts within so many deviations of the noise count as none."""


@dataclass(frozen=True)
class OnesBudget:
    """What the count may cost, and what is left.

    Attributes:
        count: ε alone.
        rest: of all the other questions.
    """

    count: Budget
    rest: Budget

    @classmethod
    def of(cls, budget: Budget) -> OnesBudget:
        """Return the parts of a budget, which together are no more than it."""
        part = budget.epsilon / SPENT
        left = float(np.nextafter(budget.epsilon - part, 0.0))
        return cls(Budget(part), Budget(left, budget.delta))


def count_by_ones(bits: CodeArray) -> IntArray:
    """Return (m + 1,) how many of (n, m) records have so many ones. Internal."""
    return np.bincount(bits.sum(axis=1, dtype=np.int64), minlength=bits.shape[1] + 1)


def choose_most_ones(bits: CodeArray, most: int, budget: Budget, noise: Noise) -> int:
    """Return the least number with which nearly all ones count, by noisy counts.

    Args:
        bits: (n, m) of the records that may be looked at.
        most: it is never more than that.
        budget: what may be spent, all of it ε.
        noise: where the noise comes from.
    """
    allowance = Allowance(budget.epsilon, "epsilon")
    return sufficient_ones(allowance.table(count_by_ones(bits), noise), allowance.deviation, most)


def sufficient_ones(noisy: IntArray, deviation: float, most: int) -> int:
    """Return the least number, at least 1 and at most `most`, above which at most a hundredth of
    all ones lies, by (m + 1,) noisy counts of records with so many ones. `most` where the noise
    hides all."""
    ones = np.arange(len(noisy))
    held = np.where(noisy > _STRAYS * deviation, noisy, 0) * (ones > 0)
    total = int(held @ ones)
    if not total:
        return most
    over = (int(held @ np.maximum(0, ones - each)) for each in range(1, most))
    return next((each for each, lost in enumerate(over, 1) if lost <= _LOST * total), most)


MOST_FLAGS: Final = 255


def check_flags(schema: Schema, instead: str = "choose another proposer") -> None:
    """Check that every column has two values, and that there are not too many.

    Args:
        schema: of the records.
        instead: what else can be done.

    Raises:
        Refusal: one has not, or there are.
    """
    other = next((each for each in schema.columns if each.cardinality != 2), None)
    if other is not None:
        raise Refusal(
            f"The column “{other.name}” has {count(other.cardinality, 'value')}, missing ones "
            "counted, and a model of flags takes columns of two.",
            f"Leave the column out, make two groups of its values in the file, or {instead}.",
            field=other.name,
        )
    if len(schema) > MOST_FLAGS:
        raise Refusal(
            f"The schema has {len(schema):,} columns, and a model of flags takes {MOST_FLAGS}.",
            f"Leave some of them out, or {instead}.",
            field="columns",
        )


@dataclass(frozen=True)
class FlagMoments:
    """What is asked of the records, under one budget.

    Attributes:
        most: the ones that a record is counted with at most, c.
        allowance: what is spent, in its currency.
    """

    most: int
    allowance: Allowance

    @classmethod
    def within(cls, columns: int, most: int, budget: Budget) -> FlagMoments:
        """Return the question that spends at most `budget`; no record has more ones than
        columns."""
        most = min(most, columns)
        return cls(most, Allowance.of(budget, entries(most)))

    def measure(self, bits: CodeArray, noise: Noise, source: RandomSource) -> SecondMoments:
        """Return mean and covariance of (n, m) bits, a one being `S`.

        Args:
            bits: of the records that may be looked at.
            noise: where the noise comes from.
            source: by which ones above the most are left out.
        """
        return SecondMoments.of(self._noisy(bits, noise, source), np.ones(bits.shape[1]))

    def measure_with_error(
        self, bits: CodeArray, noise: Noise, source: RandomSource
    ) -> NoisyMoments:
        """Return the same as they were measured, with how much noise is in them."""
        many = entries(self.most)
        deviation = self.allowance.deviation_of(S**2 * many, S**2 * math.sqrt(many))
        return NoisyMoments.of(self._noisy(bits, noise, source), bits.shape[1], deviation)

    def _noisy(self, bits: CodeArray, noise: Noise, source: RandomSource) -> IntArray:
        kept = thin_bits(bits, self.most, source).astype(np.int16) * np.int16(S)
        return measure_sums(kept, self.allowance, noise, self.most)
