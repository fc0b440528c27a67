"""Plans that take less than one that a budget does not hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import CheaperPlan
from understudy.mechanisms.seedbased.guarantee import guarantee
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.table.schema import Schema

# Of ten: a model is offered an ε of a hundredth at least.
_SMALLEST_POWER = -2

Holds = Callable[[Guarantee], bool]


def cheaper(plan: Plan, schema: Schema, holds: Holds) -> tuple[CheaperPlan, ...]:
    """Return fewer attempts, where they are what is too dear; and no seeds at all, with what is
    left spent on the model. Neither may be there, as where nothing is left."""
    found = (_fewer(plan, schema, holds), _seedless(plan, schema, holds))
    return tuple(each for each in found if each is not None)


def _fewer(plan: Plan, schema: Schema, holds: Holds) -> CheaperPlan | None:
    """Return the same with fewer attempts, or records where they are what is counted."""
    if not plan.seed_attempts(schema):
        return None

    def of(attempts: int) -> Plan | None:
        return _try_changes(plan, schema, holds, attempts=attempts)

    most = _largest(1, plan.attempts - 1, of)
    if most is None:
        return None
    what = "attempts" if plan.protocol == "attempts" else "records"
    return CheaperPlan(f"{most.attempts:,} {what} in place of {plan.attempts:,}", most)


def _seedless(plan: Plan, schema: Schema, holds: Holds) -> CheaperPlan | None:
    """Return every column drawn afresh, with as much noise in the model as it takes."""
    attributes, largest = len(schema), plan.model.epsilon or 1.0
    epsilons = _list_two_digits(largest)

    def of(place: int) -> Plan | None:
        model = plan.model.at(epsilons[place])
        omega = Omega(low=attributes, high=attributes)
        return _try_changes(plan, schema, holds, omega=omega, model=model)

    most = _largest(0, len(epsilons) - 1, of)
    if most is None:
        return None
    said = f"no columns copied, and ε = {most.model.epsilon:g} for the model"
    return CheaperPlan(said, most)


def _largest(low: int, high: int, of: Callable[[int], Plan | None]) -> Plan | None:
    """Return the plan of the largest number that there is one for, where there is one for all
    below."""
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


def _try_changes(plan: Plan, schema: Schema, holds: Holds, **changes: Any) -> Plan | None:
    """Return a plan with some changes, if there is enough for it."""
    try:
        changed = plan.change(schema, **changes)
        return changed if holds(guarantee(changed, schema)) else None
    except Refusal:
        return None


def _list_two_digits(largest: float) -> list[float]:
    """Return the numbers of two digits from a hundredth to this one, or this one if it is less."""
    powers = range(_SMALLEST_POWER, math.floor(math.log10(largest)) + 1)
    numbers = (float(f"{digits}e{power - 1}") for power in powers for digits in range(10, 100))
    return [number for number in numbers if number <= largest] or [largest]
