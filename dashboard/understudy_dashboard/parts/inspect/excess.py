"""How much further off than other real records the table of a run is. Internal."""

from __future__ import annotations

from understudy.evaluation.excess import Excess, excess_of_release
from understudy_dashboard.methods.page import RunInspection


def excess_of(looked: RunInspection) -> Excess | None:
    """Return how much further off than other real records the released table is; None where that
    was not measured."""
    return excess_of_release(looked.compared)
