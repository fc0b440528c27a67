"""From one record to all the records of one person."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq

from engine.core.refusal import Refusal
from engine.privacy.budget import Budget

MOST_RECORDS = 1000
"""The most records per person that a guarantee is stated for."""

_LOG_FINEST = math.log(1e-300)
# How far under the largest δ, relatively, is close enough.
_CLOSE = 1e-9


def for_group(budget: Budget, records: int) -> Budget:
    """What a guarantee for one record comes to for `records` records of one person.

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
    """The largest δ for one record, or a hair less, with which a person's comes to `delta`.

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

    # With the ε of a δ that is too large a smaller one is aimed at, which is still not too small.
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
    """Where what is above 0 at `high` comes to 0; None where the line of this slope misses it.

    Where ε bends downwards, as it does with the logarithm of δ, such a line runs above it.
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
