"""A field of a Table Schema, piece by piece, as a kind of column reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from understudy.core.refusal import Refusal
from understudy.table.cells import without_trailing_zeros
from understudy.table.checks import check_decimal


@dataclass(frozen=True)
class FieldEntry:
    """What a field of a Table Schema says of the values of its column.

    Attributes:
        type: as the standard names it, such as “integer”.
        constraints: as the standard names them, such as “minimum”.
        extra: what the standard has no word for, such as “step”.
        settings: whatever else the field says, such as “categories”.
    """

    type: str
    constraints: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, settings: Mapping[str, Any], constraints: Mapping[str, Any], extra: Mapping[str, Any]
    ) -> FieldEntry:
        """Return the pieces of a field.

        Raises:
            Refusal: its type is no text.
        """
        kind = read_text(settings.get("type", "string"), "Its type")
        return cls(kind, constraints, extra, settings)

    @property
    def listed(self) -> bool:
        """Whether its values are listed."""
        return "enum" in self.constraints or "categories" in self.settings

    @property
    def bounded(self) -> bool:
        """Whether it has a minimum and a maximum."""
        return {"minimum", "maximum"} <= self.constraints.keys()

    def bounds(self) -> tuple[Decimal, Decimal]:
        """Return its minimum and its maximum.

        Raises:
            Refusal: one is no number.
        """
        low, high = (read_number(self.constraints[name], name) for name in ("minimum", "maximum"))
        return low, high


def plain_number(number: Decimal) -> int | float | str:
    """Return a JSON number where that is exact, otherwise the decimal as text."""
    if number == number.to_integral_value():
        return int(number)
    return (
        float(number)
        if Decimal(repr(float(number))) == number
        else f"{without_trailing_zeros(number):f}"
    )


def read_number(value: object, what: str) -> Decimal:
    """Return a number.

    Raises:
        Refusal: it is none, or too long.
    """
    try:
        if isinstance(value, bool) or not isinstance(value, Decimal | int | float | str):
            raise TypeError
        number = Decimal(value)
    except (TypeError, ValueError, InvalidOperation):
        raise Refusal(f"Its {what} is not a number.", "Enter a plain number.") from None
    check_decimal(number, what)
    return number


def read_text(value: object, what: str) -> str:
    """Return a text, or the text of a number or truth value, as other tools write them.

    Raises:
        Refusal: it is something else.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return str(value)
    if not isinstance(value, str):
        raise Refusal(f"{what} is not a text.", "Write it in quotation marks.")
    return value


def read_list(value: object, what: str) -> list[object]:
    """Return a list.

    Raises:
        Refusal: it is something else.
    """
    if not isinstance(value, list):
        raise Refusal(f"{what} are not a list.", "Write a list in square brackets.")
    return value
