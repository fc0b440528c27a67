"""How a run ended, put down in the ledger by the run itself or by whoever looks next."""

from __future__ import annotations

from contextlib import suppress

from engine.ledger.book import Book
from engine.ledger.events import Abandoned, Cancelled, Failed, Noted, Released
from engine.ledger.ledger import Ledger
from engine.refusal import Refusal
from engine.runs.folder import RunFolder
from engine.runs.unfinished import forget
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

    Raises:
        Refusal: the ledger cannot be read, or was changed from outside.
    """
    book = ledger.book()
    waiting = {run.id for run in book.unended} | set(ledger.underway.runs())
    for run in sorted(waiting):
        # Where it cannot be put down, on a full disk for one, it is left to the next who looks.
        with suppress(OSError, Refusal):
            _see_to(ledger, run)
    return ledger.book() if waiting else book


def _see_to(ledger: Ledger, run: str) -> None:
    with ledger.underway.orphan(run) as orphan:
        if orphan is None:
            return
        # Only from here on is it certain that its process writes no more.
        found = ledger.book().runs.get(run)
        if found is not None:
            folder = RunFolder(orphan.folder or ledger.path.parent / run)
            if not found.ended:
                ledger.note(run, ending(folder, _said(folder)))
            if not folder.can_go_on:
                forget(folder)
        ledger.underway.forget(run)


def _said(folder: RunFolder) -> State | None:
    with suppress(Refusal):
        return folder.reported().state
    return None
