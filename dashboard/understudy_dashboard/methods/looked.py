"""A run that is looked at, whichever its method. Internal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic

from understudy.evaluation.comparison import Compared
from understudy.mechanisms.mechanism import PlannedRun, PlanT_co
from understudy.runs.folder import RunFolder
from understudy.table.schema import Schema
from understudy_dashboard.parts.evaluation import Found
from understudy_dashboard.session import Session

Tabs = Mapping[str, Mapping[str, Callable[[], None]]]
"""The tabs of a page, each with its parts, each drawn when it is looked at."""


@dataclass(frozen=True, eq=False)
class Looked(Generic[PlanT_co]):
    """The run that is looked at, and all there is to see of it.

    Attributes:
        session: the page's state.
        run: it.
        decided: what was run, and what that promises.
        compared: its table and others beside held-out records; none where none were compared.
        told: what else the run has to say of itself, a sentence each.
        found: what was measured of it; None before that was asked for.
    """

    session: Session
    run: RunFolder
    decided: PlannedRun[PlanT_co]
    compared: tuple[Compared, ...] = ()
    told: tuple[str, ...] = ()
    found: Found | None = None

    @property
    def schema(self) -> Schema:
        """The columns that are compared."""
        return self.decided.compared
