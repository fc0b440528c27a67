"""How people move: stays, hours, ways, and from where to where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from understudy.evaluation.measure import About, Group
from understudy.evaluation.mobility import counting
from understudy.evaluation.mobility.difference import Difference
from understudy.evaluation.mobility.formulas import jensen_shannon, variation
from understudy.evaluation.mobility.seen import Seen
from understudy.evaluation.mobility.tallies import Counted

_GROUP: Final[Group] = "moves"


def _variation(
    key: str, name: str, chosen: str, of: str, counted: Callable[[Seen], Counted]
) -> Difference:
    about = About(
        key=key,
        name=name,
        sentence=(
            f"Choose any {chosen}: the share of the table's {of} with one of them differs from "
            f"that of held-out people's {of} by at most this much."
        ),
        low=0,
        high=1,
        better="lower",
        group=_GROUP,
    )
    return Difference(about, counted, variation)


STAYS = _variation(
    "stays-a-day", "Stays a day", "numbers of stays a day", "days", counting.stays_a_day
)
HOURS = _variation(
    "hours-of-moves", "Hours of moves", "hours of the day", "moves", counting.hours_of_moves
)
DURATIONS = _variation(
    "stay-durations", "Durations of stays", "durations of a stay", "stays", counting.durations
)
TRAVEL = _variation(
    "travel-times", "Travel times", "travel times between stays", "moves", counting.travel_times
)
FLOWS = _variation(
    "flows", "Flows between zones", "pairs of zones, from one to the other", "moves", counting.flows
)

JUMPS = Difference(
    About(
        key="jump-lengths",
        name="Lengths of moves",
        sentence=(
            "How far the distances of the table's moves, in whole kilometres, are from those of "
            "held-out people's: the Jensen–Shannon divergence in bits, 0 % for the same and 100 % "
            "for nothing in common."
        ),
        low=0,
        high=1,
        better="lower",
        group=_GROUP,
    ),
    counting.jumps,
    jensen_shannon,
)

EVERY: Final = (STAYS, HOURS, JUMPS, TRAVEL, DURATIONS, FLOWS)
