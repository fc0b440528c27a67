"""Where people are and how they move, all of them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from understudy.evaluation.measure import About, Group
from understudy.evaluation.mobility import counts
from understudy.evaluation.mobility.counts import (
    DayCounts,
    entering,
    places_by_time,
    stay_cells,
    zones_by_period,
)
from understudy.evaluation.mobility.days import Seen
from understudy.evaluation.mobility.difference import (
    PeopleDifference,
    jensen_shannon,
    relative_error,
    top_kept,
    variation,
)

# Where people are: how popular places and zones are, and which of them are entered.

TOP: Final = 50
SANITY: Final = 0.01

BY_TIME = PeopleDifference(
    About(
        key="places-by-time",
        name="Places by time",
        sentence=(
            "Choose any cells at any times of the day: the share of time that the table's people "
            "spend there differs from that of held-out people by at most this much. Cells of the "
            "map by 20 minutes."
        ),
        low=0,
        high=1,
        better="lower",
        group="places",
        headline=True,
    ),
    places_by_time,
    variation,
)

PLACES = PeopleDifference(
    About(
        key="places",
        name="Popularity of places",
        sentence=(
            "Choose any cells of the map: the share of time that the table's people spend there "
            "differs from that of held-out people by at most this much."
        ),
        low=0,
        high=1,
        better="lower",
        group="places",
        headline=True,
    ),
    stay_cells,
    variation,
)

ZONES = PeopleDifference(
    About(
        key="zones-by-period",
        name="Zones by quarter of the day",
        sentence=(
            "Choose any zones in any quarters of the day: the share of time that the table's "
            "people spend there differs from that of held-out people by at most this much."
        ),
        low=0,
        high=1,
        better="lower",
        group="places",
        headline=True,
    ),
    zones_by_period,
    variation,
)

TOP_KEPT = PeopleDifference(
    About(
        key="top-places-kept",
        name="Busiest places kept",
        sentence=(
            f"How many of the {TOP} cells that held-out people spend most time in are among those "
            "of the table's people."
        ),
        low=0,
        high=1,
        better="higher",
        group="places",
        source="Coverage of the top n: Bindschaedler, dissertation 2018, §7.3",
    ),
    stay_cells,
    top_kept(TOP),
    jackknife=False,
)

ENTERING = PeopleDifference(
    About(
        key="entering-rectangles",
        name="Days that enter a rectangle",
        sentence=(
            "Ask how many days enter a rectangle of cells: by how much the answer of the table is "
            "off, as a share of that of held-out people or of 1 % of all days, whichever is more; "
            "the mean over 200 rectangles, the same for every table."
        ),
        low=0,
        high=float("inf"),
        better="lower",
        group="places",
        source="Query error: AdaTrace, CCS 2018; there with circles on trajectories",
        unit="number",
        headline=True,
    ),
    entering,
    relative_error(SANITY),
)


# How people move: stays, hours, ways, and from where to where.

_GROUP: Final[Group] = "moves"


def _variation(
    key: str,
    name: str,
    chosen: str,
    of: str,
    counted: Callable[[Seen], DayCounts],
    *,
    headline: bool = False,
) -> PeopleDifference:
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
        headline=headline,
    )
    return PeopleDifference(about, counted, variation)


STAYS = _variation(
    "stays-a-day",
    "Stays a day",
    "numbers of stays a day",
    "days",
    counts.stays_a_day,
    headline=True,
)
HOURS = _variation(
    "hours-of-moves",
    "Hours of moves",
    "hours of the day",
    "moves",
    counts.hours_of_moves,
    headline=True,
)
DURATIONS = _variation(
    "stay-durations", "Durations of stays", "durations of a stay", "stays", counts.durations
)
TRAVEL = _variation(
    "travel-times", "Travel times", "travel times between stays", "moves", counts.travel_times
)
FLOWS = _variation(
    "flows",
    "Flows between zones",
    "pairs of zones, from one to the other",
    "moves",
    counts.count_flows,
    headline=True,
)

JUMPS = PeopleDifference(
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
        headline=True,
    ),
    counts.jumps,
    jensen_shannon,
)

EVERY: Final = (
    *(BY_TIME, PLACES, ZONES, TOP_KEPT, ENTERING),
    *(STAYS, HOURS, JUMPS, TRAVEL, DURATIONS, FLOWS),
)
