"""What a plan promises, in sentences a board member understands."""

from __future__ import annotations

import math
from typing import Final

from dashboard import words
from engine.privacy.budget import Budget
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise

LARGE_EPSILON: Final = 10.0
"""A total ε beyond which the promise about the whole table says little."""


def factor(value: float) -> str:
    """The factor e^ε in words."""
    if value > 14:
        return f"e^{value:,.0f}, a number with {int(value / math.log(10)) + 1:,} digits"
    return f"{math.exp(value):,.3g}"


def meaning(total: Budget) -> str:
    """What a total says, in one sentence a board member understands."""
    if not total.bounded:
        return "Nothing is promised about any single record."
    return (
        "With or without any one record, the chance of any conclusion drawn from the release "
        f"changes by a factor of at most {factor(total.epsilon)}; this may fail with a chance "
        f"of {words.one_in(total.delta)}."
    )


def covered(plan: Plan, made: Promise) -> str:
    """What the total of a plan is about, in a line for the meter."""
    if not made.total.bounded:
        return "Nothing is promised: the test or the model is run without noise."
    if made.seeds is None:
        return "Covers the whole release: the model and any number of rows made from it."
    return (
        f"Covers the whole release: the model and all {words.count(plan.attempts, 'attempt')}, "
        "rejected candidates included."
    )


def covers(plan: Plan, made: Promise) -> str:
    """What the total covers, in a few sentences."""
    if not made.total.bounded:
        return "Nothing: the test or the model is run without noise, to compare."
    if made.seeds is None:
        return (
            "The whole release: the model, and any number of records made from it. No attempt "
            "looks at a seed, so their number costs nothing."
        )
    attempts = words.count(plan.attempts, "attempt")
    return (
        f"The whole release: the model and all {attempts}, those whose candidates are turned down "
        "included. So it may be published how many attempts were made and how many records came "
        "out."
    )


def may_publish(plan: Plan, made: Promise) -> str:
    """What may leave the house after a run, in one sentence."""
    if not made.total.bounded:
        return "nothing, as nothing is promised."
    if made.seeds is None:
        return "the table, with any number of records; the model; the settings; and the guarantee."
    candidates = words.count(plan.attempts, "candidate")
    return (
        f"the table; that {candidates} were made and how many of them were released; the model; "
        "the settings; and the guarantee."
    )


def large(made: Promise) -> str | None:
    """What to say, and advise, when the total is too large to mean much."""
    total, model = made.total, made.structure | made.parameters
    if not total.bounded or total.epsilon <= LARGE_EPSILON:
        return None
    said = (
        f"As a promise about the whole table, ε = {words.epsilon(total.epsilon)} means little: it "
        "allows conclusions about one record that would be all but impossible without it. "
    )
    if made.seeds is None or made.seeds.total.epsilon < model.epsilon:
        return said + "Give the model a smaller ε."
    return said + (
        "It is the price of many attempts that each look at a seed. What helps: **fewer "
        "attempts**; a **fixed ω with a much larger k and a smaller ε0**; or a **seedless** "
        "plan (ω = all columns), where attempts cost nothing and only the model is paid for. "
        "Each released record by itself still has about k plausible seeds."
    )
