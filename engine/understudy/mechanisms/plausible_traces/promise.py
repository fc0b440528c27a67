"""The figures of a plan: what the attempts and the model cost one person, and the test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from understudy.core.refusal import Refusal
from understudy.mechanisms.plausible_traces.attempts import Decision
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import approximate_dp, largest_rho, parallel
from understudy.privacy.accounting.unit_counts import MISS_SHARE, records_needed
from understudy.privacy.budget import Budget
from understudy.privacy.planning.planner import smallest_epsilon, smallest_k
from understudy.privacy.planning.question import SEEDLESS, Question
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity


@dataclass(frozen=True)
class Promise:
    """What a plan comes to, for one person with all of their days.

    Attributes:
        seeds: the account of the attempts.
        attempts: what they cost, with what is set aside for fewer seeds than are counted on.
        rho: of the model, for ρ-zCDP.
        learning: what that costs.
        people_needed: how many people must publicly be known to be in the table.
    """

    seeds: Account
    attempts: Budget
    rho: float
    learning: Budget
    people_needed: int

    @property
    def total(self) -> Budget:
        """The larger of both: everybody is in one part at most, by a coin of their own."""
        return parallel(self.learning, self.attempts)

    @property
    def test(self) -> RelativeSensitivity:
        """The privacy test."""
        test = self.seeds.test
        assert isinstance(test, RelativeSensitivity)
        return test

    @property
    def decision(self) -> Decision:
        """The test and its pass cap."""
        return Decision(self.test, self.seeds.pass_cap or 0.0)


def promise(plan: PlausiblePlan) -> Promise:
    """Return the figures of a plan.

    Raises:
        Refusal: nothing of the kind can be promised; the remedy says what could.
    """
    aside = MISS_SHARE * plan.delta
    seeds = _account(plan, plan.certain_seeds, plan.delta - aside)
    paid = seeds.total + Budget(0.0, aside)
    rho = largest_rho(Budget(plan.learns_at, plan.delta))
    return Promise(
        seeds=seeds,
        # The sum stays within δ except for its last place.
        attempts=Budget(paid.epsilon, min(plan.delta, paid.delta)),
        rho=rho,
        learning=approximate_dp(rho, plan.delta),
        people_needed=records_needed(plan.certain_seeds, plan.seeds, aside),
    )


def _account(plan: PlausiblePlan, seeds: int, delta: float) -> Account:
    if plan.k is not None and plan.epsilon0 is not None:
        test = RelativeSensitivity(k=plan.k, epsilon0=plan.epsilon0)
        return account(test, plan.attempts, delta, seeds_at_least=seeds, equal_likelihood=True)
    return _planned(plan.epsilon, delta, plan.attempts, seeds, plan.k)


@lru_cache(maxsize=256)
def _planned(epsilon: float, delta: float, attempts: int, seeds: int, k: int | None) -> Account:
    """Return the account of the smallest k, or of the smallest ε at a given one.

    Raises:
        Refusal: as of `promise`.
    """
    question = Question(
        epsilon=epsilon, delta=delta, count=attempts, seeds_at_least=seeds, equal_likelihood=True
    )
    try:
        return (smallest_k(question) if k is None else smallest_epsilon(question, k)).account
    except Refusal as refusal:
        remedy = refusal.remedy.replace(SEEDLESS, "made traces, which need no seeds")
        raise Refusal(refusal.problem, remedy, field=refusal.field) from None
