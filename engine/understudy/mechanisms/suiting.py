"""For which tables a method is made: what each says of a schema itself, the most suitable first.

A method that has something to say brings a module `suits` (`understudy.mechanisms.companions`) with
a function of that name, from a schema to a `Suit`, or None where it says nothing. Only the schema
is looked at, so what is said costs nothing and is no secret.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import companion
from understudy.mechanisms.mechanism import Mechanism
from understudy.table.column import Column
from understudy.table.schema import Schema


class Strength(IntEnum):
    """How strongly a method speaks for itself."""

    POSSIBLE = 1
    """It can be used, for a purpose that the sentence names."""
    GOOD = 2
    """It is as good as any, or better in something that the sentence names."""
    BEST = 3
    """It is the one to begin with."""


@dataclass(frozen=True)
class Suit:
    """What a method says of itself for some columns.

    Attributes:
        strength: how strongly it speaks.
        sentence: for which table it is, and why; to a custodian.
    """

    strength: Strength
    sentence: str


@dataclass(frozen=True)
class Shape:
    """How many columns of each kind a table has.

    Attributes:
        flags: of two values, none of them missing.
        numbers: with an order and a range, and more than two values.
        others: categories of more than two values, and flags that may be missing.
    """

    flags: int
    numbers: int
    others: int

    @classmethod
    def of(cls, schema: Schema) -> Shape:
        """Return those of a schema."""
        flags = sum(map(_flag, schema.columns))
        numbers = sum(each.ordered and not _flag(each) for each in schema.columns)
        return cls(flags, numbers, len(schema) - flags - numbers)

    @property
    def columns(self) -> int:
        """How many there are."""
        return self.flags + self.numbers + self.others


def suits_by_kind(mechanisms: Iterable[Mechanism], schema: Schema) -> dict[str, Suit]:
    """Return what methods that can be used for these columns say of themselves, by their kinds, the
    strongest first, and of two that are as strong the one that comes first.

    Args:
        mechanisms: the methods that are asked.
        schema: the columns.
    """
    asked = ((each, companion(each, "suits")) for each in mechanisms)
    said = {
        each.kind: found.suits(schema)
        for each, found in asked
        if found is not None and usable(each, schema)
    }
    told = [(kind, suit) for kind, suit in said.items() if suit is not None]
    return dict(sorted(told, key=lambda each: -each[1].strength))


def usable(mechanism: Mechanism, schema: Schema) -> bool:
    """Return whether a method can be used for these columns at all."""
    try:
        mechanism.check_schema(schema)
    except Refusal:
        return False
    return True


def _flag(column: Column) -> bool:
    return column.domain.size == 2 and not column.missing
