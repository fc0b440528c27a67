"""Columns of two values as bits, and how often each is 1 alone and with another, with noise.

Of a record that has more than c ones, c public, c are kept by chance, whatever other records there
are; `second_moments` says what one record then moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, IntArray
from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.models.latent.features import thinned
from understudy.models.latent.noisy_moments import NoisyMoments
from understudy.models.latent.second_moments import Moments, entries, measure
from understudy.models.latent.standardised import S
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

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

    def measure(self, bits: CodeArray, noise: Noise, source: RandomSource) -> Moments:
        """Mean and covariance of (n, m) bits, a one being `S`.

        Args:
            bits: of the records that may be looked at.
            noise: where the noise comes from.
            source: by which ones above the most are left out.
        """
        return Moments.of(self._noisy(bits, noise, source), np.ones(bits.shape[1]))

    def answered(self, bits: CodeArray, noise: Noise, source: RandomSource) -> NoisyMoments:
        """Return the same as they were measured, with how much noise is in them."""
        many = entries(self.most)
        deviation = self.allowance.deviation_of(S**2 * many, S**2 * math.sqrt(many))
        return NoisyMoments.of(self._noisy(bits, noise, source), bits.shape[1], deviation)

    def _noisy(self, bits: CodeArray, noise: Noise, source: RandomSource) -> IntArray:
        kept = thinned(bits, self.most, source).astype(np.int16) * np.int16(S)
        return measure(kept, self.allowance, noise, self.most)
