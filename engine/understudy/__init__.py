"""Mechanisms that turn a confidential table into a synthetic one under a proven guarantee.

    import understudy as us

    table = us.read("people.csv")
    us.suggest_schema(table).save("schema.json")  # then check and correct it there
    schema = us.declare("schema.json", table, note="the census code book", origins=["codebook"])
    run = us.synthesize(table, schema, us.plan(schema, epsilon=1.0), new_people=True)
    packet = us.packet(run, title="Household survey 2024", out="packets")
    us.verify(packet)

Each name is loaded when it is first used. CONTRIBUTING.md says what is in which room. Nothing here
imports the dashboard.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understudy.core.refusal import Refusal
    from understudy.front.decisions import SuggestedSchema, declare, plan, suggest_schema
    from understudy.front.releases import (
        Findings,
        FinishedRun,
        Intervals,
        evaluate,
        intervals,
        packet,
        resume,
        synthesize,
        verify,
    )
    from understudy.front.tables import ConfidentialTable, read
    from understudy.mechanisms.mechanism import PlannedRun
    from understudy.report.shelf import Packet
    from understudy.report.verdict import PacketVerdict
    from understudy.runs.work_folder import RunFailed
    from understudy.table.known_totals import KnownTotals
    from understudy.table.rules.rule import Rule
    from understudy.table.schema import Schema

__version__ = "0.1.0"

__all__ = [
    "ConfidentialTable",
    "Findings",
    "FinishedRun",
    "Intervals",
    "KnownTotals",
    "Packet",
    "PacketVerdict",
    "PlannedRun",
    "Refusal",
    "Rule",
    "RunFailed",
    "Schema",
    "SuggestedSchema",
    "declare",
    "evaluate",
    "intervals",
    "packet",
    "plan",
    "read",
    "resume",
    "suggest_schema",
    "synthesize",
    "verify",
]

_MODULES = {
    "ConfidentialTable": "front.tables",
    "Findings": "front.releases",
    "FinishedRun": "front.releases",
    "Intervals": "front.releases",
    "KnownTotals": "table.known_totals",
    "Packet": "report.shelf",
    "PlannedRun": "mechanisms.mechanism",
    "Refusal": "core.refusal",
    "Rule": "table.rules.rule",
    "RunFailed": "runs.work_folder",
    "Schema": "table.schema",
    "SuggestedSchema": "front.decisions",
    "PacketVerdict": "report.verdict",
    "declare": "front.decisions",
    "evaluate": "front.releases",
    "intervals": "front.releases",
    "packet": "front.releases",
    "plan": "front.decisions",
    "read": "front.tables",
    "resume": "front.releases",
    "suggest_schema": "front.decisions",
    "synthesize": "front.releases",
    "verify": "front.releases",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    """Return a name of this package, loaded when it is first asked for.

    Raises:
        AttributeError: there is none.
    """
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return the names of this package, loaded or not."""
    return sorted({*globals(), *__all__})
