"""The options of `understudy synthesize` for a seedbased plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from understudy.mechanisms.fields import Values
from understudy.mechanisms.options import PlanOptions
from understudy.mechanisms.seedbased.fields.table import FIELDS

if TYPE_CHECKING:
    from understudy.mechanisms.seedbased.plan import Plan
    from understudy.table.schema import Schema


def _plan_of(typed: Values, schema: Schema) -> Plan:
    """As `typed.plan_of`, which is imported only when there is something to read."""
    from understudy.mechanisms.seedbased.typed import plan_of

    return plan_of(typed, schema)


OPTIONS: Final = PlanOptions(FIELDS, _plan_of)
"""Those of all settings that can be typed."""
