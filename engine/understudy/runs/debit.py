"""What a run costs: the one place where a guarantee becomes a debit in the ledger."""

from __future__ import annotations

from understudy.ledger.events import Debited
from understudy.ledger.totals import Spend
from understudy.mechanisms.mechanism import PlannedRun
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.runs.work import Purpose


def debit_of(
    decided: PlannedRun, *, stained: bool = False, purpose: Purpose = "release"
) -> Debited:
    """Return the entry of a run in the ledger.

    Args:
        decided: what is run. Of its plan, what is confidential is left out.
        stained: whether a fixed seed is used, so that nothing is promised.
        purpose: what the run is for.
    """
    found = decided.guarantee
    return Debited(
        purpose=purpose,
        plan=decided.plan.published(),
        protocol=found.protocol,
        count=found.count,
        record=found.record if found.record.bounded and not stained else None,
        neighbours=found.neighbours,
        records_per_person=found.records_per_person,
        whole_people=found.whole_people,
        sampling=found.sampling,
        seedless=not found.reads_records,
        stained=stained,
    )


def spend_of(guarantee: Guarantee) -> Spend | None:
    """Return what a run with this guarantee adds to the total; None where it promises nothing."""
    if not guarantee.record.bounded:
        return None
    return Spend(
        guarantee.record,
        guarantee.records_per_person,
        guarantee.sampling,
        guarantee.neighbours,
        guarantee.whole_people,
    )
