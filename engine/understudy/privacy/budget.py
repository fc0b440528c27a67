"""Budgets: an (ε, δ) is one value, never two loose floats; and the neighbours that it holds
between.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal

EPSILON_IN_SHORT: Final = (
    "How much any one person’s records can show. The probability of any conclusion drawn from the "
    "release is at most e^ε times what it would be without them, plus δ. 0 shows nothing."
)
"""What ε is."""

DELTA_IN_SHORT: Final = (
    "What is added: the probability of any conclusion is at most e^ε times what it would be "
    "without any one person’s records, plus δ. It has to lie far below one in the number of "
    "records."
)
"""What δ is."""

DELTA: Final = (
    f"{DELTA_IN_SHORT} A release that gives whole records away now and then keeps to a larger one. "
    "How likely it is that a release shows more than ε by itself allows is another figure, and can "
    "be many times δ; it is stated with the beliefs."
)
"""The same, with why, and what it is not."""


@dataclass(frozen=True, order=False)
class Budget:
    """An (ε, δ) of differential privacy under add/remove of one record (Definition 2.1).

    Both numbers are finite for a real guarantee; `Budget.unbounded()` stands for "nothing is
    promised", so that a comparison between a private and a non-private part stays total.

    Raises:
        Refusal: ε or δ is negative or not a number, or δ exceeds 1.
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if math.isnan(self.epsilon) or self.epsilon < 0:
            raise Refusal(
                "ε has to be a number of zero or more.", "Enter a positive ε.", field="epsilon"
            )
        if not 0 <= self.delta <= 1:
            raise Refusal(
                "δ has to lie between 0 and 1.", "Enter a small δ such as 1e-9.", field="delta"
            )

    @classmethod
    def unbounded(cls) -> Budget:
        """No promise at all: ε = ∞, δ = 1."""
        return cls(math.inf, 1.0)

    @property
    def bounded(self) -> bool:
        """Whether anything is promised."""
        return math.isfinite(self.epsilon) and self.delta < 1

    def in_signs(self) -> str:
        """Return it as “ε = …, δ = …”, rounded upwards so that nothing is overstated."""
        if not self.bounded:
            return "nothing is promised"
        return f"ε = {round_up(self.epsilon)}, δ = {round_up(self.delta)}"

    def as_dict(self) -> dict[str, float | None]:
        """Return ε and δ as they stand in files; null where nothing is promised."""
        if not self.bounded:
            return {"epsilon": None, "delta": None}
        return {"epsilon": self.epsilon, "delta": self.delta}

    def __add__(self, other: Budget) -> Budget:
        """Sequential composition (Theorem 2.1)."""
        return Budget(self.epsilon + other.epsilon, min(1.0, self.delta + other.delta))

    def __mul__(self, times: int) -> Budget:
        """Sequential composition of `times` equal parts; none of them costs nothing."""
        if times == 0:
            return Budget(0.0)
        return Budget(self.epsilon * times, min(1.0, self.delta * times))

    def __or__(self, other: Budget) -> Budget:
        """Parallel composition: parts computed from disjoint records."""
        return Budget(max(self.epsilon, other.epsilon), max(self.delta, other.delta))


# Between which neighbours a figure holds.
#
# An (ε, δ) says how well two inputs are told apart, and nothing about others. *Tables* differ by
# the records of one person: what is asked of somebody's being in the table, or of what stands in it
# of them, is answered by that figure alone. *Replacements* are tables of one number of records,
# which is public, that differ in what the records of one person say: nothing is said of whether
# somebody is in the table. *Populations* differ by one member, of whom the table may have taken in
# the records or not, each member independently with a chance that nobody saw fall out: the figure
# is smaller, and speaks only of whether somebody is a member at all, to those who do not know whom
# the table took in. Whoever knows that, the person themself included, reads the figure of tables.


class Neighbours(StrEnum):
    """What differs between the two inputs that a figure is about."""

    TABLES = "tables"
    REPLACEMENTS = "replacements"
    POPULATIONS = "populations"

    def describe_inputs(self, records_per_person: int | None) -> str:
        """Return the two, in words.

        Args:
            records_per_person: the most records of one person; None for any number.
        """
        if self is Neighbours.POPULATIONS:
            return "populations that differ by one member, added or removed"
        how = "added or removed" if self is Neighbours.TABLES else "replaced by others"
        of = _by(records_per_person)
        if self is Neighbours.REPLACEMENTS:
            return f"tables of the same number of records that {of}, {how}"
        return f"tables that {of}, {how}"


def _by(records_per_person: int | None) -> str:
    if records_per_person is None:
        return "differ by one person, with all of their records"
    if records_per_person == 1:
        return "differ by one record"
    return f"differ by the records of one person, up to {records_per_person:,} of them"
