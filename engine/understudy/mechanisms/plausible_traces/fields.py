"""The settings of days like given people's, as forms and reports name and group them.

What each does is said in the declaration of the plan (`plan`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.mechanisms.derived import DERIVED
from understudy.mechanisms.fields import Group, Table
from understudy.mechanisms.kinds import Choice, Scale, Share, Whole
from understudy.mechanisms.mobility_fields import COST, MADE, Named
from understudy.mechanisms.plausible_traces.keys import KEEPS
from understudy.mechanisms.plausible_traces.plan import MOST_ATTEMPTS, PlausiblePlan

TEST: Final = Group("The privacy test", "The privacy test")

KEPT: Final[Mapping[str, str]] = {
    "outline": "The outline of the day",
    "pattern": "Every stay in order",
    "departure": "Also when one first leaves",
    "hours": "Also the hour of every stay",
}
"""What each thing that can be kept is called."""

_NAMED: Final = Named(PlausiblePlan)

TABLE: Final = Table(
    (
        *_NAMED.cost,
        _NAMED.field("attempts", "Attempts", MADE, kind=Whole(Scale(10, MOST_ATTEMPTS))),
        _NAMED.field("keeps", "What is kept of a real person's day", MADE,
                     kind=Choice({each: KEPT[each] for each in KEEPS})),
        _NAMED.field("model_epsilon", "ε of the model", COST, "folded", none="As ε"),
        _NAMED.field("k", "k · other people's days needed", TEST, "folded",
                     none="The smallest that ε allows"),
        _NAMED.field("epsilon0", "ε0 · how little noise is on k", TEST, "folded",
                     none="The best for k"),
        _NAMED.field("seeds", "Share of people who are seeds", TEST, "folded", kind=Share()),
        _NAMED.field("seeds_at_least", "Seeds counted on", TEST, "folded",
                     none="What follows from the people"),
        _NAMED.held_out,
        *_NAMED.map,
    ),
    DERIVED,
)  # fmt: skip
