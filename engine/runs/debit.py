"""What a run is debited: the one place where a promise becomes a spend."""

from __future__ import annotations

from typing import Any

from engine.ledger.events import Debited
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise
from engine.runs.work import Purpose


def debited(
    plan: Plan, made: Promise, *, stained: bool = False, purpose: Purpose = "release"
) -> Debited:
    """What stands in the ledger about a run of this plan.

    Args:
        plan: what is run.
        made: what the plan promises.
        stained: whether a fixed seed is used, so that nothing is promised.
        purpose: what the run is for.
    """
    return Debited(
        purpose=purpose,
        plan=paid_for(plan),
        protocol=plan.protocol,
        count=plan.attempts,
        record=made.record if made.record.bounded and not stained else None,
        records_per_person=plan.records_per_person,
        sampling=plan.sampling,
        seedless=made.seeds is None,
        stained=stained,
    )


def paid_for(plan: Plan) -> dict[str, Any]:
    """A plan as it stands in the ledger. How it settles stray values is left out: it tells whether
    there are any."""
    return plan.model_dump(mode="json", exclude={"policies"})
