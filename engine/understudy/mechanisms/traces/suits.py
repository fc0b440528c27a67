"""For which tables made traces are."""

from __future__ import annotations

from understudy.mechanisms.on_a_map import tells_of_days
from understudy.mechanisms.suiting import Strength, Suit
from understudy.table.schema import Schema


def suits(schema: Schema) -> Suit | None:
    """Days on a map; of any other table it says nothing."""
    if not tells_of_days(schema):
        return None
    return Suit(
        Strength.BEST,
        "The records are days on a map, and it makes whole days of people who do not exist.",
    )
