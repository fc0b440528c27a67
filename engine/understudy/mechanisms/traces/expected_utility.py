"""For which tables made traces are."""

from __future__ import annotations

from understudy.mechanisms.expected_utility import Recommendation, Suit
from understudy.mechanisms.mobility_plan import tells_of_days
from understudy.table.schema import Schema


def suits(schema: Schema) -> Suit | None:
    """Suit days on a map; return None for any other table."""
    if not tells_of_days(schema):
        return None
    return Suit(
        Recommendation.BEST,
        "The records are days on a map, and it makes whole days of people who do not exist.",
    )
