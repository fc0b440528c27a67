"""From what a custodian may spend, and wants for it, to a plan that keeps to it.

The search is the engine's; what stands here is how a wish reads as a plan, and a remedy as a
button.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from dashboard import words
from dashboard.draft import Draft
from dashboard.sentences import LARGE_EPSILON
from engine.privacy.budget import Budget
from engine.privacy.planning.question import LARGEST_EPSILON
from engine.privacy.planning.remedies import Remedy
from engine.privacy.plausibility.privacy_test import TestKind
from engine.refusal import Refusal
from engine.synthesis import target
from engine.synthesis.plan import Plan, RunProtocol
from engine.synthesis.promise import Promise, promise
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
    return _offer(wish, _asked(wish, draft, len(schema) - wish.kept), schema, policies)


def seedless(
    wish: Wish, draft: Draft, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> Offer:
    """The plan that copies nothing and spends the same on the model alone.

    Raises:
        Refusal: a number is out of range.
    """
    # Every candidate passes, so that nothing need be hidden of the attempts.
    public = replace(wish, protocol="attempts", seeds_at_least=None)
    return _offer(wish, _asked(public, draft, len(schema)), schema, policies)


def ways(wish: Wish, draft: Draft, schema: Schema) -> tuple[Way, ...]:
    """Each single change that makes a wish fit that does not, worked out.

    Raises:
        Refusal: a number is out of range.
    """
    plan = _asked(wish, draft, len(schema) - wish.kept).plan(schema, {})
    found = target.ways_out(plan, schema, wish.epsilon)
    return tuple(way for each in found if (way := _way(wish, each)) is not None)


def aimed(wish: Wish, draft: Draft, schema: Schema) -> Budget:
    """What the test of a wish is planned at: for one record, less what is set aside of δ.

    Raises:
        Refusal: a number is out of range.
    """
    plan = _asked(wish, draft, len(schema) - wish.kept).plan(schema, {})
    return target.asked(plan, schema, wish.epsilon).target


def _offer(
    wish: Wish, open_: Draft, schema: Schema, policies: Mapping[str, Policy] | None
) -> Offer:
    """The draft with what is searched for put in."""
    found = target.within(open_.plan(schema, dict(policies or {})), schema, wish.epsilon)
    test, model = found.plan.test, found.plan.model
    assert test.epsilon0 is not None
    assert model.epsilon is not None
    settled = replace(open_, k=test.k, epsilon0=test.epsilon0, model_epsilon=model.epsilon)
    made = promise(found.plan, schema)
    if found.answer is None:
        return Offer(settled, found.plan, made)
    answer = found.answer
    return Offer(settled, found.plan, made, answer.published_rule_k, answer.explanation)


def _asked(wish: Wish, draft: Draft, omega: int) -> Draft:
    """The settings a wish asks for; its k and ε0 are open and hold what any test would take."""
    target.check_epsilon(wish.epsilon)
    if omega < 0:
        raise Refusal(
            "More columns are to be copied than there are.", "Copy fewer columns.", field="kept"
        )
    return replace(
        draft,
        seeds_at_least=draft.seeds_at_least if wish.seeds_at_least is None else wish.seeds_at_least,
        test=wish.test,
        protocol=wish.protocol,
        attempts=wish.count,
        pass_floor=wish.pass_floor,
        records_per_person=wish.records_per_person,
        delta=wish.delta,
        model_epsilon=wish.epsilon,
        omega_low=omega,
        omega_high=omega,
        omega_ranges=False,
        t_by_hand=False,
        deterministic=False,
        noiseless=False,
        sampled=False,
    )


def _way(wish: Wish, remedy: Remedy) -> Way | None:
    """A remedy as a button has it; None where it is no good advice."""
    match remedy.change:
        case "count":
            verb = "Make" if wish.protocol == "attempts" else "Release"
            count = int(remedy.value)
            return Way(f"{verb} {words.counted(wish.protocol, count)}", "count", count)
        case "epsilon":
            epsilon = float(remedy.value)
            if epsilon > LARGE_EPSILON:
                return None
            return Way(f"Allow ε = {words.epsilon(epsilon)}", "epsilon", epsilon)
        case "delta":
            delta = float(remedy.value)
            return Way(f"Allow δ = {words.delta(delta)}", "delta", delta)
        case "seeds_at_least":
            seeds = int(remedy.value)
            return Way(f"Count on {seeds:,} seed records", "seeds_at_least", seeds)
        case "kind":
            name = words.TESTS[str(remedy.value)].lower()
            return Way(f"Use the {name} test", "test", remedy.value)
    return None
