"""What days like those of given people promise; the proof is in docs/plausible-traces.md.

Neighbours are tables that differ by one person with all of their days. A coin of their own makes
them one of the people whom the model is learned from, a seed with one weekday, or one who is held
out. So they pay for the model or for the attempts, and the larger of both is the total.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from understudy.core.numerals import round_up
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.mechanisms.plausible_traces.promise import Promise, promise
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope
from understudy.privacy.budget import Neighbours
from understudy.privacy.strength import DEPENDS, strength
from understudy.table.schema import Schema

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
        statement=wording.promise(made.total, None, Neighbours.TABLES),
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
        particulars={"parts": _stated(plan, made)},
        test=_TEST,
        account=made,
    )


def _stated(plan: PlausiblePlan, made: Promise) -> Mapping[str, Any]:
    each, test = made.seeds.attempt, made.test
    return {
        "attempts": {
            "attempts": plan.attempts,
            "k": test.k,
            "epsilon0": test.epsilon0,
            "t": made.seeds.t,
            "pass_cap": made.seeds.pass_cap,
            "seeds_at_least": made.seeds.seeds_at_least,
            "one_attempt": each.stated(),
            **made.attempts.stated(),
        },
        "model": {"rho": made.rho, **made.learning.stated()},
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
