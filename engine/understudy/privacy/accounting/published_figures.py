"""The figures that publications state, to stand beside a total: of one released record, of the
noise of a published model, and the rule of thumb for k.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from scipy.optimize import brentq

from understudy.core.numerals import round_up
from understudy.privacy.accounting.unit import Unit
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind
from understudy.privacy.plausibility.threshold import SMALLEST_EPSILON0

# The figures that publications state, to stand beside a total: of one released record, and of the
# noise of a published model.
#
# The theorem on one record, rejections left aside, is stated at the t that the δ of this one record
# asks for, which is the largest of those that meet it: ε falls with t. How many records a run
# makes, and which t its total is best at, does not matter to one record.
#
# The formula on the noise composes one query an entropy. The publication prints m(m + 1) of them
# for m attributes, and its procedure asks for more: see
# `understudy.models.bayesnet.structure.published_count`.

THEOREM: Final[Mapping[TestKind, str]] = {
    "plausible-deniability": "Theorem 1, VLDB 2017",
    "relative-sensitivity": "Corollary 4.1, Bindschaedler 2018",
}
"""Where the guarantee of one record was published, by the privacy test."""


@dataclass(frozen=True)
class PublishedRecord:
    """The published guarantee of one released record.

    Attributes:
        theorem: its name.
        t: at which it is stated.
        cost: the (ε, δ).
    """

    theorem: str
    t: int
    cost: Budget

    @property
    def name(self) -> str:
        """The theorem with its t, to stand beside the figure."""
        return f"{self.theorem}, at t = {self.t:,}"

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {"theorem": self.theorem, "t": self.t, **self.cost.as_dict()}


@dataclass(frozen=True)
class PublishedCost:
    """The cost of noise of the same spread by a published formula.

    Attributes:
        corrected: with as many queries as the procedure asks.
        printed: with as many as the publication prints.
        queries, queries_printed: how many those are.
    """

    corrected: Budget
    printed: Budget
    queries: int
    queries_printed: int

    @property
    def in_words(self) -> str:
        """The cost in words, with the printed one if the counts differ."""
        cost = _figures(self.corrected)
        if self.queries == self.queries_printed:
            return cost
        return (
            f"{cost}, with its count of entropies corrected from {self.queries_printed:,} to "
            f"{self.queries:,}; as printed, ε = {round_up(self.printed.epsilon)}"
        )


def published_record(test: PrivacyTest, delta: float) -> PublishedRecord | None:
    """Return what the theorem states of one record.

    Args:
        test: the privacy test.
        delta: the most that δ of this record may be.

    Returns:
        None where the test has no noise, or no t below k meets that δ.
    """
    if test.epsilon0 is None:
        return None
    unit = Unit(test.k, test.epsilon0, test.similarity, test.noise)
    # As many t meet it as stand before the first that does not.
    t = bisect_left(
        range(1, test.k), True, key=lambda each: unit.published_cost(each).delta > delta
    )
    return PublishedRecord(THEOREM[test.kind], t, unit.published_cost(t)) if t else None


def _figures(budget: Budget) -> str:
    return f"ε = {round_up(budget.epsilon)}, δ = {round_up(budget.delta)}"


# The published rule of thumb for parameters (dissertation §4.3, equation 4.6), for comparison.


def published_k(epsilon: float, delta: float, count: int, similarity: float) -> int | None:
    """Return k by the rule k = 2t with advanced composition, rejections ignored.

    With λ̃ = ln(1/δ) + ln(m + 1) and ε0 = λ̃/t, one record has ε_t = (λ̃ + g)/t; t is the
    smallest with ε_t·√(2mλ̃) + m·ε_t·(e^{ε_t} − 1) ≤ ε. None where its ε0 is smaller than a coin is
    built for.

    Args:
        epsilon, delta: the target for `count` records.
        similarity: g, as in `Unit`.
    """
    spread = math.log(1 / delta) + math.log(count + 1)

    def over(each: float) -> float:
        return each * math.sqrt(2 * count * spread) + count * each * math.expm1(each) - epsilon

    high = epsilon / math.sqrt(2 * count * spread)
    each = float(brentq(over, 0.0, high, xtol=high * 1e-14))
    t = math.ceil((spread + similarity) / each)
    return 2 * t if spread / t >= SMALLEST_EPSILON0 else None
