"""An (ε, δ) is one value, never two loose floats."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from understudy.core.refusal import Refusal
from understudy.core.rounding import upwards

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
        return f"ε = {upwards(self.epsilon)}, δ = {upwards(self.delta)}"

    def stated(self) -> dict[str, float | None]:
        """ε and δ as they stand in files; null where nothing is promised."""
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
