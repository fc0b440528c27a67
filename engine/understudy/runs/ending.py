"""How a run ended, written into the ledger by the run itself or, if it was killed, later."""

from __future__ import annotations

from contextlib import suppress

from understudy.core.refusal import Refusal
from understudy.ledger.book import Book
from understudy.ledger.events import Abandoned, Cancelled, Failed, Noted, Released
from understudy.ledger.ledger import Ledger
from understudy.runs.folder import RunFolder
from understudy.runs.handover import Handovers
from understudy.runs.unfinished import discard, forget
from understudy.runs.watched import State

_TOLD: dict[State, type[Noted]] = {"cancelled": Cancelled, "failed": Failed}


def end_event(folder: RunFolder, said: State | None = None) -> Noted:
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
                ledger.note(run, end_event(folder, _said(folder)))
            if not folder.can_go_on:
                forget(folder)
        ledger.underway.forget(run)


def _put_in_place(folder: RunFolder) -> None:
    """Give the folder of a run its name, where it was killed just after its debit.

    Raises:
        OSError: it cannot have it.
    """
    if folder.hidden.path.exists() and not folder.path.exists():
        folder.hidden.path.rename(folder.path)


def _said(folder: RunFolder) -> State | None:
    with suppress(Refusal):
        return folder.reported().state
    return None
