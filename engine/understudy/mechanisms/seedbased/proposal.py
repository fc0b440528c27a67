"""Proposals: from what a custodian wants to a plan, one ε or many.

A whole table is best drawn from the model alone: all records that may be learned from make the
model, any number of rows comes out for one total, and nothing is tested as nothing is kept. Where
every row should be like a record that exists, candidates are made from seeds, and each that looks
at one is paid for. Public numbers decide, and no record is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.numerals import count, percent
from understudy.core.numerals import epsilon as written
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.foresight import (
    as_published,
    learning_time,
    nearness_in_words,
)
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.model_fit import promised_budget
from understudy.mechanisms.seedbased.models import MODELS, USUAL
from understudy.mechanisms.seedbased.plan import KINDS, ModelKind, ModelPlan, Plan, RunProtocol
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.mechanisms.seedbased.target import (
    afford_part,
    check_epsilon,
    fund_model,
    least_epsilon,
    within,
)
from understudy.models.learner import Terms
from understudy.models.marks import UNMARKED, Marks
from understudy.models.omega import Omega
from understudy.models.prediction import Predicted
from understudy.privacy.accounting import unit_counts
from understudy.privacy.accounting.published_figures import PublishedCost
from understudy.privacy.accounting.unit_counts import MISS_SHARE
from understudy.privacy.budget import Budget
from understudy.privacy.planning.planner import Answer
from understudy.privacy.plausibility.privacy_test import (
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.table.fit import Policy
from understudy.table.schema import Schema
from understudy.table.split import Shares

Purpose = Literal["table", "alike"]
"""A whole table, or records like given ones."""

HELD_OUT: Final = 0.1
SEEDS: Final = 0.3
CLEARLY: Final = 0.8
_UNKNOWN = 1_000
_OPEN = RelativeSensitivity(k=50, epsilon0=1.0)
_DIGITS = 3
_ROUNDS = 20


@dataclass(frozen=True)
class Wanted:
    """What may be spent, and what is wanted and publicly known.

    Attributes:
        epsilon, delta: of the whole release, on one person.
        rows: how many records a whole table is to have.
        attempts: how many attempts are made, or records released under “releases”, from seeds.
        kept: how many columns are copied from a seed.
        records: how many records the table is publicly known to have at least; None if unknown.
        seeds_at_least: how many seeds are counted on; None works that out from `records`.
        records_per_person: the most records of one person.
        test: of which the kind and γ are looked at.
        protocol, pass_floor: as of `Plan`, for records made from seeds.
        policies: as of `Plan`.
        marks: what must survive, as of `Plan`.

    Raises:
        Refusal: less than one of something that is counted; of its field.
    """

    epsilon: float = 1.0
    delta: float = 1e-9
    rows: int = 10_000
    attempts: int = 1_000
    kept: int = 1
    records: int | None = None
    seeds_at_least: int | None = None
    records_per_person: int = 1
    test: PrivacyTest = _OPEN
    protocol: RunProtocol = "attempts"
    pass_floor: float | None = None
    policies: Mapping[str, Policy] = field(default_factory=dict)
    marks: Marks = UNMARKED

    def __post_init__(self) -> None:
        counted = {"rows": self.rows, "attempts": self.attempts, "records": self.records}
        for name, number in counted.items():
            if number is not None and number < 1:
                raise Refusal(
                    f"The number of {name} is {number:,}.", "Enter 1 or more.", field=name
                )


@dataclass(frozen=True, eq=False)
class Proposal:
    """A plan that keeps to what may be spent.

    Attributes:
        purpose: what it is for.
        plan: the plan itself.
        made: what it promises.
        answer: what the planner says of its test; None where no attempt looks at a seed.
        models: what noise and chance will set apart under each kind of model for the same budget;
            empty where the number of records is not known.
        seconds: about how long model and rows take on one core; None where that is not known.
        published: what the noise of the published network would cost by its own formula, where
            it keeps to the same budget by ours.
    """

    purpose: Purpose
    plan: Plan
    made: Promise
    answer: Answer | None
    models: Mapping[ModelKind, Predicted]
    seconds: float | None
    published: PublishedCost

    @property
    def predicted(self) -> Predicted | None:
        """What noise and chance will set apart under the plan's own model."""
        return self.models.get(self.plan.model.kind)


def whole_table(schema: Schema, wanted: Wanted) -> Proposal:
    """Return the plan for a whole table.

    Raises:
        Refusal: a number is out of range.
    """
    check_epsilon(wanted.epsilon)
    plan = within(asked_whole(schema, wanted), schema, wanted.epsilon).plan
    return _best_model("table", plan, schema, wanted, None)


def count_rows(schema: Schema, rows: int) -> int:
    """Return how many rows a whole table has, where so many are wanted: as many as known totals
    count, if these count the table."""
    totals = schema.joint_totals
    return rows if totals is None or totals.proportional else totals.whole


def asked_whole(schema: Schema, wanted: Wanted) -> Plan:
    """Return the plan for a whole table, before its noise is settled.

    Raises:
        Refusal: a number is out of range.
    """
    attributes = len(schema)
    asked = Plan.of(
        schema,
        test=wanted.test,
        omega=Omega(low=attributes, high=attributes),
        attempts=count_rows(schema, wanted.rows),
        records_per_person=wanted.records_per_person,
        delta=wanted.delta,
        seeds_at_least=_seeds(wanted) if wanted.records is not None else _UNKNOWN,
        public_records=wanted.records,
        shares=shares_for(USUAL, 0.0),
        policies=wanted.policies,
        marks=wanted.marks,
    )
    return fund_model(asked, schema, wanted.epsilon)


def alike(schema: Schema, wanted: Wanted) -> Proposal:
    """Return the plan for records like given ones, with the smallest k.

    Raises:
        Refusal: a number is out of range or not known, or nothing fits: `field` is “epsilon” then.
    """
    check_epsilon(wanted.epsilon)
    plan = asked_alike(schema, wanted)
    found = within(plan, schema, wanted.epsilon)
    if wanted.seeds_at_least is None and wanted.records is not None:
        for _ in range(_ROUNDS):
            # δ for one record may come out under the one that the seeds were worked out for.
            if (promise(found.plan, schema).records_at_least or 0) <= wanted.records:
                break
            plan = plan.change(schema, seeds_at_least=_round_down(0.99 * plan.seeds_at_least))
            found = within(plan, schema, wanted.epsilon)
    return _best_model("alike", found.plan, schema, wanted, found.answer)


def asked_alike(schema: Schema, wanted: Wanted) -> Plan:
    """Return the plan for records like given ones of which k and ε0 are open.

    Raises:
        Refusal: a number is out of range, or it is not known how many records there are.
    """
    if wanted.kept > len(schema):
        raise Refusal(
            "More columns are to be copied than there are.", "Copy fewer columns.", field="kept"
        )
    omega = len(schema) - wanted.kept
    asked = Plan.of(
        schema,
        test=wanted.test,
        omega=Omega(low=omega, high=omega),
        protocol=wanted.protocol,
        attempts=wanted.attempts,
        pass_floor=wanted.pass_floor if wanted.protocol == "releases" else None,
        records_per_person=wanted.records_per_person,
        delta=wanted.delta,
        seeds_at_least=_seeds(wanted),
        public_records=wanted.records,
        shares=shares_for(USUAL, SEEDS),
        policies=wanted.policies,
        marks=wanted.marks,
    )
    return fund_model(asked, schema, wanted.epsilon)


def with_model(plan: Plan, schema: Schema, kind: ModelKind) -> Plan:
    """Return the plan with a model of this kind, and the shares of records that it learns from."""
    if kind == plan.model.kind:
        return plan
    model = ModelPlan(kind=kind, epsilon=plan.model.epsilon)
    return plan.change(schema, model=model, shares=shares_for(kind, plan.shares.seeds))


def foreseen_at(
    plan: Plan, schema: Schema, epsilon: float, records: int
) -> tuple[Predicted, Mapping[ModelKind, Predicted]]:
    """Return what noise and chance set apart at a total ε: under the kind of model that would be
    proposed, and under each. No test is searched for, as it has no part in that.

    Args:
        plan: as asked for, before its noise is settled.
        schema: what it was made for.
        epsilon: of the whole release.
        records: how many the table has.
    """
    models = _models(plan, schema, afford_part(plan, schema, epsilon), records)
    return models[_best(models)], models


def seeds_known(
    records: int, delta: float, records_per_person: int = 1, share: float = SEEDS
) -> int:
    """Return how many seeds a table of so many records has for certain, except for a chance that δ
    pays for, rounded down to three digits; at least 1.

    Raises:
        Refusal: no table has so many records.
    """
    if not 1 <= records <= unit_counts.MOST_KNOWN:
        raise Refusal(
            f"The number of records that is publicly known has to lie between 1 and "
            f"{unit_counts.MOST_KNOWN:,}.",
            "Enter a number of records everybody may know the table to have at least.",
            field="records",
        )
    return _round_down(
        unit_counts.seeds_from_records(records, share, MISS_SHARE * delta / records_per_person)
    )


def why(proposal: Proposal, schema: Schema) -> tuple[str, str]:
    """Return a proposal in two plain sentences: what it does, and how near it will come."""
    plan = proposal.plan
    total = written(proposal.made.total.epsilon)
    if proposal.purpose == "table":
        learned = percent(1 - plan.shares.held_out)
        told = (
            f"Every column of every row is drawn from a model learned from {learned} of the "
            f"records, so any number of rows comes out for one total of ε = {total}, and nothing "
            "has to be tested as nothing is copied."
        )
    else:
        what = "attempt" if plan.protocol == "attempts" else "record"
        copied = count(len(schema) - plan.omega.high, "column")
        told = (
            f"Each candidate copies {copied} of a real record and is let through only if enough "
            f"others, about k = {plan.test.k:,}, could have made it; {count(plan.attempts, what)} "
            f"use up a total of ε = {total}, and more would cost more."
        )
    return told, _nearness(proposal, len(schema))


def _nearness(proposal: Proposal, attributes: int) -> str:
    found = proposal.predicted
    if found is None:
        return (
            "How near it will come can be said beforehand once it is known how many records the "
            "table has."
        )
    said = nearness_in_words(found) if proposal.purpose == "table" else ""
    pairs = attributes * (attributes - 1) // 2
    if not proposal.plan.model.about.relates:
        counted = (
            "so few records at this ε leave noise no room for pairs, so each column is learned by "
            "itself, and relations between columns are lost"
        )
    elif not found.counted:
        counted = "no pair of columns can be counted on"
    else:
        rest = "" if found.counted == pairs else ", and the others left to the rest of the model"
        counted = f"{found.counted:,} of {count(pairs, 'pair')} are counted{rest}"
    return f"{said.rstrip('.')}; {counted}." if said else f"{counted[:1].upper()}{counted[1:]}."


def _best_model(
    purpose: Purpose, plan: Plan, schema: Schema, wanted: Wanted, answer: Answer | None
) -> Proposal:
    """Return the plan with the model of the smallest predicted error; the budget is the same for
    all."""
    made = promise(plan, schema)
    budget = promised_budget(plan, made)
    published = as_published(schema, budget)
    if wanted.records is None:
        return Proposal(purpose, plan, made, answer, {}, None, published)
    models = _models(plan, schema, budget, wanted.records)
    kind = _best(models)
    if kind != plan.model.kind:
        plan = with_model(plan, schema, kind)
        made = promise(plan, schema)
    seconds = learning_time(plan, schema, made, models[kind], wanted.records)
    return Proposal(purpose, plan, made, answer, models, seconds, published)


def _models(plan: Plan, schema: Schema, budget: Budget, records: int) -> dict[ModelKind, Predicted]:
    """Return what noise and chance set apart under each kind of model of which that is foreseen."""
    found: dict[ModelKind, Predicted] = {}
    for kind in KINDS:
        terms = Terms(schema, budget, shares_for(kind, plan.shares.seeds), plan.marks)
        each = learner_of(kind).foreseen(terms, records, plan.attempts)
        if each is not None:
            found[kind] = each
    return found


def _best(models: Mapping[ModelKind, Predicted]) -> ModelKind:
    """Return the kind, of those that may be proposed, of the smallest predicted error over all
    pairs; one that loses every relation only where its error is clearly smaller, or where the
    others could count no pair either."""

    def best(relates: bool) -> ModelKind:
        abouts = ((kind, MODELS[kind]) for kind in models)
        able = [kind for kind, each in abouts if each.proposed and each.relates is relates]
        return min(able, key=lambda kind: models[kind].all_pairs)

    plain, related = best(False), best(True)
    fits = models[plain].all_pairs < CLEARLY * models[related].all_pairs
    return plain if fits or not models[related].relates else related


def shares_for(kind: str, seeds: float) -> Shares:
    """Return shares that give the model all the records it may be learned from.

    Args:
        kind: of the model.
        seeds: the share of the seeds; 0 where nothing is kept.
    """
    return learner_of(kind).shares(seeds, HELD_OUT)


def _seeds(wanted: Wanted) -> int:
    if wanted.seeds_at_least is not None:
        return wanted.seeds_at_least
    if wanted.records is None:
        raise Refusal(
            "It is not known how many records there are to make candidates from.",
            "Say how many records the table is publicly known to have at least.",
            field="records",
        )
    return seeds_known(wanted.records, wanted.delta, wanted.records_per_person)


def _round_down(value: float) -> int:
    """Round a number down to three digits, to at least 1."""
    if value < 1:
        return 1
    unit = 10 ** max(0, math.floor(math.log10(value)) + 1 - _DIGITS)
    return int(value // unit * unit)


EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
"""Where the curve is worked out."""


@dataclass(frozen=True, eq=False)
class OverEpsilon:
    """What the plan that is proposed at each ε counts, and how far off that is at most.

    Bounds are on what noise and chance do in 95 of 100 runs; not a number where no plan fits.

    Attributes:
        epsilons: (E,) of the whole release, ascending.
        counted: (E,) the number of pairs of columns that would be counted in a usual table.
        pairs: the number of all pairs.
        pair: (E,) a bound on the typical pair of all; not a number unless most are counted.
        column: (E,) a bound on a typical column.
        chance: a bound on a typical pair of as many other real records.
        least: the smallest ε at which a plan fits; 0 where one does at any, and infinity where
            none does at these.
    """

    epsilons: FloatArray
    counted: IntArray
    pairs: int
    pair: FloatArray
    column: FloatArray
    chance: float
    least: float


def over_epsilon(
    schema: Schema, wanted: Wanted, purpose: Purpose, epsilons: Sequence[float] = EPSILONS
) -> OverEpsilon:
    """Return what is foreseen at each ε, all else as wanted.

    Args:
        schema: the columns.
        wanted: how many records there are is known.
        purpose: what the table is for.
        epsilons: of the whole release, ascending.

    Raises:
        Refusal: a number is out of range, or the number of records is not known.
    """
    plan, records = _draft_plan(schema, wanted, purpose)
    least = least_epsilon(plan, schema, epsilons[-1])
    proposed = [foreseen_at(plan, schema, epsilon, records)[0] for epsilon in epsilons]
    fits = np.array(epsilons) >= least
    return OverEpsilon(
        np.array(epsilons, dtype=np.float64),
        np.where(fits, [model.counted for model in proposed], 0),
        len(proposed[0].each_pair),
        np.where(fits, [model.any_pair_at_most for model in proposed], math.nan),
        np.where(fits, [model.column_at_most for model in proposed], math.nan),
        proposed[0].chance_at_most,
        least,
    )


def _draft_plan(schema: Schema, wanted: Wanted, purpose: Purpose) -> tuple[Plan, int]:
    """Return the plan that is asked for, before its noise is settled, and how many records there
    are.

    Raises:
        Refusal: a number is out of range, or the number of records is not known.
    """
    if wanted.records is None:
        raise Refusal(
            "It is not known how many records the table has.",
            "Say how many it is publicly known to have at least.",
            field="records",
        )
    asked = asked_whole if purpose == "table" else asked_alike
    return asked(schema, wanted), wanted.records


@dataclass(frozen=True)
class PlanOption:
    """A plan that could be made.

    Attributes:
        epsilon: of the whole release.
        kind: of the model.
        lost: how far off the typical pair of a usual table is, as a share of how far it would be
            if columns were drawn by themselves without noise.
        proposed: whether it is the kind that would be proposed at this ε.
    """

    epsilon: float
    kind: ModelKind
    lost: float
    proposed: bool


def plan_choices(
    schema: Schema, wanted: Wanted, purpose: Purpose, epsilons: Sequence[float] = EPSILONS
) -> tuple[PlanOption, ...]:
    """Return a choice for each ε at which a plan fits and each kind of model, by ε.

    Args:
        schema: the columns.
        wanted: what is wanted; its ε has no say.
        purpose: what the table is for.
        epsilons: of the whole release, ascending.

    Raises:
        Refusal: a number is out of range, or it is not known how many records there are.
    """
    plan, records = _draft_plan(schema, wanted, purpose)
    least = least_epsilon(plan, schema, epsilons[-1])
    found = []
    for epsilon in epsilons:
        if epsilon < least:
            continue
        best, models = foreseen_at(plan, schema, epsilon, records)
        found += [
            PlanOption(epsilon, kind, each.lost, each is best) for kind, each in models.items()
        ]
    return tuple(found)


def chosen_plan(schema: Schema, wanted: Wanted, purpose: Purpose, kind: ModelKind) -> Plan:
    """Return the plan that keeps to what is wanted, with a model of this kind.

    Raises:
        Refusal: a number is out of range or not known, or nothing fits.
    """
    found = (whole_table if purpose == "table" else alike)(schema, wanted)
    return with_model(found.plan, schema, kind)
