"""An account as values for a JSON file."""

from __future__ import annotations

import math
from typing import Any

from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.coverage import coverage
from understudy.privacy.accounting.protocol import READER_SEES
from understudy.privacy.budget import Budget
from understudy.privacy.neighbours import Neighbours


def as_data(figures: Account) -> dict[str, Any]:
    """Return the account as plain values for strict JSON; an infinite ε becomes None."""
    data: dict[str, Any] = {
        "test": {
            "name": figures.test.kind,
            **figures.test.model_dump(mode="json", exclude={"kind"}),
        },
        "protocol": figures.protocol,
        "reader_sees": READER_SEES[figures.protocol],
        "attempts": figures.count,
        "target_delta": figures.target_delta,
        "equal_likelihood": figures.equal_likelihood,
        "attempt": {**_plain(figures.attempt), "t": figures.t},
        "composition": {
            "sequential": _plain(figures.sequential),
            "advanced": _plain(figures.advanced),
            "optimal": _plain(figures.optimal),
        },
        "record": _plain(figures.record),
        "total": {"neighbours": str(Neighbours.TABLES), **_plain(figures.total)},
        "composed_by": figures.composition,
        "covers": coverage(figures),
    }
    if figures.seeds_at_least is not None:
        data |= {"seeds_at_least": figures.seeds_at_least, "pass_cap": figures.pass_cap}
    if figures.unit is not None and figures.unit.pass_floor is not None:
        data |= {"pass_floor": figures.unit.pass_floor, "slot": _plain(figures.each)}
    if figures.records_per_person > 1:
        data["records_per_person"] = figures.records_per_person
    if figures.sampling is not None:
        data["population"] = {
            "neighbours": str(Neighbours.POPULATIONS),
            "sampling": figures.sampling,
            **_plain(figures.population or Budget.unbounded()),
        }
    return data


def _plain(budget: Budget) -> dict[str, Any]:
    epsilon = budget.epsilon if math.isfinite(budget.epsilon) else None
    return {"epsilon": epsilon, "delta": budget.delta}
