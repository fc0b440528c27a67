"""Columns of two values as bits, and how often each is 1 alone and with another, with noise.

A record is the vector v = (1, x_1, …, x_m), and what is counted is the sum over the records of
every v_i·v_j, i ≤ j. A record has at most c ones, c public: of one that has more, c are kept by
chance, whatever other records there are. One record more or less then moves (c + 1)(c + 2)/2 of the
sums by 1 at most, and no other: that is their sensitivity in L1, and its root in L2, attained by
every record of c ones. Symmetric noise on second moments is that of Dwork, Talwar, Thakurta and
Zhang (2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.core.numerals import count
from engine.core.refusal import Refusal
from engine.models.latent.features import thinned
from engine.models.latent.second_moments import Moments
from engine.models.latent.standardised import S
from engine.privacy.accounting.allowance import Allowance
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.schema import Schema

MOST_FLAGS: Final = 255
_BLOCK: Final = 1 << 14

Codes = npt.NDArray[np.uint16]
Whole = npt.NDArray[np.int64]


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


def sums(bits: Codes) -> Whole:
    """((m + 1)(m + 2)/2,) the sums of v_i·v_j, the upper triangle row by row. Internal."""
    many = bits.shape[1] + 1
    found = np.zeros((many, many), dtype=np.int64)
    for start in range(0, len(bits), _BLOCK):
        block = bits[start : start + _BLOCK]
        v = np.column_stack([np.ones(len(block)), block])
        found += (v.T @ v).astype(np.int64)
    return found[np.triu_indices(many)]


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
        """The question that spends at most `budget`; no record has more ones than columns."""
        most = min(most, columns)
        return cls(most, Allowance.of(budget, _moved(most)))

    def measure(self, bits: Codes, noise: Noise, source: RandomSource) -> Moments:
        """Mean and covariance of (n, m) bits, a one being `S`.

        Args:
            bits: of the records that may be looked at.
            noise: where the noise comes from.
            source: by which ones above the most are left out.
        """
        moved = _moved(self.most)
        exact = sums(thinned(bits, self.most, source))
        noisy = self.allowance.vector(exact, moved, float(np.sqrt(moved)), noise)
        return Moments.of(noisy * S**2, np.ones(bits.shape[1]))


def _moved(ones: int) -> int:
    return (ones + 1) * (ones + 2) // 2
