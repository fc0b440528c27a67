"""What follows from what may be spent on a person: the prior, or the noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.imputation.planning import strength_for
from understudy.mechanisms.plan import MechanismPlan
from understudy.table.schema import Schema


def list_budgeted(plan: MechanismPlan) -> tuple[str, ...]:
    """Return the names of the settings that follow; see `understudy.mechanisms.spending`."""
    assert isinstance(plan, ImputationPlan)
    return ("epsilon",) if plan.release == "noised-mode" else ("strength",)


def spend(plan: MechanismPlan, schema: Schema, epsilon: float) -> Mapping[str, Any]:
    """Return the settings that keep to an ε: how strong the prior is; of parameters with noise, how
    much noise.

    Raises:
        Refusal: no prior that leaves the records most of the say keeps to it.
    """
    assert isinstance(plan, ImputationPlan)
    if plan.release == "noised-mode":
        used = math.expm1(epsilon / plan.records_per_person) * plan.records / plan.kept
        return {"epsilon": math.log1p(used)}
    return {"strength": strength_for(plan, schema, epsilon)}
