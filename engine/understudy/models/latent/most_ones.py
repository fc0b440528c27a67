"""With how many ones a record is to count, chosen by a noisy count of records by their ones.

A record lies in one cell of that histogram, so one record more or less moves one count by 1, and
Laplace noise of scale 1/ε on each makes it ε-differentially private. What is chosen of it is
post-processing, and the moments that are asked afterwards have a sensitivity by what was chosen: ε
adds up, as of any two questions of which the second depends on the first one's answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, IntArray
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise

SPENT: Final = 16
"""The count gets one part in so many of ε."""
_LOST: Final = 0.01
"""The share of all ones that may be left out."""
_STRAYS: Final = 2.5
"""Counts within so many deviations of the noise count as none."""


@dataclass(frozen=True)
class Divided:
    """What the count may cost, and what is left.

    Attributes:
        count: ε alone.
        rest: of all the other questions.
    """

    count: Budget
    rest: Budget

    @classmethod
    def of(cls, budget: Budget) -> Divided:
        """Return the parts of a budget, which together are no more than it."""
        part = budget.epsilon / SPENT
        left = float(np.nextafter(budget.epsilon - part, 0.0))
        return cls(Budget(part), Budget(left, budget.delta))


def counted(bits: CodeArray) -> IntArray:
    """(m + 1,) how many of (n, m) records have so many ones. Internal."""
    return np.bincount(bits.sum(axis=1, dtype=np.int64), minlength=bits.shape[1] + 1)


def measured(bits: CodeArray, most: int, budget: Budget, noise: Noise) -> int:
    """Return the least number with which nearly all ones count, by noisy counts.

    Args:
        bits: (n, m) of the records that may be looked at.
        most: it is never more than that.
        budget: what may be spent, all of it ε.
        noise: where the noise comes from.
    """
    allowance = Allowance(budget.epsilon, "epsilon")
    return enough(allowance.table(counted(bits), noise), allowance.deviation, most)


def enough(noisy: IntArray, deviation: float, most: int) -> int:
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
