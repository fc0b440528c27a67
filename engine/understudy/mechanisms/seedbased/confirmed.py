"""What a promise counts on to be public knowledge, and whether the custodian confirmed that it is.

A number that nobody typed is no public knowledge, whatever a program starts from: a run that
counts on one is refused before anything is spent, and no statement calls it public.
"""

from __future__ import annotations

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise


def confirmed(plan: Plan, made: Promise) -> bool:
    """Return whether the custodian confirmed that the table is publicly known to have the records
    that the promise counts on; so it is where it counts on none, or where nothing is promised."""
    needed = made.records_at_least
    if needed is None or not made.total.bounded:
        return True
    return plan.public_records is not None and plan.public_records >= needed


def check_confirmed(plan: Plan, made: Promise) -> None:
    """Check that nothing would be called public knowledge that nobody confirmed to be.

    Raises:
        Refusal: the number of records that is counted on is not covered by one that was
            confirmed; of the field “public_records”.
    """
    if confirmed(plan, made):
        return
    said = (
        "nobody has confirmed that this is public knowledge"
        if plan.public_records is None
        else f"public knowledge is only that it has {plan.public_records:,}"
    )
    raise Refusal(
        f"To have {plan.seeds_at_least:,} seeds for certain, the table must have at least "
        f"{made.records_at_least:,} records, and {said}.",
        "Say how many records everybody may know the table to have at least, with or without any "
        "one person; or count on fewer seeds, or choose a seedless plan, which counts on none.",
        field="public_records",
    )
