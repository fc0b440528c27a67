"""For which tables a latent model without seeds is made."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.suiting import Shape, Strength, Suit
from understudy.table.pictures.declared import are_pictures
from understudy.table.schema import Schema

_SOME: Final = 50
_MANY: Final = 100
"""Flags: below the first the calibrated model counts the pairs and is closer; from the second on
sums of products, which cost the same for every pair, tell more."""


def suits(schema: Schema) -> Suit | None:
    """It is the one to begin with for a hundred flags or more, and no category beside them. A flag
    for each code of a column is not what it is for: the codes exclude one another."""
    shape = Shape.of(schema)
    if shape.others and not are_pictures(schema):
        return None
    if shape.flags >= _MANY:
        return Suit(
            Strength.BEST,
            f"Of {shape.flags:,} columns of two values it measures all pairs at once, and keeps "
            "those that stand out of the noise. It is for tables in which most records are yes in "
            "few of the columns: how many are counted of a record is set beforehand.",
        )
    if shape.flags >= _SOME:
        return Suit(
            Strength.GOOD,
            f"Of {shape.flags:,} columns of two values it measures all pairs at once, where a "
            "model that counts pairs has to choose among them.",
        )
    return Suit(
        Strength.POSSIBLE,
        "It measures how all columns vary together, and keeps what a few directions tell. Up to "
        "about 50 columns a model that counts pairs is closer.",
    )
