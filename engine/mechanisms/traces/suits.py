"""For which tables made traces are."""

from __future__ import annotations

from engine.mechanisms.suiting import Strength, Suit
from engine.table.schema import Schema


def suits(schema: Schema) -> Suit | None:
    """Days that are made of positions; of any other table it says nothing."""
    if schema.reading is None or schema.reading.positions is None:
        return None
    return Suit(
        Strength.BEST,
        "The records are days on a map, and it makes whole days of people who do not exist.",
    )
