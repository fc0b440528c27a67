"""A plan for what may be spent: the test is searched for, not chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise, seed_share
from understudy.privacy.accounting.guarantee import group_privacy, record_delta
from understudy.privacy.budget import Budget
from understudy.privacy.planning.planner import Answer, smallest_epsilon, smallest_k
from understudy.privacy.planning.question import (
    LARGEST_EPSILON,
    Question,
    Remedy,
    advice,
    larger_delta,
    remedies,
)
from understudy.privacy.plausibility.privacy_test import USUAL_GAMMA, PlausibleDeniability
from understudy.table.schema import Schema

_ROUNDS = 20
# How far under what was overshot the next round aims.
_CLOSE = 1 - 1e-6
# Three times a third may come out above the whole.
_LAST_PLACE = 1 + 1e-12
_NEAR = 1.001


@dataclass(frozen=True)
class Found:
    """A plan that keeps to what may be spent.

    Attributes:
        plan: it.
        answer: what the planner says of its test; None where no attempt looks at a seed.
    """

    plan: Plan
    answer: Answer | None


def within(plan: Plan, schema: Schema, epsilon: float) -> Found:
    """Return the plan with the smallest k that promises no more than this total ε, at the plan's
    own δ.

    k, ε0 and t are found anew. The model's ε is lowered to what one record may cost, where it is
    above that; a model learned without noise stays one, and nothing is promised.

    Args:
        plan: of its test only the kind and γ are looked at.
        schema: what it was made for.
        epsilon: of the whole release, between tables that differ by all the records of one
            person, whether or not the table is a sample.

    Raises:
        Refusal: the plan does not fit the schema, or no test fits: `field` is "epsilon" then, and
            the remedy says what would.
    """
    plan.check(schema)
    check_epsilon(epsilon)
    aim = epsilon
    for _ in range(_ROUNDS):
        found = _aimed(plan, schema, aim)
        total = promise(found.plan, schema).total
        if not total.bounded or total.epsilon <= epsilon * _LAST_PLACE:
            return found
        # The δ that a promise settles on for one record may lie under the one aimed at, and its
        # ε above.
        aim *= _CLOSE * epsilon / total.epsilon
    raise Refusal(
        f"No test was found that keeps the total within ε = {epsilon:g}.",
        "Choose a slightly larger ε, or fewer records per person.",
        field="epsilon",
    )


def asked(plan: Plan, schema: Schema, epsilon: float) -> Question:
    """Return what the planner is asked, for a plan that looks at seeds: what one record may cost,
    less what is set aside of its δ."""
    each = for_record(plan, epsilon)
    return Question(
        epsilon=each.epsilon,
        delta=seed_share(plan) * each.delta,
        count=plan.seed_attempts(schema),
        kind=plan.test.kind,
        gamma=plan.test.gamma if isinstance(plan.test, PlausibleDeniability) else USUAL_GAMMA,
        protocol=plan.protocol,
        seeds_at_least=plan.seeds_at_least,
        pass_floor=plan.pass_floor,
        equal_likelihood=plan.omega.per_attempt,
    )


def ways_out(plan: Plan, schema: Schema, epsilon: float) -> tuple[Remedy, ...]:
    """Return the changes to a plan, or to the total ε, that make it fit where it does not: what the
    planner finds for one record and the test alone, put in terms of the whole."""
    question = asked(plan, schema, epsilon)
    found = remedies(question, question.largest_k)
    return tuple(way for each in found for way in _of_the_whole(plan, question, each))


def least_epsilon(plan: Plan, schema: Schema, most: float) -> float:
    """Return the smallest total ε, to a thousandth, at which some test fits a plan; 0 where no
    attempt looks at a seed, and infinity where none fits at this most.

    Raises:
        Refusal: a number of the plan is out of range.
    """
    if plan.seed_attempts(schema) == 0:
        return 0.0
    least = most
    # δ for one of several records of a person grows as ε shrinks, and ε comes down with that.
    for _ in range(_ROUNDS):
        question = asked(plan, schema, least)
        try:
            found = smallest_epsilon(question, question.largest_k).total.epsilon
        except Refusal as refusal:
            if refusal.field != "epsilon":
                raise
            return math.inf
        before, least = least, found * plan.records_per_person
        if least > most:
            return math.inf
        if before <= least * _NEAR:
            break
    return least


def check_epsilon(epsilon: float) -> None:
    """Check a total ε to stay within.

    Raises:
        Refusal: it is out of range.
    """
    if not 0 < epsilon <= LARGEST_EPSILON:
        raise Refusal(
            f"The ε to stay within has to lie above 0 and be at most {LARGEST_EPSILON:,.0f}.",
            "Enter how much may be spent in all, such as 1.",
            field="epsilon",
        )


def _aimed(plan: Plan, schema: Schema, epsilon: float) -> Found:
    each, model = for_record(plan, epsilon).epsilon, plan.model
    if model.epsilon is not None and model.epsilon > each:
        model = model.at(each)
    if plan.seed_attempts(schema) == 0:
        return Found(plan.changed(schema, model=model), None)
    question = asked(plan, schema, epsilon)
    try:
        answer = smallest_k(question)
    except Refusal as refusal:
        if refusal.field != "epsilon":
            raise
        remedy = advice(ways_out(plan, schema, epsilon))
        raise Refusal(refusal.problem, remedy, field="epsilon") from None
    return Found(plan.changed(schema, test=answer.test, t=None, model=model), answer)


def _of_the_whole(plan: Plan, question: Question, remedy: Remedy) -> Iterator[Remedy]:
    """Yield a remedy for one record and the test, as one for the plan; nothing where it is none."""
    match remedy.change:
        case "count":
            # Where only some attempts look at a seed, fewer of those is no number of attempts.
            if question.count == plan.attempts:
                yield remedy
        case "epsilon":
            # For several records per person, δ for one of them shrinks as ε grows.
            if plan.records_per_person == 1:
                yield remedy
        case "delta":
            record = Budget(question.epsilon, float(remedy.value) / seed_share(plan))
            person = group_privacy(record, plan.records_per_person)
            if person.bounded:
                yield larger_delta(person.delta)
        case _:
            yield remedy


def for_record(plan: Plan, epsilon: float) -> Budget:
    """Return what one record may cost for a person's total to stay within this ε and the plan's
    δ."""
    each = epsilon / plan.records_per_person
    delta = record_delta(lambda delta: Budget(each, delta), plan.records_per_person, plan.delta)
    return Budget(each, delta)
