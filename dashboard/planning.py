"""From what a custodian may spend, and wants for it, to a plan that keeps to it.

The search is the engine's. What stands here is what it is asked: what one record may cost where
a person has several, and the δ that is left for the test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from dashboard import words
from dashboard.draft import Draft
from dashboard.sentences import LARGE_EPSILON
from engine.privacy.accounting import checks
from engine.privacy.accounting.group import for_group, record_delta
from engine.privacy.budget import Budget
from engine.privacy.planning.planner import smallest_k
from engine.privacy.planning.question import LARGEST_EPSILON, Question
from engine.privacy.planning.remedies import Remedy, remedies
from engine.privacy.plausibility.privacy_test import TestKind
from engine.privacy.rounding import upwards
from engine.refusal import Refusal
from engine.synthesis.plan import Plan, RunProtocol
from engine.synthesis.promise import Promise, promise, seed_share
from engine.table.encoding import Policy
from engine.table.schema import Schema


@dataclass
class Wish:
    """What a custodian knows and wants, each field as a widget holds it.

    Attributes:
        epsilon, delta: what may be spent in all, on one person.
        count: how many attempts, or records under the protocol that hides the attempts.
        seeds_at_least: how many seed records are publicly known to be there; None as long as
            nobody has said.
        kept: how many columns are copied from a seed; 0 is seedless.
        protocol: what a reader will see.
        pass_floor: looked at under “releases” only.
        test: which privacy test.
        records_per_person: the most records one person may have.
    """

    epsilon: float = 1.0
    delta: float = 1e-9
    count: int = 1_000
    seeds_at_least: int | None = None
    kept: int = 1
    protocol: RunProtocol = "attempts"
    pass_floor: float = 0.1
    test: TestKind = "relative-sensitivity"
    records_per_person: int = 1


SAMPLE: Final = Wish(count=2_000, seeds_at_least=17_200, kept=1)
"""What the sample census is opened with. It is simulated and its 60,000 records are public, so the
number of seeds is taken from it: 3 of 10 become seeds, and 17,200 do for certain. The column that
is copied is a coarse one, each of whose values more records share than the k that ε = 1 takes."""


@dataclass(frozen=True)
class Offer:
    """A plan that keeps to what may be spent.

    Attributes:
        draft: the settings on the page that make it.
        plan: it.
        made: what it promises.
        published_k: k by the published rule k = 2t; None where it has none, and for seedless.
        explanation: why these numbers, in sentences.
    """

    draft: Draft
    plan: Plan
    made: Promise
    published_k: int | None = None
    explanation: tuple[str, ...] = ()


@dataclass(frozen=True)
class Way:
    """One change that makes a wish fit.

    Attributes:
        said: it, as a button says it.
        name, value: the field of the wish, and what to put there.
    """

    said: str
    name: str
    value: Any


def in_range(epsilon: float) -> bool:
    """Whether an ε is one that a plan is searched for."""
    return 0 < epsilon <= LARGEST_EPSILON


def nothing_fits(wish: Wish, refusal: Refusal) -> bool:
    """Whether a refusal is the planner's answer, and not about one number out of range."""
    return refusal.field == "epsilon" and in_range(wish.epsilon)


def seedbased(
    wish: Wish, draft: Draft, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> Offer:
    """The plan with the smallest k that keeps to the wish.

    Args:
        wish: its number of seeds is known, and it copies at least one column.
        draft: where the settings come from that the wish says nothing about.

    Raises:
        Refusal: a number is out of range, or nothing fits; `field` is "epsilon" then.
    """
    open_ = _asked(wish, draft, len(schema) - wish.kept)
    question = _question(wish, open_.plan(schema, dict(policies or {})))
    answer = smallest_k(question)
    found = replace(open_, k=answer.k, epsilon0=answer.epsilon0, model_epsilon=question.epsilon)
    plan = found.plan(schema, dict(policies or {}))
    return Offer(
        found,
        plan,
        promise(plan, schema),
        answer.published_rule_k,
        answer.explanation,
    )


def seedless(
    wish: Wish, draft: Draft, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> Offer:
    """The plan that copies nothing and spends the same on the model alone.

    Raises:
        Refusal: a number is out of range.
    """
    # Every candidate passes, so that nothing need be hidden of the attempts.
    public = replace(wish, protocol="attempts", seeds_at_least=None)
    found = replace(_asked(public, draft, len(schema)), model_epsilon=_for_record(wish).epsilon)
    plan = found.plan(schema, dict(policies or {}))
    return Offer(found, plan, promise(plan, schema))


def ways(wish: Wish, draft: Draft, schema: Schema) -> tuple[Way, ...]:
    """Each single change that makes a wish fit that does not, worked out.

    Raises:
        Refusal: a number is out of range.
    """
    plan = _asked(wish, draft, len(schema) - wish.kept).plan(schema, {})
    question = _question(wish, plan)
    found = remedies(question, question.largest_k)
    return tuple(
        way for each in found if (way := _way(wish, question, seed_share(plan), each)) is not None
    )


def aimed(wish: Wish, draft: Draft, schema: Schema) -> Budget:
    """What the test of a wish is planned at: for one record, less what is set aside of δ.

    Raises:
        Refusal: a number is out of range.
    """
    return _question(wish, _asked(wish, draft, len(schema) - wish.kept).plan(schema, {})).target


def _asked(wish: Wish, draft: Draft, omega: int) -> Draft:
    """The settings a wish asks for; its k and ε0 are open and hold what any test would take."""
    if omega < 0:
        raise Refusal(
            "More columns are to be copied than there are.", "Copy fewer columns.", field="kept"
        )
    return replace(
        draft,
        seeds_at_least=wish.seeds_at_least or draft.seeds_at_least,
        test=wish.test,
        protocol=wish.protocol,
        attempts=wish.count,
        pass_floor=wish.pass_floor,
        records_per_person=wish.records_per_person,
        delta=wish.delta,
        omega_low=omega,
        omega_high=omega,
        omega_ranges=False,
        t_by_hand=False,
        deterministic=False,
        noiseless=False,
        sampled=False,
    )


def _for_record(wish: Wish) -> Budget:
    """What one record may cost for a person's total to stay within the wish.

    Raises:
        Refusal: a number is out of range.
    """
    checks.check_delta(wish.delta)
    checks.check_group(wish.records_per_person)
    persons = wish.records_per_person
    each = wish.epsilon / persons
    return Budget(each, record_delta(lambda delta: Budget(each, delta), persons, wish.delta))


def _question(wish: Wish, plan: Plan) -> Question:
    record = _for_record(wish)
    question = Question(
        epsilon=record.epsilon,
        delta=seed_share(plan) * record.delta,
        count=wish.count,
        kind=wish.test,
        gamma=getattr(plan.test, "gamma", 4.0),
        protocol=wish.protocol,
        seeds_at_least=wish.seeds_at_least,
        pass_floor=plan.pass_floor,
        equal_likelihood=plan.omega.per_attempt,
    )
    question.check()
    return question


def _way(wish: Wish, question: Question, share: float, remedy: Remedy) -> Way | None:
    """A remedy for one record's budget, as one for a person's; None where it is no good advice."""
    match remedy.change:
        case "count":
            verb = "Make" if wish.protocol == "attempts" else "Release"
            count = int(remedy.value)
            return Way(f"{verb} {words.counted(wish.protocol, count)}", "count", count)
        case "epsilon":
            # For several records per person, δ for one of them shrinks as ε grows.
            epsilon = float(remedy.value)
            if wish.records_per_person > 1 or epsilon > LARGE_EPSILON:
                return None
            return Way(f"Allow ε = {words.epsilon(epsilon)}", "epsilon", epsilon)
        case "delta":
            record = Budget(question.epsilon, float(remedy.value) / share)
            delta = float(upwards(for_group(record, wish.records_per_person).delta, 2))
            return Way(f"Allow δ = {words.delta(delta)}", "delta", delta)
        case "seeds_at_least":
            seeds = int(remedy.value)
            return Way(f"Count on {seeds:,} seed records", "seeds_at_least", seeds)
        case "kind":
            name = words.TESTS[str(remedy.value)].lower()
            return Way(f"Use the {name} test", "test", remedy.value)
    return None
