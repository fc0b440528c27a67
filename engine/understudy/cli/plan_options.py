"""The options of `understudy synthesize` that a plan is made of, where no plan file is named.

They are those of the method that a plan file is for where it names none. A plan of any other
method comes from a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from understudy.mechanisms import companions
from understudy.mechanisms.companions import PlanOptions

if TYPE_CHECKING:
    from understudy.cli.settings import Settings
    from understudy.mechanisms.plan import MechanismPlan
    from understudy.table.schema import Schema

OPTIONS: Final[PlanOptions] = companions.of(companions.UNTAGGED, "options", "OPTIONS")
FIELDS: Final = OPTIONS.fields


def plan_of(settings: Settings, schema: Schema) -> MechanismPlan:
    """Return the plan that typed settings make for a schema.

    Raises:
        Refusal: a setting cannot be read, is out of range, or does not fit the schema.
    """
    return OPTIONS.plan_of(settings.of(FIELDS), schema)
