"""The guarantee of a plan, and the promise that attempts are made under.

Neighbours are tables that differ by one person with all of their days. A coin of their own makes
them one of the people whom the model is learned from, a seed with one weekday, or one who is held
out. So they pay for the model or for the attempts, and the larger of both is the total.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.mechanisms.plausible_traces.attempts import Decision
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.privacy import wording
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import approximate_dp, largest_rho, parallel
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope
from understudy.privacy.accounting.unit_counts import MISS_SHARE, records_needed
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.planning.planner import smallest_epsilon, smallest_k
from understudy.privacy.planning.question import SEEDLESS, Question
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.schema import Schema


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
    return _plan_account(plan.epsilon, delta, plan.attempts, seeds, plan.k)


@lru_cache(maxsize=256)
def _plan_account(
    epsilon: float, delta: float, attempts: int, seeds: int, k: int | None
) -> Account:
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


_COMPOSED: Final = (
    "the model and the attempts see different people, so the total is the larger of them"
)
_TEST: Final[Mapping[str, Any]] = {
    "kind": "relative-sensitivity",
    "name": "relative sensitivity",
    "source": "Definition 4.2 and Corollary 4.1 of Bindschaedler, “Privacy-preserving seedbased "
    "data synthesis”, 2018",
}


def guarantee(plan: PlausiblePlan, schema: Schema) -> Guarantee:
    """Return what a plan promises.

    Raises:
        Refusal: the plan does not fit the schema, or its parts cannot keep to its ε and δ.
    """
    plan.check(schema)
    made = promise(plan)
    unit = made.seeds.unit
    assert unit is not None
    native = {"N": plan.attempts, "k": made.test.k, "ε₀": unit.epsilon0, "t": made.seeds.t or 0}
    return Guarantee(
        record=made.total,
        scope=_scope(plan, made),
        statement=wording.promise_sentence(made.total, None, Neighbours.TABLES),
        neighbours=Neighbours.TABLES,
        whole_people=True,
        protocol="attempts",
        count=plan.attempts,
        reads_records=True,
        parts=(
            Part("attempts", made.attempts, native),
            Part("model", made.learning, {"rho": made.rho}),
        ),
        people_at_least=made.people_needed,
        particulars={"parts": _state_figures(plan, made)},
        test=_TEST,
        account=made,
    )


def _state_figures(plan: PlausiblePlan, made: Promise) -> Mapping[str, Any]:
    each, test = made.seeds.attempt, made.test
    return {
        "attempts": {
            "attempts": plan.attempts,
            "k": test.k,
            "epsilon0": test.epsilon0,
            "t": made.seeds.t,
            "pass_cap": made.seeds.pass_cap,
            "seeds_at_least": made.seeds.seeds_at_least,
            "one_attempt": each.as_dict(),
            **made.attempts.as_dict(),
        },
        "model": {"rho": made.rho, **made.learning.as_dict()},
        "composed": _COMPOSED,
    }


def _scope(plan: PlausiblePlan, made: Promise) -> Scope:
    return Scope(
        protects=f"Each person, with all of their days: {DEPENDS[strength(made.total)]} whether "
        "they are in the table.",
        covers="Everything that is released: the model and all attempts, those from which no day "
        "came out included.",
        reader_sees=(
            "The made days, and which attempt each came from; so which attempts made none.",
            f"How many attempts were made, {plan.attempts:,}.",
            "The model: the noisy tables that days are drawn from.",
            "The settings, with the map.",
        ),
        assumes=(
            "The map, the hours, the patterns and what counts as a place are public knowledge and "
            "were not chosen by looking at where people are.",
            f"The table has at least {made.people_needed:,} people, whoever is taken out: public "
            "knowledge, as the custodian confirmed before the run.",
            "Nobody has days under two names.",
        ),
        not_covered=(
            "Choices the custodian made by looking at these days.",
            "Other releases about the same people: their ε and δ add up.",
            "What is true of many people together, such as how most of them spend a day: that is "
            "what the release is for.",
            "How long the run took, and the times of its files.",
        ),
        formulas=_formulas(plan, made),
    )


def _formulas(plan: PlausiblePlan, made: Promise) -> tuple[Mapping[str, str], ...]:
    figures, test = made.seeds, made.test
    return (
        {
            "of": "one attempt, for one seed",
            "text": f"ε0 + ln(1 + 1/t) = {round_up(figures.attempt.epsilon, 4)} and "
            f"e^(−ε0(k − t)) / ((1 + e^−ε0)(n + 1)) = {round_up(figures.attempt.delta, 4)} "
            f"with k = {test.k:,}, ε0 = {test.epsilon0:g}, t = {figures.t:,}, "
            f"n = {figures.seeds_at_least:,}; passing candidates are turned away with probability "
            f"ρ = {round_up(figures.pass_cap or 0.0, 4)}, so that rejections may be seen",
        },
        {
            "of": f"{plan.attempts:,} attempts, for one person who is a seed",
            "text": f"ε = {round_up(made.attempts.epsilon, 4)} at "
            f"δ = {round_up(made.attempts.delta, 4)} (Kairouz, Oh and Viswanath 2015)",
        },
        {
            "of": "the model, for one person whom it is learned from",
            "text": f"ρ = {round_up(made.rho, 4)}, from which "
            f"ε = {round_up(made.learning.epsilon, 4)} at δ = {plan.delta:g} (Canonne, Kamath "
            "and Steinke 2020, Proposition 12)",
        },
        {"of": "the whole release, for one person", "text": _COMPOSED},
    )
