"""What a plan promises, part by part, before anything is run: the numbers of docs/guarantee.md.

Each record is dealt to one part by a secret coin of its own: to the seeds, to the records that
train the model (to those of its structure or of its parameters where they are apart), or to the
held-out records, which an acceptance test may measure. So the whole is no sum: e^ε is the mean of
that of the parts. All parts are for one record; the total is for all the records of one person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from understudy.acceptance.measurement import price_test
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import amplified_by_sampling, compose_dealt
from understudy.privacy.accounting.guarantee import group_privacy, record_delta
from understudy.privacy.accounting.published_figures import (
    PublishedCost,
    PublishedRecord,
    published_record,
)
from understudy.privacy.accounting.unit_counts import (
    MISS_SHARE,
    STOP_SHARE,
    attempts_needed,
    log_chance,
    records_needed,
)
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Promise:
    """The guarantee of a plan.

    Attributes:
        seeds: the account of the attempts that look at a seed, or of the records under
            “releases”; None when none does.
        learning: what the records that train the model pay, by what is learned from them; the
            parts see different records.
        acceptance: what a held-out record pays for the acceptance test; None where there is none.
        published_model: what noise of the same spread costs by the published formula, for
            comparison; None for a model that the publication does not know.
        published_record: what the published theorem states of one released record, rejections
            ignored, at the plan's δ; None when no attempt looks at a seed, the test has no noise,
            or no t meets that δ.
        record_delta: the δ that each part stays within.
        record: the (ε, δ) of the whole release between tables that differ by one record.
        total: the (ε, δ) of the whole release between tables that differ by the records of one
            person.
        population: the same between populations that differ by one member, of which the table is
            claimed to be a secret random sample; None where that is not claimed, or nothing is
            promised. It says nothing about who is in the table.
        records_at_least: what must be publicly known of the number of records in the table, so
            that enough of them become seeds; None when no attempt looks at a seed.
        pass_cap: ρ of the protocol “attempts”; 0 when nothing is composed, and under “releases”.
        attempts_at_most: under “releases”, the number of attempts after which a run that has
            not enough records stops and releases nothing; None otherwise.
    """

    seeds: Account | None
    learning: Mapping[str, Budget]
    acceptance: Budget | None
    published_model: PublishedCost | None
    published_record: PublishedRecord | None
    record_delta: float
    record: Budget
    total: Budget
    population: Budget | None
    records_at_least: int | None
    pass_cap: float
    attempts_at_most: int | None


def promise(plan: Plan, schema: Schema) -> Promise:
    """Add up what a plan costs.

    Raises:
        Refusal: the plan does not fit the schema, or its parts cannot meet its δ.
    """
    plan.check(schema)
    _check_delta(plan)
    delta = _record_delta(plan, schema)
    seeds = _seed_account(plan, schema, delta)
    learning, published = _model_cost(plan, schema, delta)
    accepting = None if plan.acceptance is None else price_test(plan.acceptance)
    record = _compose_parts(plan, learning, _pay_seeds(plan, seeds, delta), accepting)
    total = group_privacy(record, plan.records_per_person)
    sampled = plan.sampling is not None and total.bounded
    return Promise(
        seeds=seeds,
        learning=learning,
        acceptance=accepting,
        published_model=published,
        published_record=published_record(plan.test, plan.delta) if seeds else None,
        record_delta=delta,
        record=record,
        total=total,
        population=amplified_by_sampling(total, plan.sampling or 1.0) if sampled else None,
        records_at_least=None
        if seeds is None
        else records_needed(plan.seeds_at_least, plan.shares.seeds, MISS_SHARE * delta),
        pass_cap=(seeds.pass_cap or 0.0) if seeds else 0.0,
        attempts_at_most=_attempts_at_most(plan, seeds, delta),
    )


def _compose_parts(
    plan: Plan, learning: Mapping[str, Budget], seeds: Budget, accepting: Budget | None
) -> Budget:
    """Return what all parts cost a record together."""
    return compose_dealt(
        *((chance, cost) for _, chance, cost in list_dealt_parts(plan, learning, seeds, accepting))
    )


def list_dealt_parts(
    plan: Plan, learning: Mapping[str, Budget], seeds: Budget | None, accepting: Budget | None
) -> list[tuple[str, float, Budget]]:
    """Return the parts that a record may be dealt to: the name of each, the chance, and what it
    costs. Those that cost nothing may be left out."""
    chances, learned = plan.shares.chances, learning_chances(plan)
    return [
        *([] if seeds is None else [("seeds", chances.seeds, seeds)]),
        *((part, learned[part], cost) for part, cost in learning.items()),
        *([] if accepting is None else [("acceptance test", chances.held_out, accepting)]),
    ]


def learning_chances(plan: Plan) -> Mapping[str, float]:
    """Return the chance that a record is dealt to each part that something may be learned from."""
    chances = plan.shares.chances
    return {
        "structure": chances.structure,
        "parameters": chances.parameters,
        "model": chances.structure + chances.parameters,
    }


def seed_share(plan: Plan) -> float:
    """Return the share of a record's δ that its attempts or releases may use: what is set aside for
    fewer seeds than counted on, and for stopping, is left out."""
    return 1 - MISS_SHARE - (STOP_SHARE if plan.protocol == "releases" else 0.0)


def _check_delta(plan: Plan) -> None:
    """Check that δ is far below 1/n: a δ of that order would allow a record to be published
    outright."""
    if plan.delta * plan.seeds_at_least >= 1:
        raise Refusal(
            f"A δ of {plan.delta:g} would allow one of {plan.seeds_at_least:,} records to be "
            "published as it is.",
            f"Choose a δ far below {1 / plan.seeds_at_least:.0e}, such as 1e-9.",
            field="delta",
        )


def _record_delta(plan: Plan, schema: Schema) -> float:
    """Return the δ for one record that leaves the plan's δ for all those of a person."""
    model = 0.0 if plan.model.epsilon is None else plan.model.epsilon
    accepting = None if plan.acceptance is None else price_test(plan.acceptance)

    def total_at(delta: float) -> Budget:
        seeds = _pay_seeds(plan, _seed_account(plan, schema, delta), delta)
        return _compose_parts(plan, {"model": Budget(model, delta)}, seeds, accepting)

    try:
        return record_delta(total_at, plan.records_per_person, plan.delta)
    except Refusal as refusal:
        if plan.records_per_person == 1 or refusal.field != "delta":
            raise
        raise Refusal(
            f"With up to {plan.records_per_person:,} records per person, the δ for one record has "
            "to be so small that it cannot be met.",
            "Choose a larger k, fewer attempts or a larger δ, so that one record costs less, or a "
            "seedless plan.",
            field="records_per_person",
        ) from None


def _seed_account(plan: Plan, schema: Schema, delta: float) -> Account | None:
    count = plan.seed_attempts(schema)
    if count == 0:
        return None
    return account(
        plan.test,
        count,
        seed_share(plan) * delta,
        protocol=plan.protocol,
        t=plan.t,
        seeds_at_least=plan.seeds_at_least,
        pass_floor=plan.pass_floor,
        equal_likelihood=plan.omega.per_attempt,
    )


def _pay_seeds(plan: Plan, seeds: Account | None, delta: float) -> Budget:
    """Return what the seeds pay, with what is set aside."""
    if seeds is None:
        return Budget(0.0)
    paid = seeds.total + Budget(0.0, (1 - seed_share(plan)) * delta)
    # The sum stays within δ except for its last place.
    return Budget(paid.epsilon, min(delta, paid.delta)) if paid.bounded else paid


def _attempts_at_most(plan: Plan, seeds: Account | None, delta: float) -> int | None:
    if seeds is None or plan.pass_floor is None:
        return None
    epsilon = seeds.total.epsilon if seeds.total.bounded else 0.0
    chance = log_chance(epsilon, STOP_SHARE * delta)
    return attempts_needed(plan.attempts, plan.pass_floor, chance)


def _model_cost(
    plan: Plan, schema: Schema, delta: float
) -> tuple[dict[str, Budget], PublishedCost | None]:
    """Return what each part of the model costs, and all of it by the published formula."""
    epsilon, learner = plan.model.epsilon, plan.model.learner
    budget = Budget.unbounded() if epsilon is None else Budget(epsilon, delta)
    return dict(learner.cost(schema, budget)), learner.published_cost(schema, budget)
