"""What a plan of scored candidates promises.

Seeds and the records that the proposer is learned from are told apart by a coin for each record, so
the whole is the larger of the two. Likelihoods of plausible seeds may differ, so γ is not spared;
see docs/guarantee.md, “One attempt”, and `attempts`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from understudy.core.numerals import delta as spelled_delta
from understudy.core.numerals import epsilon as spelled_epsilon
from understudy.mechanisms.privacy_unit import contributes, each_person
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.proposers import ChecksNumbers, ProposerLearner, learner_of
from understudy.mechanisms.scored.settings import settings_in_full
from understudy.mechanisms.statement import NOBODY, NOTHING
from understudy.privacy import wording
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.account_words import as_data
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import parallel
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope, record_delta
from understudy.privacy.accounting.unit_counts import MISS_SHARE, records_needed
from understudy.privacy.budget import Budget
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.schema import Schema

_COMPOSED = "the parts see disjoint records, so the total is the larger of them"


@dataclass(frozen=True)
class Promise:
    """The figures of a plan.

    Attributes:
        seeds: the account of the attempts.
        learning: what a record that the proposer is learned from pays.
        record_delta: the δ for one record that each part stays within.
    """

    seeds: Account
    learning: Budget
    record_delta: float


def guarantee(plan: ScoredPlan, schema: Schema) -> Guarantee:
    """Return what a plan promises.

    Raises:
        Refusal: the plan does not fit the schema, its proposer is not installed or refuses its
            settings, or its parts cannot meet its δ.
    """
    plan.check(schema)
    among = plan.subpopulation(schema)
    learner = learner_of(plan.proposer)
    numbers = settings_in_full(plan.proposer, learner.settings, plan.numbers)
    made = _promise(plan, schema, learner)
    if isinstance(learner, ChecksNumbers):
        learner.check(schema, Budget(plan.epsilon, made.record_delta), numbers)
    paid = made.seeds.total
    if paid.bounded:
        paid = paid + Budget(0.0, MISS_SHARE * made.record_delta)
        paid = Budget(paid.epsilon, min(made.record_delta, paid.delta))
    needed = records_needed(plan.seeds_at_least, plan.seeds, MISS_SHARE * made.record_delta)
    found = Guarantee(
        record=parallel(made.learning, paid),
        scope=Scope("", ""),
        statement="",
        records_per_person=plan.records_per_person,
        protocol="attempts",
        count=plan.attempts,
        reads_records=True,
        parts=(Part("attempts", paid), Part("proposer", made.learning)),
        records_at_least=needed,
        records_among="" if among is None else among.words,
        particulars={
            "parts": {
                "attempts": as_data(made.seeds),
                "proposer": {"epsilon": made.learning.epsilon, "delta": made.learning.delta},
                "composed": _COMPOSED,
            }
        },
        account=made,
    )
    return _word_guarantee(found, plan, learner)


def _promise(plan: ScoredPlan, schema: Schema, learner: ProposerLearner) -> Promise:
    def seeds(delta: float) -> Account:
        return account(
            plan.test, plan.attempts, (1 - MISS_SHARE) * delta, seeds_at_least=plan.seeds_at_least
        )

    def total_at(delta: float) -> Budget:
        total = seeds(delta).total
        return Budget(max(plan.epsilon, total.epsilon), delta) if total.bounded else total

    delta = record_delta(total_at, plan.records_per_person, plan.delta)
    learning = learner.cost(schema, Budget(plan.epsilon, delta))
    return Promise(seeds(delta), learning, delta)


def _word_guarantee(found: Guarantee, plan: ScoredPlan, learner: ProposerLearner) -> Guarantee:
    """Return the guarantee with its words."""
    total = found.total
    if not total.bounded:
        nothing = "No differential privacy is promised: the test was run without noise."
        return replace(found, statement=nothing, scope=Scope(NOBODY, NOTHING))
    statement = wording.promise_sentence(total, plan.records_per_person)
    who = "that record is" if plan.records_per_person == 1 else "that person's records are"
    scope = Scope(
        protects=f"{each_person(plan.records_per_person)}: "
        f"{DEPENDS[strength(total)]} whether "
        f"{who} in the table.",
        covers="The whole table: the proposer and all attempts, rejected candidates included."
        + _others(found),
        reader_sees=(
            *_among(found),
            "The synthetic table, and so how many records came out.",
            f"How many attempts were made, {plan.attempts:,}.",
            *_describe_copies(plan.copies),
            "The proposer.",
            "The settings, except for how values outside the schema were settled.",
        ),
        assumes=(
            "The schema is public knowledge and was not chosen by looking at the records.",
            contributes(plan.records_per_person),
            f"The table has at least {found.records_at_least:,} "
            f"{f'records {found.records_among}'.rstrip()}, whoever of its people is taken out: "
            "public knowledge, as the custodian confirmed before the run.",
            *_word_of(found, plan, learner),
        ),
        not_covered=(
            "Choices the custodian made by looking at these records.",
            "Other releases from the same records: their ε and δ add up.",
            "How long the run took, and the times of its files.",
        ),
        formulas=({"of": "the whole release, for one record", "text": _COMPOSED},),
    )
    return replace(found, statement=statement, scope=scope)


def _among(found: Guarantee) -> tuple[str, ...]:
    """Return whose records rows were made from."""
    if not found.records_among:
        return ()
    return (f"That every row was made from a record {found.records_among}.",)


def _others(found: Guarantee) -> str:
    """Return what records cost that cannot be seeds."""
    if not found.records_among:
        return ""
    epsilon = spelled_epsilon(found.account.learning.epsilon)
    return (
        f" Only records {found.records_among} can be seeds; any other is looked at by the proposer "
        f"alone, at ε = {epsilon} for one record. Whether somebody's record is one of these is "
        "protected as a value is: with another value, it counts as one record less and one more."
    )


def _describe_copies(copies: int) -> tuple[str, ...]:
    """Return what rows of one candidate have in common."""
    if copies == 1:
        return ()
    return (
        f"Every candidate that passed, as {copies:,} rows, which are not independent of each "
        "other: how many people they speak for is not their number.",
    )


def _word_of(found: Guarantee, plan: ScoredPlan, learner: ProposerLearner) -> tuple[str, ...]:
    """Say on whose word the proposer is private, and scores what it proposes."""
    if not learner.source:
        return ()
    spent = found.account.learning
    return (
        f"Learning the proposer “{plan.proposer}” keeps to ε = {spelled_epsilon(spent.epsilon)} "
        f"and δ = {spelled_delta(spent.delta)} for one record, and it scores candidates by the "
        "very chance with which it proposes them. That is not this program's promise: it is "
        f"repeated here, and was not proved or checked. Who stands behind it: {learner.source}",
    )
