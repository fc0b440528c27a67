"""From what may be spent on one person in all to a plan that spends it, whichever the method.

A method whose ε follows from other settings brings a module `spending`, found by its name
(`understudy.mechanisms.companions`), with two functions: `list_budgeted`, from a plan to the names
of the settings that follow from what may be spent, and `spend`, from a plan, the schema and an ε to
the settings that keep to it, by their dotted names in a plan file. Of any other method, the ε of
its plan is taken to be what one record may cost. Public numbers only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import companion
from understudy.mechanisms.fields import EPSILON, merge_settings, nest_settings
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.privacy_unit import PER_PERSON
from understudy.mechanisms.registry import mechanism_of, method_named, plan_of
from understudy.privacy.planning.question import LARGEST_EPSILON
from understudy.table.schema import Schema

_OWN: Final = "epsilon"
_CLOSE: Final = 1e-6


def by_budget(kind: str) -> bool:
    """Return whether plans of a method can follow from what may be spent."""
    method = method_named(kind)
    return companion(method, "spending") is not None or _OWN in method.plan.model_fields


def list_budgeted(plan: MechanismPlan) -> tuple[str, ...]:
    """Return the dotted names of the settings that follow from what may be spent; none where the
    plan has no ε, and its method says nothing."""
    found = companion(mechanism_of(plan), "spending")
    if found is not None:
        names: tuple[str, ...] = found.list_budgeted(plan)
        return names
    return (_OWN,) if _OWN in type(plan).model_fields else ()


def follows(decided: PlannedRun) -> bool:
    """Return whether what a plan costs a person in all is what `spend` would have it be."""
    plan, total = decided.plan, decided.guarantee.total
    if not list_budgeted(plan) or not total.bounded:
        return False
    if companion(decided.mechanism, "spending") is not None:
        return True
    own: float = _per_person(plan) * getattr(plan, _OWN)
    return abs(own - total.epsilon) <= _CLOSE * total.epsilon


def spend(plan: MechanismPlan, schema: Schema, epsilon: float) -> MechanismPlan:
    """Return the plan with the settings that keep to an ε for one person in all.

    Raises:
        Refusal: there are none, or the ε is out of range; `field` is “epsilon” or the setting.
    """
    if not 0 < epsilon <= LARGEST_EPSILON:
        raise Refusal(
            f"ε has to be a number above 0 and at most {LARGEST_EPSILON:,.0f}.",
            "Enter how much may be spent in all, such as 1.",
            field=EPSILON.name,
        )
    found = companion(mechanism_of(plan), "spending")
    own: Mapping[str, Any] = (
        {_OWN: epsilon / _per_person(plan)} if found is None else found.spend(plan, schema, epsilon)
    )
    return plan_of(merge_settings(plan.as_dict(), nest_settings(own)))


def _per_person(plan: MechanismPlan) -> int:
    return int(getattr(plan, PER_PERSON, 1))
