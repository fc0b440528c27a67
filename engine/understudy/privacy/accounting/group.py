"""Group privacy: from the guarantee for one record to that for all records of one person."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq

from understudy.core.refusal import Refusal
from understudy.privacy.budget import Budget

MOST_RECORDS = 1000
"""The most records per person that a guarantee is stated for."""

_LOG_FINEST = math.log(1e-300)
# The relative precision of the largest δ.
_CLOSE = 1e-9


def group_privacy(budget: Budget, records: int) -> Budget:
    """Return the guarantee for `records` records of one person, from that for one record.

    (gε, g·e^{(g−1)ε}·δ): a chain of g neighbours. Nothing is promised once δ reaches 1.
    """
    if records == 1 or not budget.bounded:
        return budget
    if budget.delta == 0:
        return Budget(records * budget.epsilon)
    log_delta = math.log(records) + (records - 1) * budget.epsilon + math.log(budget.delta)
    if log_delta >= 0:
        return Budget.unbounded()
    return Budget(records * budget.epsilon, math.exp(log_delta))


def record_delta(total_at: Callable[[float], Budget], records: int, delta: float) -> float:
    """Return the largest δ for one record, to a relative 1e-9, with which a person's is at most
    `delta`.

    Args:
        total_at: the guarantee for one record at a given δ of its own. Its ε falls as δ grows, and
            may be refused, with field “delta”, where δ is too small.
        records: g, how many records a person may have.
        delta: the target for a person.

    Raises:
        Refusal: there is none, as ε is too large for so many records; or what `total_at` raises.
    """
    if records == 1:
        return delta
    aim = math.log(delta / records)

    def over(log_delta: float) -> float:
        return (records - 1) * total_at(math.exp(log_delta)).epsilon + log_delta - aim

    # Newton-like: the ε of a δ that is too large gives a smaller δ, which is never too small.
    tried, above = aim, over(aim)
    if not 0 < above < math.inf:
        return math.exp(tried - _CLOSE / 2)
    while (lower := tried - max(above, _CLOSE)) > _LOG_FINEST:
        still = over(lower)
        found = (
            lower if still <= 0 else _root(over, lower, still, (above - still) / (tried - lower))
        )
        if found is not None:
            return math.exp(found - _CLOSE / 2)
        tried, above = lower, still
    raise Refusal(
        f"With up to {records:,} records per person, no δ holds at the ε of these settings.",
        "Choose a smaller ε for the model, or fewer attempts with a larger k, so that the ε of "
        "one record is small; or a seedless plan.",
        field="records_per_person",
    )


def _root(over: Callable[[float], float], high: float, above: float, slope: float) -> float | None:
    """Return the zero of `over` below `high`; None where the line of this slope does not bracket
    it.

    ε is concave in the logarithm of δ, so such a line lies above it.
    """
    if slope <= 0:
        return None
    low = high - above / slope - _CLOSE
    try:
        if over(low) > 0:
            return None
        root = float(brentq(over, low, high, xtol=_CLOSE / 4))
        return root if over(root - _CLOSE / 2) <= 0 else low
    except Refusal as refusal:
        if refusal.field == "delta":
            return None
        raise
