"""What a figure for some neighbours says about others.

A table in which one record is replaced is two steps away: the record is taken out, and another one
added. So (ε, δ) between tables that differ by a record added or removed implies (2ε, (1 + e^ε)·δ)
between tables in which a record is replaced: P(M(D) ∈ S) ≤ e^ε·P(M(D⁻) ∈ S) + δ, where D⁻ lacks the
record, and P(M(D⁻) ∈ S) ≤ e^ε·P(M(D′) ∈ S) + δ. The other way there is no conversion: a mechanism
that prints how many records there are costs nothing between replacements, and everything between
tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from understudy.privacy.budget import Budget
from understudy.privacy.neighbours import Neighbours


def converted(budget: Budget, holds: Neighbours, wanted: Neighbours) -> Budget | None:
    """Return what a figure implies for other neighbours; None where it implies nothing.

    Args:
        budget: the figure.
        holds: the neighbours it holds for.
        wanted: the neighbours that are asked about.
    """
    if holds is wanted:
        return budget
    if (holds, wanted) == (Neighbours.TABLES, Neighbours.REPLACEMENTS):
        return _replacing(budget)
    return None


def _replacing(budget: Budget) -> Budget:
    """(2ε, (1 + e^ε)·δ); nothing is promised once δ reaches 1."""
    if not budget.bounded:
        return budget
    if budget.delta == 0:
        return Budget(2 * budget.epsilon)
    log_delta = math.log(budget.delta) + budget.epsilon + math.log1p(math.exp(-budget.epsilon))
    return Budget.unbounded() if log_delta >= 0 else Budget(2 * budget.epsilon, math.exp(log_delta))


def common(neighbours: Iterable[Neighbours]) -> Neighbours:
    """Return the neighbours that figures for all of these can be added up for."""
    return Neighbours.REPLACEMENTS if Neighbours.REPLACEMENTS in neighbours else Neighbours.TABLES
