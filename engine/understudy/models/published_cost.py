"""What noise costs by the formula it was published with, as printed and with its count corrected.

The formula composes one query an entropy. The publication prints m(m + 1) of them for m attributes,
and its procedure asks for more: see `understudy.models.bayesnet.entropy.published_count`.
"""

from __future__ import annotations

from dataclasses import dataclass

from understudy.core.rounding import upwards
from understudy.privacy.budget import Budget


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
        """The figures, as what something costs; the one as printed where the count differs."""
        cost = _figures(self.corrected)
        if self.queries == self.queries_printed:
            return cost
        return (
            f"{cost}, with its count of entropies corrected from {self.queries_printed:,} to "
            f"{self.queries:,}; as printed, ε = {upwards(self.printed.epsilon)}"
        )


def _figures(budget: Budget) -> str:
    return f"ε = {upwards(budget.epsilon)}, δ = {upwards(budget.delta)}"
