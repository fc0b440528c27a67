"""What a run is in the ledger: its debit, its end, and cheaper plans if the budget is exceeded."""

from __future__ import annotations

from contextlib import suppress

from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Book
from understudy.ledger.events import Abandoned, Cancelled, Debited, Failed, Noted, Released
from understudy.ledger.ledger import Ledger
from understudy.ledger.totals import Spend
from understudy.mechanisms.mechanism import CheaperPlan, PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import mechanism_of
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.runs.checkpoint import discard, erase
from understudy.runs.folder import RunFolder
from understudy.runs.handover import Handovers
from understudy.runs.work import Purpose
from understudy.runs.work_folder import State
from understudy.table.schema import Schema


def make_debit(
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
        plan=decided.plan.publish(),
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


def make_spend(guarantee: Guarantee) -> Spend | None:
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


def list_affordable(
    plan: MechanismPlan, schema: Schema, before: Balance
) -> tuple[CheaperPlan, ...]:
    """Return the plans nearest to one that exceeds the budget of a dataset, each of which does not.

    Args:
        plan: the one that exceeds it.
        schema: the columns.
        before: what was spent on the dataset so far, and its budget.
    """
    budget = before.dataset.budget

    def holds(guarantee: Guarantee) -> bool:
        spend = make_spend(guarantee)
        return budget is None or (spend is not None and before.adding(spend).fits(budget))

    return mechanism_of(plan).cheaper(plan, schema, holds)


_TOLD: dict[State, type[Noted]] = {"cancelled": Cancelled, "failed": Failed}


def make_end_event(folder: RunFolder, said: State | None = None) -> Noted:
    """Return the event by which the ledger knows the end of a run.

    Args:
        folder: its folder, which may be gone.
        said: the state that it reported last; None where its process died without a report.
    """
    artefacts = folder.artefacts()
    if artefacts is not None:
        return Released(artefacts=artefacts)
    return Abandoned() if said not in _TOLD else _TOLD[said]()


def reconcile(ledger: Ledger) -> Book:
    """Write the end of every run whose process is gone into the ledger, and return the book.

    Each end is written once, also where several processes do this at the same moment. What a run
    cost stays spent. The folder of a run that was killed between its debit and its start gets its
    name; that of a run that was never debited is erased; and a release that was handed over in
    part is handed over in full.

    Raises:
        Refusal: the ledger cannot be read, or was changed from outside.
    """
    book = ledger.book()
    waiting = {run.id for run in book.unended} | set(ledger.underway.runs())
    for run in sorted(waiting):
        # Where it cannot be written, such as on a full disk, the next call tries again.
        with suppress(OSError, Refusal):
            _see_to(ledger, run)
    Handovers(ledger).tidy()
    return ledger.book() if waiting else book


def _see_to(ledger: Ledger, run: str) -> None:
    with ledger.underway.orphan(run) as orphan:
        if orphan is None:
            return
        # Only from here on is it certain that its process writes no more.
        found = ledger.book().runs.get(run)
        folder = RunFolder(orphan.folder or ledger.path.parent / run)
        if found is None:
            discard(folder.hidden)
        else:
            _put_in_place(folder)
            if not found.ended:
                ledger.note(run, make_end_event(folder, _read_state(folder)))
            if not folder.can_go_on:
                erase(folder)
        ledger.underway.forget(run)


def _put_in_place(folder: RunFolder) -> None:
    """Give the folder of a run its name, where it was killed just after its debit.

    Raises:
        OSError: it cannot have it.
    """
    if folder.hidden.path.exists() and not folder.path.exists():
        folder.hidden.path.rename(folder.path)


def _read_state(folder: RunFolder) -> State | None:
    with suppress(Refusal):
        return folder.read_progress().state
    return None
