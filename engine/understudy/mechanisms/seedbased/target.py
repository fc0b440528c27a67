"""Plans that keep to a total ε: the test and the model's ε that it leaves, and what would fit where
nothing does.

The total is a mean over the parts that a record may be dealt to (`compose_dealt`), so seeds and
model may each cost those that are dealt to them more than the total.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from understudy.acceptance.measurement import price_test
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise, seed_share
from understudy.privacy.accounting.composition import compose_dealt, solve_dealt
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
from understudy.table.split import Shares

_SEARCH_ROUNDS = 20
# How far under what was overshot the next round aims.
_CLOSE = 1 - 1e-6
# Three times a third may come out above the whole.
_LAST_PLACE = 1 + 1e-12
_NEAR = 1.001


@dataclass(frozen=True)
class PlanWithin:
    """A plan that keeps to what may be spent.

    Attributes:
        plan: the plan itself.
        answer: what the planner says of its test; None where no attempt looks at a seed.
    """

    plan: Plan
    answer: Answer | None


def within(plan: Plan, schema: Schema, epsilon: float) -> PlanWithin:
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
    for _ in range(_SEARCH_ROUNDS):
        found = _aim_test(plan, schema, aim)
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


def ask_planner(plan: Plan, schema: Schema, epsilon: float) -> Question:
    """Return what the planner is asked, for a plan that looks at seeds: what they may cost a record
    that becomes one, less what is set aside of its δ."""
    each = _afford_seeds(plan, schema, epsilon)
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
    question = ask_planner(plan, schema, epsilon)
    found = remedies(question, question.largest_k)
    return tuple(way for each in found for way in _list_for_whole(plan, schema, question, each))


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
    for _ in range(_SEARCH_ROUNDS):
        question = ask_planner(plan, schema, least)
        try:
            found = smallest_epsilon(question, question.largest_k).total.epsilon
        except Refusal as refusal:
            if refusal.field != "epsilon":
                raise
            return math.inf
        before, least = least, _total_epsilon(plan, schema, found) * plan.records_per_person
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


def _aim_test(plan: Plan, schema: Schema, epsilon: float) -> PlanWithin:
    each, model = afford_part(plan, schema, epsilon).epsilon, plan.model
    if model.epsilon is not None and model.epsilon > each:
        model = model.at(each)
    if plan.seed_attempts(schema) == 0:
        return PlanWithin(plan.change(schema, model=model), None)
    question = ask_planner(plan, schema, epsilon)
    try:
        answer = smallest_k(question)
    except Refusal as refusal:
        if refusal.field != "epsilon":
            raise
        remedy = advice(ways_out(plan, schema, epsilon))
        raise Refusal(refusal.problem, remedy, field="epsilon") from None
    return PlanWithin(plan.change(schema, test=answer.test, t=None, model=model), answer)


def _list_for_whole(
    plan: Plan, schema: Schema, question: Question, remedy: Remedy
) -> Iterator[Remedy]:
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
            whole = _total_epsilon(plan, schema, question.epsilon)
            record = Budget(whole, float(remedy.value) / seed_share(plan))
            person = group_privacy(record, plan.records_per_person)
            if person.bounded:
                yield larger_delta(person.delta)
        case _:
            yield remedy


def afford_part(plan: Plan, schema: Schema, epsilon: float) -> Budget:
    """Return what the seeds and the model may each cost a record that is dealt to them, for a
    person's total to stay within this ε and the plan's δ."""
    record = _afford_record(plan, epsilon)
    chances = _chances(plan, schema)
    together = chances.seeds + chances.structure + chances.parameters
    most = solve_dealt(record.epsilon, together, *_price_held_out(plan))
    return Budget(min(LARGEST_EPSILON, most), record.delta)


def _afford_seeds(plan: Plan, schema: Schema, epsilon: float) -> Budget:
    """Return the same of the seeds alone, which get what a model of a smaller ε leaves."""
    each, model = afford_part(plan, schema, epsilon), plan.model.epsilon
    if model is None or model >= each.epsilon:
        return each
    chances = _chances(plan, schema)
    learned = (chances.structure + chances.parameters, Budget(model))
    record = _afford_record(plan, epsilon)
    most = solve_dealt(record.epsilon, chances.seeds, learned, *_price_held_out(plan))
    return Budget(min(LARGEST_EPSILON, most), record.delta)


def _afford_record(plan: Plan, epsilon: float) -> Budget:
    """Return what one record may cost for a person's total to stay within this ε and the plan's
    δ."""
    each = epsilon / plan.records_per_person
    delta = record_delta(lambda delta: Budget(each, delta), plan.records_per_person, plan.delta)
    return Budget(each, delta)


def _total_epsilon(plan: Plan, schema: Schema, epsilon: float) -> float:
    """Return the ε of any record where the seeds cost this, and the model no more."""
    chances = _chances(plan, schema)
    model = epsilon if plan.model.epsilon is None else min(plan.model.epsilon, epsilon)
    return compose_dealt(
        (chances.seeds, Budget(epsilon)),
        (chances.structure + chances.parameters, Budget(model)),
        *_price_held_out(plan),
    ).epsilon


def _chances(plan: Plan, schema: Schema) -> Shares:
    """Return the chance of each part; none of seeds that nothing looks at."""
    chances = plan.shares.chances
    if plan.seed_attempts(schema):
        return chances
    return chances.model_copy(update={"seeds": 0.0})


def _price_held_out(plan: Plan) -> tuple[tuple[float, Budget], ...]:
    """Return the chance of being held out, and what an acceptance test costs then; nothing without
    one."""
    if plan.acceptance is None:
        return ()
    return ((plan.shares.chances.held_out, price_test(plan.acceptance)),)


def fund_model(plan: Plan, schema: Schema, epsilon: float) -> Plan:
    """Return the plan with a model that is given all that it may cost."""
    return plan.change(schema, model=plan.model.at(afford_part(plan, schema, epsilon).epsilon))
