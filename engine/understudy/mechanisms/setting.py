"""One declaration a setting: on the plan, where it stands with its type, its range and its default.

All that shows a setting is made from what is said here: the help of `understudy method METHOD`, the
form on the page, the line of a report, the comparison of plans
(`understudy.mechanisms.plan_fields`) and the JSON Schema of statements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import Field

from understudy.mechanisms.fields import FieldGroup, Values, Words, always
from understudy.mechanisms.kinds import Kind

COST: Final = FieldGroup("What it may cost", "The promise")
MADE: Final = FieldGroup("What is made", "The release")
MODEL: Final = FieldGroup("The model", "The model")
OTHERS: Final = FieldGroup("The settings", "Settings")


@dataclass(frozen=True)
class DeclaredSetting:
    """How a setting is shown, apart from what its type, range and default tell.

    Attributes:
        words: what is said of it.
        group: where it stands.
        after: the setting that it follows in a form, where that is not the one declared before it.
        kind: its values, where a form shows them otherwise than their type alone would have it.
        stands, applies, only_where_used, unit, none, told, may_be_empty, paid: as of
            `understudy.mechanisms.fields.Field`; None of these follows from the type.
    """

    words: Words
    group: FieldGroup = OTHERS
    after: str = ""
    kind: Kind | None = None
    unit: str = "number"
    stands: Literal["open", "folded", "elsewhere"] = "open"
    applies: Callable[[Values], bool] = always
    only_where_used: bool = False
    none: str = "none"
    told: bool | None = None
    may_be_empty: bool | None = None
    paid: bool = False

    def __call__(self, schema: dict[str, Any]) -> None:
        """Leave the JSON Schema of the setting as it is: the declaration is kept where the
        validation library keeps what is said of a schema."""


_HELD_TO: Final = frozenset({"ge", "gt", "le", "lt", "min_length", "allow_inf_nan"})


def declare_setting(
    default: Any,
    label: str,
    description: str,
    *,
    sign: str = "",
    help: str = "",
    **said: Any,
) -> Any:
    """Return the declaration of a setting, to be assigned in the body of a plan.

    Args:
        default: its value where nobody chooses one; `...` where somebody has to.
        label: what it is called.
        description: what it does, in a sentence or a few, for forms, reports and the JSON Schema.
        sign: the letter that stands for it in formulas.
        help: what a form says of it instead of the description.
        said: between which values it lies (`ge`, `gt`, `le`, `lt`, `min_length`, `allow_inf_nan`),
            and what else `DeclaredSetting` has.
    """
    words = Words(label=label, meaning=description, help=help or description, sign=sign)
    limits = {name: each for name, each in said.items() if name in _HELD_TO}
    shown = {name: each for name, each in said.items() if name not in _HELD_TO}
    return Field(
        default,
        description=description,
        json_schema_extra=DeclaredSetting(words, **shown),
        **limits,
    )
