"""What a budget still holds where it does not hold a run: plans that take less."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.core.refusal import Refusal
from engine.ledger.book import Balance
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import promise
from engine.models.omega import Omega
from engine.runs.debit import debited
from engine.table.schema import Schema

_SMALLEST_EPSILON = 0.01
_STEPS = 20


@dataclass(frozen=True)
class Within:
    """Changes to a plan with which it stays within a budget.

    Attributes:
        said: what they are, to a reader.
        plan: the plan with them.
    """

    said: str
    plan: Plan


def within(plan: Plan, schema: Schema, before: Balance) -> tuple[Within, ...]:
    """The plans nearest to one that a budget does not hold, each of which it does hold.

    Fewer attempts, where they are what is too dear; and no seeds at all, with what is left spent
    on the model. Neither may be there, as where nothing is left.

    Args:
        plan: what was asked for.
        schema: the columns.
        before: what was spent on the dataset so far, and its budget.
    """
    return tuple(
        found
        for found in (_fewer(plan, schema, before), _seedless(plan, schema, before))
        if found is not None
    )


def _fewer(plan: Plan, schema: Schema, before: Balance) -> Within | None:
    """The same with fewer attempts, or records where they are what is counted."""
    if not plan.seed_attempts(schema):
        return None

    def of(attempts: int) -> Plan | None:
        return _held(plan, schema, before, attempts=attempts)

    most = _largest(1, plan.attempts - 1, of)
    if most is None:
        return None
    what = "attempts" if plan.protocol == "attempts" else "records"
    return Within(f"{most.attempts:,} {what} in place of {plan.attempts:,}", most)


def _seedless(plan: Plan, schema: Schema, before: Balance) -> Within | None:
    """Every column drawn afresh, with as much noise in the model as it takes."""
    attributes, largest = len(schema), plan.model.epsilon or 1.0

    def of(step: int) -> Plan | None:
        share = (_SMALLEST_EPSILON / largest) ** (1 - step / _STEPS)
        epsilon = _rounded_down(largest * min(1.0, share))
        model = plan.model.at(epsilon)
        omega = Omega(low=attributes, high=attributes)
        return _held(plan, schema, before, omega=omega, model=model)

    most = _largest(0, _STEPS, of)
    if most is None:
        return None
    said = f"no columns copied, and ε = {most.model.epsilon:g} for the model"
    return Within(said, most)


def _largest(low: int, high: int, of: Callable[[int], Plan | None]) -> Plan | None:
    """The plan of the largest number that there is one for, where there is one for all below."""
    best = of(low) if low <= high else None
    if best is None:
        return None
    while low < high:
        middle = (low + high + 1) // 2
        found = of(middle)
        if found is None:
            high = middle - 1
        else:
            low, best = middle, found
    return best


def _held(plan: Plan, schema: Schema, before: Balance, **changes: Any) -> Plan | None:
    """A plan with some changes, if the budget holds it."""
    budget = before.dataset.budget
    try:
        changed = plan.changed(schema, **changes)
        spend = debited(changed, promise(changed, schema)).spend
    except Refusal:
        return None
    held = budget is None or (spend is not None and before.adding(spend).fits(budget))
    return changed if held else None


def _rounded_down(value: float) -> float:
    """Two digits, so that the number can be read."""
    power = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / power + 1e-9) * power:.2g}")
