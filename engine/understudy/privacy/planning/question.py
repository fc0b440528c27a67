"""The input of the planner: a budget, and what is wanted for it; with each single change that
would make a plan fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Final, Literal

from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.privacy.accounting import accountant
from understudy.privacy.accounting.account import Protocol, unit_name, units_in_words
from understudy.privacy.accounting.accountant import MOST_UNITS
from understudy.privacy.accounting.unit import Unit, unit_of
from understudy.privacy.budget import Budget
from understudy.privacy.planning.search import (
    FoundTest,
    least_seeds,
    most_units_at,
    reachable_delta,
    reachable_epsilon,
    smallest_k_for,
)
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
        accountant.check_delta(self.delta)
        accountant.check_count(self.count, self.protocol)
        accountant.check_seeds(self.delta, self.seeds_at_least)
        accountant.check_floor(self.pass_floor, self.protocol)
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

    def find_smallest_k(self) -> FoundTest:
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


# Remedies for a plan that does not fit: each single change that would make it fit.

Change = Literal["count", "epsilon", "delta", "seeds_at_least", "kind", "k"]

# A δ above this share of 1/n, or above this where n is unknown, is never advised.
_SAFE_PART = 0.01
_SAFE = 1e-6
_MOST_SEEDS = 10**10
# Precision of the search, relative, and what covers it.
_ROUGHLY = 1e-6
_ABOVE = 1 + 1e-5


@dataclass(frozen=True)
class Remedy:
    """One change that is enough by itself.

    Attributes:
        change: the field of the question, or “k” where one was given.
        value: what to put there.
        said: the change as part of a sentence.
    """

    change: Change
    value: float | int | str
    said: str


SEEDLESS: Final = "a seedless plan, whose attempts cost nothing"
"""The last way out, of seedbased synthesis."""


def remedies(question: Question, k: int, *, given: bool = False) -> tuple[Remedy, ...]:
    """Return the changes that make a question fit that does not.

    Args:
        question: one that k does not fit.
        k: the largest k allowed.
        given: whether that k was asked for, so that another may be.
    """
    if k < 2:
        # With a single certain seed no k is possible, whatever else is changed.
        more = _more_seeds(question)
        return () if more is None else (more,)
    found = [
        _larger_k(question, k) if given else None,
        _fewer(question, k),
        _larger_epsilon(question, k),
        _larger_delta(question, k),
        None if given else _more_seeds(question),
        _other_test(question, k),
    ]
    return tuple(each for each in found if each is not None)


def advice(found: Iterable[Remedy]) -> str:
    """Return a sentence that names the changes, any one of which is enough."""
    ways = [each.said for each in found]
    ways.append(SEEDLESS)
    return f"Any one of these is enough: {'; '.join(ways)}."


def _larger_k(question: Question, k: int) -> Remedy | None:
    needed = question.find_smallest_k().k
    if not k < needed <= question.largest_k:
        return None
    return Remedy("k", int(needed), f"k of {int(needed):,} or more")


def _fewer(question: Question, k: int) -> Remedy | None:
    most = most_units_at(question.unit, question.target, k, MOST_UNITS, percent=5)
    count = most // _step(most) * _step(most)
    if not 0 < count < question.count:
        return None
    return Remedy("count", count, f"no more than {replace(question, count=count).counted}")


def _larger_epsilon(question: Question, k: int) -> Remedy | None:
    least = reachable_epsilon(
        question.unit, question.count, question.delta, k, LARGEST_EPSILON / 1.1, _ROUGHLY
    )
    if least is None or least <= question.epsilon:
        return None
    epsilon = round_up(least * _ABOVE, 3)
    return Remedy("epsilon", _number(epsilon), f"ε of {epsilon} or more")


def _larger_delta(question: Question, k: int) -> Remedy | None:
    seeds = question.seeds_at_least
    limit = _SAFE if seeds is None else _SAFE_PART / seeds
    least = reachable_delta(question.unit, question.count, question.epsilon, k, limit)
    if least is None or least <= question.delta:
        return None
    return larger_delta(least)


def larger_delta(least: float) -> Remedy:
    """Return the remedy of a larger δ, rounded up to few digits."""
    delta = round_up(least, 2)
    return Remedy("delta", _number(delta), f"δ of {delta} or more")


def _more_seeds(question: Question) -> Remedy | None:
    most = min(_MOST_SEEDS, int(_SAFE_PART / question.delta))
    least = least_seeds(question.unit, question.count, question.target, most)
    if least is None:
        return None
    seeds = -(-least // _step(least)) * _step(least)
    return Remedy("seeds_at_least", seeds, f"a table with {seeds:,} seeds for certain")


def _other_test(question: Question, k: int) -> Remedy | None:
    """Relative sensitivity, for plausible deniability where likelihoods differ."""
    if question.kind == "relative-sensitivity" or question.equal_likelihood:
        return None
    other = replace(question, kind="relative-sensitivity")
    if other.find_smallest_k().k > min(k, LARGEST_K):
        return None
    return Remedy("kind", other.kind, "the relative-sensitivity test")


def _step(number: int) -> int:
    """Return the unit of the second significant digit."""
    return int(10 ** max(0, len(str(number)) - 2))


def _number(said: str) -> float:
    return float(said.replace(",", ""))
