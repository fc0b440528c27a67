"""The process that does one run: `python -m understudy.runs.worker FOLDER [LEDGER]`, the job on its
input. The ledger is named where the run was debited."""

from __future__ import annotations

import logging
import os
import pickle
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from understudy.core.files import is_full, keep_secret
from understudy.core.refusal import Refusal
from understudy.ledger.events import Noted, Running
from understudy.ledger.ledger import Ledger
from understudy.runs.checkpoint import erase
from understudy.runs.debit import make_end_event
from understudy.runs.folder import RunFolder
from understudy.runs.process import RESUMABLE, RUN, describe_failed, limit_memory, time_limit
from understudy.runs.work import Job, work
from understudy.runs.work_folder import Progress

_log = logging.getLogger("understudy.runs")


@dataclass(frozen=True)
class DebitedFolder(RunFolder):
    """The folder of a run that was debited. Its end is in the ledger before it is in the folder,
    so that whoever sees the run ended finds it so in the ledger."""

    ledger: Ledger

    def report(self, progress: Progress) -> Progress:
        """Write down how far the run is."""
        if progress.ended or self.release.exists():
            self._note_end(progress)
        return super().report(progress)

    def note(self, event: Noted) -> None:
        """Put something down in the ledger. Where that fails, whoever looks next sees to it."""
        try:
            self.ledger.note(self.identity, event)
        except Refusal:
            _log.error("the state of the run could not be put down in the ledger")

    def _note_end(self, progress: Progress) -> None:
        with suppress(Refusal):
            if self.ledger.book().runs[self.identity].ended:
                return
        self.note(make_end_event(self, progress.state))
        self.ledger.underway.forget(self.identity)


def main() -> int:
    """Read the job, do it, and leave how it ended in the folder."""
    keep_secret()
    path, *ledger = map(Path, sys.argv[1:])
    folder = DebitedFolder(path, Ledger(ledger[0])) if ledger else RunFolder(path)
    job: Job = pickle.load(sys.stdin.buffer)
    return do_job(job, folder)


def do_job(job: Job, folder: RunFolder) -> int:
    """Do a run and leave how it ended in its folder.

    Returns:
        The exit status.
    """
    if isinstance(folder, DebitedFolder):
        folder.note(Running())
    try:
        limit_memory(job.resources.memory)
        with time_limit(job.resources.minutes):
            work(job, folder, os.getpid())
    except Exception as error:
        kind = RESUMABLE if folder.can_go_on else RUN
        how = describe_failed(folder.progress(), error, kind, folder.path)
        if folder.release.exists():
            how = replace(how, state="finished", message=f"No figures: {how.message}")
        if not folder.can_go_on:
            erase(folder)
        try:
            folder.report(how)
        except OSError as refused:
            # On a full disk even this may not fit, but mostly an empty file does.
            if is_full(refused) or is_full(error):
                with suppress(OSError):
                    folder.full.touch(mode=0o600)
            _log.error("the end of the run could not be written down")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
