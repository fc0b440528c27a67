"""A plan for what may be spent: the test is searched for, not chosen."""

from __future__ import annotations

import math

from engine.privacy.budget import Budget
from engine.privacy.planning.planner import smallest_k
from engine.privacy.planning.question import LARGEST_EPSILON, Question
from engine.privacy.plausibility.deniability import PlausibleDeniability
from engine.privacy.plausibility.privacy_test import USUAL_GAMMA, PrivacyTest
from engine.refusal import Refusal
from engine.synthesis.plan import Plan
from engine.synthesis.promise import promise, seed_share
from engine.table.schema import Schema

# The δ for one record that a promise settles on may be smaller by less than this.
_CLOSE = 1 - 1e-6
_ROUNDS = 20
# Three times a third may come out above the whole.
_LAST_PLACE = 1 + 1e-12


def within(plan: Plan, schema: Schema, epsilon: float) -> Plan:
    """The plan with the smallest k that promises no more than this total ε, at the plan's own δ.

    k, ε0 and t are found anew. The model's ε is lowered to what one record may cost, where it is
    above that; a model learned without noise stays one, and nothing is promised.

    Args:
        plan: of its test only the kind and γ are looked at.
        schema: what it was made for.
        epsilon: of the whole release, for all the records of one person, amplified where
            sampling is claimed.

    Raises:
        Refusal: the plan does not fit the schema, or no test fits; its remedy says what would.
    """
    plan.check(schema)
    _check(epsilon)
    aim = epsilon
    for _ in range(_ROUNDS):
        planned = _aimed(plan, schema, aim)
        total = promise(planned, schema).total
        if not total.bounded or total.epsilon <= epsilon * _LAST_PLACE:
            return planned
        # The δ that a promise settles on for one record may lie under the one aimed at, and its
        # ε above.
        aim *= _CLOSE * epsilon / total.epsilon
    raise Refusal(
        f"No test was found that keeps the total within ε = {epsilon:g}.",
        "Choose a slightly larger ε, or fewer records per person.",
        field="target_epsilon",
    )


def _aimed(plan: Plan, schema: Schema, epsilon: float) -> Plan:
    each = _for_record(plan, epsilon)
    model = plan.model
    if model.epsilon is not None and model.epsilon > each.epsilon:
        model = type(model)(kind=model.kind, epsilon=each.epsilon, estimate=model.estimate)
    count = plan.seed_attempts(schema)
    if count == 0:
        return plan.changed(schema, model=model)
    question = Question(
        epsilon=each.epsilon,
        delta=seed_share(plan) * each.delta,
        count=count,
        kind=plan.test.kind,
        gamma=plan.test.gamma if isinstance(plan.test, PlausibleDeniability) else USUAL_GAMMA,
        protocol=plan.protocol,
        seeds_at_least=plan.seeds_at_least,
        pass_floor=plan.pass_floor,
        equal_likelihood=plan.omega.per_attempt,
    )
    return plan.changed(schema, test=_searched(question), t=None, model=model)


def _searched(question: Question) -> PrivacyTest:
    try:
        return smallest_k(question).test
    except Refusal as refusal:
        if refusal.field != "epsilon":
            raise
        raise Refusal(refusal.problem, refusal.remedy, field="target_epsilon") from None


def _check(epsilon: float) -> None:
    if not 0 < epsilon <= LARGEST_EPSILON:
        raise Refusal(
            f"The ε to stay within has to lie above 0 and be at most {LARGEST_EPSILON:,.0f}.",
            "Enter how much may be spent in all, such as 1.",
            field="target_epsilon",
        )


def _unamplified(epsilon: float, probability: float) -> float:
    """The ε that sampling lowers to this one: ln(1 + (e^ε − 1)/p), where nothing overflows."""
    rest = -math.expm1(-epsilon) * (1 - probability) / probability
    return epsilon + math.log1p(rest)


def _for_record(plan: Plan, epsilon: float) -> Budget:
    """What one record may cost for a person's total to stay within this ε and the plan's δ."""
    if plan.sampling is not None:
        epsilon = _unamplified(epsilon, plan.sampling)
    records = plan.records_per_person
    each = epsilon / records
    delta = plan.delta / records * math.exp(-(records - 1) * each)
    return Budget(each, delta if records == 1 else _CLOSE * delta)
