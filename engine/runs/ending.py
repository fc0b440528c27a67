"""How a run ended, put down in the ledger by the run itself or by whoever looks next."""

from __future__ import annotations

from contextlib import suppress

from engine.core.refusal import Refusal
from engine.ledger.book import Book
from engine.ledger.events import Abandoned, Cancelled, Failed, Noted, Released
from engine.ledger.ledger import Ledger
from engine.runs.folder import RunFolder
from engine.runs.handover import Handovers
from engine.runs.unfinished import discard, forget
from engine.runs.watched import State

_TOLD: dict[State, type[Noted]] = {"cancelled": Cancelled, "failed": Failed}


def ending(folder: RunFolder, said: State | None = None) -> Noted:
    """What became of a run that does no more.

    Args:
        folder: its folder, which may be gone.
        said: how it says it ended; None where its process is gone without a word.
    """
    artefacts = folder.artefacts()
    if artefacts is not None:
        return Released(artefacts=artefacts)
    return Abandoned() if said not in _TOLD else _TOLD[said]()


def reconcile(ledger: Ledger) -> Book:
    """Put down the end of every run whose process is gone, and return what the ledger says then.

    Each is put down once, also where several look at the same moment. What it cost stays spent.
    What a run left that was killed between its debit and its start gets its place, what one left
    that was never debited is erased, and what was half handed over is handed over.

    Raises:
        Refusal: the ledger cannot be read, or was changed from outside.
    """
    book = ledger.book()
    waiting = {run.id for run in book.unended} | set(ledger.underway.runs())
    for run in sorted(waiting):
        # Where it cannot be put down, on a full disk for one, it is left to the next who looks.
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
                ledger.note(run, ending(folder, _said(folder)))
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
