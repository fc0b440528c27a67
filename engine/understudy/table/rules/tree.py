"""Rules as trees, as the parser reads them; and how their parts are written and refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, shorten_text

_QUOTED: Final = 40
_LONGEST_SHOWN: Final = 200
_TAKEN: Final = frozenset(
    ("TRUE", "FALSE", "T", "F", "NA", "NA_character_", "NA_integer_", "NA_real_", "NULL", "NaN",
     "Inf", "if", "else", "c", "and", "AND", "or", "OR", "not", "NOT", "then", "in")
)  # fmt: skip
"""Words that do not name a column unless they stand in backticks."""


@dataclass(frozen=True)
class RulePart:
    """A part of a rule.

    Attributes:
        start, end: where it stands in the text, counted from 0.
    """

    start: int
    end: int


@dataclass(frozen=True)
class ConstantPart(RulePart):
    """A number, a text, or TRUE or FALSE."""

    value: Decimal | str | bool


@dataclass(frozen=True)
class ColumnPart(RulePart):
    """A column, by its name."""

    name: str


@dataclass(frozen=True)
class ArithmeticPart(RulePart):
    """Two numbers with +, −, * or / between them."""

    sign: str
    left: RulePart
    right: RulePart


@dataclass(frozen=True)
class ComparisonPart(RulePart):
    """Two sides with one of ==, !=, <, <=, > and >= between them."""

    sign: str
    left: RulePart
    right: RulePart


@dataclass(frozen=True)
class MembershipPart(RulePart):
    """Whether a column is one of some constants."""

    item: RulePart
    options: tuple[ConstantPart, ...]


@dataclass(frozen=True)
class MissingPart(RulePart):
    """Whether a column is missing."""

    column: ColumnPart


@dataclass(frozen=True)
class NegationPart(RulePart):
    """That a condition does not hold."""

    inner: RulePart


@dataclass(frozen=True)
class JunctionPart(RulePart):
    """Conditions with & or | between them."""

    sign: str
    parts: tuple[RulePart, ...]


@dataclass(frozen=True)
class ChoicePart(RulePart):
    """A condition, what holds if it does, and what holds otherwise; None for nothing."""

    condition: RulePart
    then: RulePart
    otherwise: RulePart | None


CONDITIONS: Final = (
    ComparisonPart, MembershipPart, MissingPart, NegationPart, JunctionPart, ChoicePart,
)  # fmt: skip
"""Parts that hold or do not hold."""
MIRRORED: Final = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The sign of a comparison whose sides are exchanged."""


def list_columns(part: RulePart) -> Iterator[ColumnPart]:
    """Yield every mention of a column in a part of a rule."""
    match part:
        case ColumnPart():
            yield part
        case ArithmeticPart() | ComparisonPart():
            yield from list_columns(part.left)
            yield from list_columns(part.right)
        case JunctionPart():
            for inner in part.parts:
                yield from list_columns(inner)
        case MembershipPart():
            yield from list_columns(part.item)
        case MissingPart():
            yield part.column
        case NegationPart():
            yield from list_columns(part.inner)
        case ChoicePart():
            yield from list_columns(part.condition)
            yield from list_columns(part.then)
            if part.otherwise is not None:
                yield from list_columns(part.otherwise)


def refuse_place(text: str, start: int, end: int, problem: str, remedy: str) -> Refusal:
    """Return the refusal of a place of a rule.

    Args:
        text: of the rule.
        start, end: the place.
        problem: what is wrong there, a sentence without its full stop.
        remedy: what to write instead, a sentence.
    """
    quoted = " ".join(escape_invisible(text[start:end]).split())
    where = f"character {start + 1}, “{shorten_text(quoted, _QUOTED)}”" if quoted else "its end"
    return Refusal(
        f"In the rule “{show_rule(text)}”, at {where}: {problem}.", remedy, field="rules"
    )


def show_rule(text: str) -> str:
    """Return the text of a rule as it stands in a sentence."""
    return shorten_text(escape_invisible(" ".join(text.split())), _LONGEST_SHOWN)


def quote_column(name: str) -> str:
    """Return the name of a column as it stands in a rule."""
    plain = re.fullmatch(r"(?:[^\W\d_]|\.(?![0-9]))(?:\w|\.)*", name) is not None
    if plain and name not in _TAKEN:
        return name
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


def quote_constant(text: str) -> str:
    """Return a text as a constant of a rule."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
