"""What a plan promises, part by part, before anything is run: the numbers of run-guarantee.md.

Seeds, structure and parameter records are disjoint, assigned by independent coins, so the
whole is the largest of the parts, not their sum.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.models.bayesnet.parameters import ParameterLearner
from engine.models.bayesnet.structure import StructureLearner
from engine.privacy.account import Account, account
from engine.privacy.budget import Budget
from engine.privacy.composition import amplified, disjoint
from engine.privacy.guarantee import plausible_deniability
from engine.privacy.seeds import MISS_SHARE, records_needed
from engine.refusal import Refusal
from engine.synthesis.plan import Plan
from engine.table.schema import Schema


@dataclass(frozen=True)
class Promise:
    """The guarantee of a plan.

    Attributes:
        seeds: the account of the attempts that look at a seed; None when none does.
        structure, parameters: what the records that train the model pay.
        published_model: the model's cost by the published formula, for comparison.
        published_record: Theorem 1 for one released record, rejections ignored; None when
            no attempt looks at a seed or the test has no noise.
        total: the (ε, δ) of the whole release, amplified where sampling is claimed.
        records_at_least: what must be publicly known of the number of records in the table, so
            that enough of them become seeds; None when no attempt looks at a seed.
        pass_cap: ρ of protocol A; 0 when nothing is composed.
    """

    seeds: Account | None
    structure: Budget
    parameters: Budget
    published_model: Budget
    published_record: Budget | None
    total: Budget
    records_at_least: int | None
    pass_cap: float


def promise(plan: Plan, schema: Schema) -> Promise:
    """Add up what a plan costs.

    Raises:
        Refusal: the plan does not fit the schema, or its parts cannot meet its δ.
    """
    plan.check(schema)
    _check_delta(plan)
    seeds = _seed_account(plan, schema)
    structure, parameters, published = _model_cost(plan, schema)
    miss = MISS_SHARE * plan.delta
    parts = [structure, parameters] + ([seeds.total + Budget(0.0, miss)] if seeds else [])
    total = disjoint(*parts)
    if plan.sampling is not None and total.bounded:
        total = amplified(total, plan.sampling)
    return Promise(
        seeds=seeds,
        structure=structure,
        parameters=parameters,
        published_model=published,
        published_record=_published_record(plan, seeds),
        total=total,
        records_at_least=records_needed(plan.seeds_at_least, plan.shares.seeds, miss)
        if seeds
        else None,
        pass_cap=(seeds.pass_cap or 0.0) if seeds else 0.0,
    )


def _check_delta(plan: Plan) -> None:
    """A δ of the order of 1/n would allow a record to be published outright."""
    if plan.delta * plan.seeds_at_least >= 1:
        raise Refusal(
            f"A δ of {plan.delta:g} would allow one of {plan.seeds_at_least:,} records to be "
            "published as it is.",
            f"Choose a δ far below {1 / plan.seeds_at_least:.0e}, such as 1e-9.",
            field="delta",
        )


def _seed_account(plan: Plan, schema: Schema) -> Account | None:
    attempts = plan.seed_attempts(schema)
    if attempts == 0:
        return None
    return account(
        plan.test,
        attempts,
        (1 - MISS_SHARE) * plan.delta,
        t=plan.t,
        seeds_at_least=plan.seeds_at_least,
        equal_likelihood=plan.omega.per_attempt,
    )


def _model_cost(plan: Plan, schema: Schema) -> tuple[Budget, Budget, Budget]:
    if plan.model.epsilon is None:
        return (Budget.unbounded(),) * 3
    budget = Budget(plan.model.epsilon, plan.delta)
    parameters = ParameterLearner.within(schema, budget)
    if plan.model.kind == "marginals":
        return Budget(0.0), parameters.cost, parameters.published_cost
    structure = StructureLearner.within(schema, budget)
    published = disjoint(structure.published_cost, parameters.published_cost)
    return structure.cost, parameters.cost, published


def _published_record(plan: Plan, seeds: Account | None) -> Budget | None:
    test, t = plan.test, seeds.attempt.t if seeds else None
    if test.epsilon0 is None or t is None:
        return None
    return plausible_deniability(k=test.k, gamma=test.gamma, epsilon0=test.epsilon0, t=t)
