"""The settings of made traces, as forms and reports name and group them.

What each does is said in the declaration of the plan (`plan`).
"""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.derived import DERIVED
from understudy.mechanisms.fields import Table
from understudy.mechanisms.kinds import Scale, Whole
from understudy.mechanisms.mobility_fields import MADE, MAP, Named
from understudy.mechanisms.traces.plan import TracesPlan

_NAMED: Final = Named(TracesPlan)

TABLE: Final = Table(
    (
        *_NAMED.cost,
        _NAMED.field("traces", "People to make", MADE, kind=Whole(Scale(100, 10_000))),
        _NAMED.field("days", "Days of each", MADE, kind=Whole()),
        _NAMED.held_out,
        _NAMED.field("gathered", "Cells each way taken as one place", MAP),
        *_NAMED.map,
    ),
    DERIVED,
)
