"""The settings of a method as options of `understudy synthesize`, and the plan that they make.

A method whose plans can be typed has a module `options` in its folder with an object `OPTIONS`.
Nothing here depends on numerical libraries: the command line asks before it knows what is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from understudy.mechanisms.fields import Table, Values

if TYPE_CHECKING:
    from understudy.mechanisms.plan import MechanismPlan
    from understudy.table.schema import Schema


@dataclass(frozen=True)
class PlanOptions:
    """The options of a method, and the plan that they make.

    Attributes:
        fields: its settings; those with an option can be typed.
        plan_of: makes a plan for a schema from the values that were typed, by the names of their
            fields; raises `Refusal` where one cannot be read, is out of range, or does not fit
            the schema.
        questions: what its planner asks, from which it proposes all settings.
        propose_plan: makes the plan that the planner proposes for a schema, from values by the
            names of the questions, with the settings of `kept` beside them; raises `Refusal` as
            `plan_of`, and if no plan keeps to what may be spent.
        kept: the settings that the planner takes over as they are.
    """

    fields: Table
    plan_of: Callable[[Values, Schema], MechanismPlan]
    questions: Table
    propose_plan: Callable[[Values, Schema], MechanismPlan]
    kept: tuple[str, ...] = ()
