"""The options of `understudy synthesize` for a seedbased plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from understudy.mechanisms.companions import PlanOptions
from understudy.mechanisms.fields import Values
from understudy.mechanisms.seedbased.fields.planner_fields import WANTED
from understudy.mechanisms.seedbased.fields.table import FIELDS

if TYPE_CHECKING:
    from understudy.mechanisms.seedbased.plan import Plan
    from understudy.table.schema import Schema


def _plan_of(typed: Values, schema: Schema) -> Plan:
    """Return the plan; `plan_from_options` is imported only if there is something to read."""
    from understudy.mechanisms.seedbased.plan_from_options import build_plan

    return build_plan(typed, schema)


def _propose_plan(typed: Values, schema: Schema) -> Plan:
    """Answer as `typed.propose_plan`, likewise."""
    from understudy.mechanisms.seedbased.plan_from_options import propose_plan

    return propose_plan(typed, schema)


OPTIONS: Final = PlanOptions(FIELDS, _plan_of, WANTED, _propose_plan, ("policies",))
"""Those of all settings that can be typed."""
