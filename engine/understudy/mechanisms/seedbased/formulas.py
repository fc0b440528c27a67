"""The formulas behind a promise with the numbers of its plan put in, as plain text.

Figures are rounded upwards. The statements and their proofs are in docs/guarantee.md.
"""

from __future__ import annotations

from understudy.core.numerals import round_up
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.unit_counts import STOP_SHARE
from understudy.privacy.budget import Budget

_EXCESS = "Δ(ε′) = Σ C(N, l)·(e^((N − l)·ε) − e^(ε′ + l·ε)) / (1 + e^ε)^N over (N − 2l)·ε > ε′"


def formulas(plan: Plan, made: Promise) -> list[dict[str, str]]:
    """Return what of, and the formula: one unit, the composition, the cap, the parts, the person.

    Empty where nothing is promised.
    """
    if not made.total.bounded:
        return []
    written = _seeds(plan, made, made.seeds) if made.seeds is not None else []
    written.append(("the whole release, for one record", _parts(made)))
    if plan.records_per_person > 1:
        written.append(("a person", _group(plan, made)))
    if plan.sampling is not None:
        written.append(("the population", _sampling(plan, made)))
    return [{"of": of, "text": text} for of, text in written]


def _seeds(plan: Plan, made: Promise, seeds: Account) -> list[tuple[str, str]]:
    written = [("one attempt", _attempt(plan, seeds))]
    if made.attempts_at_most is not None:
        written.append(("one released record", _slot(seeds)))
    written.append(("composition", _composition(seeds)))
    if seeds.pass_cap is not None:
        cap = f"ρ = 1 / ((n + 1)·e^ε − n) = {round_up(seeds.pass_cap)}"
        written.append(("pass cap", f"{cap}, n = {plan.seeds_at_least:,}"))
    if made.attempts_at_most is not None:
        written.append(("stopping", _stopping(plan, made)))
    return written


def _attempt(plan: Plan, seeds: Account) -> str:
    test, each = plan.test, seeds.attempt
    counts_gamma = test.kind == "plausible-deniability" and not seeds.equal_likelihood
    sign, similarity = ("γ", f"{test.similarity:g}") if counts_gamma else ("1", "1")
    constant = "½" if test.noise == "laplace" else "1/(1 + e^(−ε0))"
    return (
        f"ε = ε0 + ln(1 + {sign}/t) = {test.epsilon0:g} + ln(1 + {similarity}/{seeds.t:,}) = "
        f"{round_up(each.epsilon)}; δ = {constant}·e^(−ε0·(k − t)) / (n + 1) = "
        f"{round_up(each.delta)}, k = {test.k:,}, t = {seeds.t:,}, n = {plan.seeds_at_least:,}"
    )


def _slot(seeds: Account) -> str:
    assert seeds.unit is not None
    return (
        f"(ε, δ / (c − δ)) = {_figures(seeds.each)}, c = {seeds.unit.pass_floor:.12g}, as the "
        "record is the first of several attempts that passes"
    )


def _composition(seeds: Account) -> str:
    match seeds.composition:
        case "sequential":
            law = "(N·ε, N·δ)"
        case "advanced":
            law = "(ε·√(2N·ln(1/δ″)) + N·ε·(e^ε − 1), N·δ + δ″)"
        case _:
            law = f"ε′ is the smallest with 1 − (1 − δ)^N·(1 − Δ(ε′)) ≤ δ′, where {_EXCESS}"
    what = "attempt" if seeds.protocol == "attempts" else "record"
    many = f"N = {seeds.count:,} {what}{'' if seeds.count == 1 else 's'}"
    return f"{many}, {seeds.composition}: (ε′, δ′) = {_figures(seeds.record)}; {law}"


def _stopping(plan: Plan, made: Promise) -> str:
    return (
        f"after A = {made.attempts_at_most:,} attempts, so that (1 + e^ε)·Pr{{Bin(A, c) < m}} is "
        f"at most {round_up(STOP_SHARE * made.record_delta)}, which is paid for; "
        f"m = {plan.attempts:,}, c = {plan.pass_floor:.12g}"
    )


def _parts(made: Promise) -> str:
    parts = dict(made.learning)
    if made.seeds is not None:
        parts = {"seeds": made.seeds.total, **parts}
    if made.acceptance is not None:
        parts["acceptance test"] = made.acceptance
    named = "; ".join(f"{name} {round_up(part.epsilon)}" for name, part in parts.items())
    return f"ε = {round_up(made.record.epsilon)}, as the parts see different records: {named}"


def _group(plan: Plan, made: Promise) -> str:
    return (
        f"(g·ε, g·e^((g − 1)·ε)·δ) = {_figures(made.total)}, g = {plan.records_per_person:,}, from "
        f"{_figures(made.record)} for one record"
    )


def _sampling(plan: Plan, made: Promise) -> str:
    assert made.population is not None
    return (
        f"(ln(1 + p·(e^ε − 1)), p·δ) = {_figures(made.population)}, p = {plan.sampling:.12g}, "
        f"between populations, from {_figures(made.total)} between tables"
    )


def _figures(budget: Budget) -> str:
    return f"({round_up(budget.epsilon)}, {round_up(budget.delta)})"
