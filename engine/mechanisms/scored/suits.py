"""For which tables scored candidates are made."""

from __future__ import annotations

from engine.mechanisms.suiting import Shape, Strength, Suit
from engine.table.schema import Schema


def suits(schema: Schema) -> Suit | None:
    """Numbers, of which a few directions tell most; never the one to begin with."""
    if not Shape.of(schema).numbers:
        return None
    return Suit(
        Strength.POSSIBLE,
        "Its proposer Projected makes a few hundred records near real ones, as of a group that "
        "differs from the rest: numbers are disturbed along the directions in which the table "
        "varies, and what those directions do not tell of the group is lost.",
    )
