"""Splitting records into parts, each record by its own coin.

A part of fixed size, or chosen by position, would depend on other records. With independent coins
the parts are disjoint, and parallel composition applies to learning and synthesis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
from pydantic import Field, model_validator

from understudy.core.arrays import ByteArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

_WORDS = 1 << 64
SEEDS, STRUCTURE, PARAMETERS, HELD_OUT = range(4)
"""The numbers of the parts."""

PARTS = 4
_TOLERANCE = 1e-9
_AT_ONCE = 1 << 20


class Shares(Frozen, what="the shares"):
    """The probability with which a record goes to each part. They sum to 1.

    Attributes:
        seeds: records that candidates are made from and tested against; 0 where nothing is kept.
        structure: records the dependency structure is learned from. The calibrated model is learned
            from these and the next together.
        parameters: records the conditional probabilities are learned from.
        held_out: records used to compare with; may be 0.

    Raises:
        Refusal: one is below zero, or they do not sum to 1.
    """

    seeds: float = Field(default=0.3, ge=0, le=1, allow_inf_nan=False)
    structure: float = Field(default=0.3, ge=0, le=1, allow_inf_nan=False)
    parameters: float = Field(default=0.3, ge=0, le=1, allow_inf_nan=False)
    held_out: float = Field(default=0.1, ge=0, le=1, allow_inf_nan=False)

    @model_validator(mode="after")
    def _sum_to_one(self) -> Shares:
        if abs(math.fsum(self.each) - 1) > _TOLERANCE:
            raise Refusal(
                "The shares of seeds, structure, parameters and held-out records do not sum to 1.",
                "Change one of them, such as 0.3, 0.3, 0.3 and 0.1.",
                field="shares",
            )
        return self

    @property
    def each(self) -> tuple[float, float, float, float]:
        """The four shares in the order of the attributes."""
        return self.seeds, self.structure, self.parameters, self.held_out

    @property
    def chances(self) -> Shares:
        """The same as `assign_parts` deals by them: what shares lack to a sum of 1, or exceed it
        by, is the last part's."""
        last = max(number for number, share in enumerate(self.each) if share > 0)
        each = list(self.each)
        each[last] = max(0.0, 1 - math.fsum((*each[:last], *each[last + 1 :])))
        return Shares(**dict(zip(type(self).model_fields, each, strict=True)))


@dataclass(frozen=True, eq=False)
class Split:
    """The four disjoint parts of a table; see `Shares`. A part may be empty."""

    seeds: Records
    structure: Records
    parameters: Records
    held_out: Records

    @classmethod
    def of(cls, records: Records, parts: ByteArray) -> Split:
        """Return the split in which each record is in the part that `assign` gave it."""
        return cls(*(records.take(np.flatnonzero(parts == number)) for number in range(PARTS)))


def assign_parts(count: int, shares: Shares, source: RandomSource) -> ByteArray:
    """Assign every record to one part by an independent coin.

    Args:
        count: how many records there are.
        shares: probability of each part.
        source: where the coins come from, one 64-bit word per record.

    Returns:
        (count,) the number of each record's part, in the order of `Shares`. Internal.
    """
    used = [part for part, share in enumerate(shares.each) if share > 0]
    ends = accumulate(Fraction(shares.each[part]) for part in used[:-1])
    bounds = np.array([min(int(end * _WORDS), _WORDS - 1) for end in ends], dtype=np.uint64)
    numbers, parts = np.array(used, dtype=np.uint8), np.empty(count, dtype=np.uint8)
    for start in range(0, count, _AT_ONCE):
        turn = parts[start : start + _AT_ONCE]
        turn[:] = numbers[np.searchsorted(bounds, source.words(len(turn)), "right")]
    return parts


def split(records: Records, shares: Shares, source: RandomSource) -> Split:
    """Assign every record of a table to one part, as `assign` does."""
    return Split.of(records, assign_parts(len(records), shares, source))
