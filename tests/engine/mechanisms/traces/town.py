"""Plans of made traces over a small town."""

from __future__ import annotations

from typing import Any

from tests.engine.models.mobility.town import TOWN, schema
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.geography import Geography


def plan(where: Geography = TOWN, **settings: Any) -> TracesPlan:
    """A plan over a map."""
    return TracesPlan(
        **{
            "domain": schema(where).fingerprint,
            "rows": where.rows,
            "columns": where.columns,
            "north_km": where.cell_km[0],
            "east_km": where.cell_km[1],
            "zones": where.zones,
            "km_a_slot": where.km_a_slot,
            "traces": 60,
            "days": 3,
            **settings,
        }
    )
