"""The input of the planner: a budget, and what is wanted for it."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

from understudy.core.refusal import Refusal
from understudy.privacy.accounting import checks
from understudy.privacy.accounting.protocol import Protocol, unit_name, units_in_words
from understudy.privacy.accounting.unit import Unit, unit_of
from understudy.privacy.budget import Budget
from understudy.privacy.planning.search import Found, smallest_k_for
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind, privacy_test
from understudy.privacy.plausibility.threshold import LARGEST_K

LARGEST_EPSILON = 1000.0
"""The largest total ε that a plan is searched for."""


@dataclass(frozen=True)
class Question:
    """What a plan has to meet.

    Attributes:
        epsilon, delta: the target for the total, between tables that differ by one record.
        count: how many attempts, or records under the protocols that leave attempts aside.
        kind: the privacy test.
        gamma: γ of the plausible-deniability test.
        protocol: what a reader may see.
        seeds_at_least: a public lower bound on the number of seeds.
        pass_floor: under “releases”, a declared lower bound on the pass probability.
        equal_likelihood: all plausible seeds of a candidate are equally likely (ω fixed or
            announced).
    """

    epsilon: float
    delta: float
    count: int
    kind: TestKind = "relative-sensitivity"
    gamma: float = 4.0
    protocol: Protocol = "attempts"
    seeds_at_least: int | None = None
    pass_floor: float | None = None
    equal_likelihood: bool = False

    def check(self) -> None:
        """Check every number.

        Raises:
            Refusal: one is out of range; `field` is its name, “attempts” for the count.
        """
        number = isinstance(self.epsilon, Real) and not isinstance(self.epsilon, bool)
        if not number or not 0 < self.epsilon <= LARGEST_EPSILON:
            raise Refusal(
                f"ε has to be a number above 0 and at most {LARGEST_EPSILON:,.0f}.",
                "Enter how much may be spent in all, such as 1.",
                field="epsilon",
            )
        checks.check_delta(self.delta)
        checks.check_count(self.count, self.protocol)
        checks.check_seeds(self.delta, self.seeds_at_least)
        checks.check_floor(self.pass_floor, self.protocol)
        self.test(2, 1.0)

    @property
    def target(self) -> Budget:
        """The target as a budget."""
        return Budget(float(self.epsilon), float(self.delta))

    def test(self, k: int, epsilon0: float) -> PrivacyTest:
        """Return the chosen test with these parameters."""
        gamma = self.gamma if self.kind == "plausible-deniability" else None
        return privacy_test(self.kind, k, epsilon0, gamma)

    @property
    def unit(self) -> Unit:
        """A unit with placeholders for k and ε0."""
        unit = unit_of(
            self.test(2, 1.0), self.seeds_at_least, self.pass_floor, self.equal_likelihood
        )
        assert unit is not None
        return unit

    def found(self) -> Found:
        """Return the smallest k that meets the target."""
        return smallest_k_for(self.unit, int(self.count), self.target)

    @property
    def largest_k(self) -> int:
        """The largest k allowed: no more than there are certain seeds."""
        return min(LARGEST_K, self.seeds_at_least or LARGEST_K)

    @property
    def counts(self) -> str:
        """What is counted: “attempt”, or “record”."""
        return unit_name(self.protocol)

    @property
    def counted(self) -> str:
        """How many attempts, or records, in words."""
        return units_in_words(self.count, self.counts)
