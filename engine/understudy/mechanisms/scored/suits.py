"""For which tables scored candidates are made."""

from __future__ import annotations

from understudy.mechanisms.on_a_map import tells_of_days
from understudy.mechanisms.suiting import Shape, Strength, Suit
from understudy.table.schema import Schema


def suits(schema: Schema) -> Suit | None:
    """Suit numbers, or flags alone, of which a few directions tell most; never as the one to begin
    with. Of people's days on a map, return None."""
    if tells_of_days(schema):
        return None
    shape = Shape.of(schema)
    if not shape.others and not shape.numbers:
        return Suit(
            Strength.POSSIBLE,
            "Its proposer Latent noise makes rows near those of a group that differs from the "
            "rest, where its few directions hold what sets the group apart; other than that, a "
            "model of the whole table is closer.",
        )
    if not shape.numbers:
        return None
    return Suit(
        Strength.POSSIBLE,
        "Its proposer Projected makes a few hundred records near real ones, as of a group that "
        "differs from the rest: numbers are disturbed along the directions in which the table "
        "varies, and what those directions do not tell of the group is lost.",
    )
