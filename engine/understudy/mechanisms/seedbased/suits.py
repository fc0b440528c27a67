"""For which tables seedbased synthesis is made; measured in docs/models.md."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.on_a_map import tells_of_days
from understudy.mechanisms.suiting import Shape, Strength, Suit
from understudy.table.schema import Schema

_FEW: Final = 50
"""Up to so many flags the calibrated model counts enough pairs at ε = 1."""
_MANY: Final = 100
"""From so many on it hardly counts any."""


def suits(schema: Schema) -> Suit | None:
    """Recommend it to begin with if there are categories or up to about 50 columns. Of more flags
    it counts ever fewer pairs; of people's days on a map, return None."""
    if tells_of_days(schema):
        return None
    shape = Shape.of(schema)
    if shape.others or shape.columns <= _FEW:
        return Suit(
            Strength.BEST,
            "Its calibrated model is the closest that was measured here for a table with "
            "categories, or of up to about 50 columns.",
        )
    if shape.flags < _MANY:
        return Suit(
            Strength.GOOD,
            "Its calibrated model counts pairs of columns. The more columns there are, the smaller "
            "is the part of them that it can count.",
        )
    return Suit(
        Strength.POSSIBLE,
        f"Of {shape.flags:,} columns of two values its calibrated model can count hardly any pair "
        "unless there are very many records, so what they have to do with one another is lost.",
    )
