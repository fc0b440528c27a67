"""What rides along with the coordinates: categories, and whether a number is missing.

Each is kept, or drawn afresh from noisy counts, by a coin of its own: the model of `Redrawn` over
these attributes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import integer_weights
from understudy.models.latent.standardised import Standardised
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise
from understudy.table.schema import Schema

_PRIOR = 1.0
"""The weight of every value alike, in records, over an attribute."""


@dataclass(frozen=True)
class Riding:
    """Which columns ride along.

    Attributes:
        whole: columns without numbers, by index in the schema, with all their values.
        missing: columns of numbers that may be missing; 1 says that one is.
        sizes: how many values each has, those of `whole` first.
        numbers: the columns of numbers.
    """

    whole: tuple[int, ...]
    missing: tuple[int, ...]
    sizes: tuple[int, ...]
    numbers: Standardised

    @classmethod
    def of(cls, schema: Schema, numbers: Standardised) -> Riding:
        """Return those of a schema, beside its columns of numbers."""
        whole = tuple(each for each in range(len(schema)) if each not in numbers.places)
        missing = tuple(
            each for each in numbers.places if schema.columns[each].missing_code is not None
        )
        sizes = [int(schema.cardinalities[each]) for each in whole] + [2] * len(missing)
        return cls(whole, missing, tuple(sizes), numbers)

    def __len__(self) -> int:
        return len(self.sizes)

    def codes(self, codes: CodeArray) -> CodeArray:
        """(n, r) the values that ride along, of (n, m) codes in schema order."""
        gone = ~self.numbers.present(codes)
        at = [self.numbers.places.index(each) for each in self.missing]
        return np.column_stack([codes[:, self.whole], gone[:, at].astype(np.uint16)])

    def measure(self, codes: CodeArray, allowance: Allowance, noise: Noise) -> tuple[IntArray, ...]:
        """Return the share of every value of each, out of 2^48, from counts with noise on every
        one.

        Args:
            codes: (n, m) in schema order.
            allowance: what is spent on all of them, divided evenly.
            noise: where the noise comes from.
        """
        found, held = [], self.codes(codes)
        for place, size in enumerate(self.sizes):
            counts = np.bincount(held[:, place], minlength=size).astype(np.int64)
            noisy = np.maximum(0, allowance.part(1 / len(self)).table(counts, noise))
            found.append(integer_weights((noisy + _PRIOR / size)[None])[0])
        return tuple(found)

    def present(self, shares: tuple[IntArray, ...]) -> FloatArray:
        """(c,) which share of each column of numbers is there, by these shares."""
        found = dict.fromkeys(self.numbers.places, 1.0)
        for place, each in zip(self.missing, shares[len(self.whole) :], strict=True):
            found[place] = float(each[0]) / float(each.sum())
        return np.array(list(found.values()))

    def model(self, shares: tuple[IntArray, ...], redrawn: float) -> Redrawn | None:
        """Return the model that keeps or redraws them; None where none rides along."""
        return Redrawn.of_weights(shares, redrawn) if shares else None
