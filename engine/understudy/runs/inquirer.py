"""The process that does one inquiry: `python -m understudy.runs.inquirer RUN FOLDER`, the inquiry
and the table on its input."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from understudy.core.files import keep_secret
from understudy.runs.evidence import load_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import KIND, Inquiry, InquiryFolder
from understudy.runs.process import describe_failed
from understudy.runs.work_folder import Progress, WorkCancelled
from understudy.table.records import Records

_log = logging.getLogger("understudy.runs")
_REPORT_EVERY = 0.2
_LOOK_EVERY = 0.5


def main() -> int:
    """Read what is asked, find it out, and leave how that ended in the folder."""
    run, folder = map(Path, sys.argv[1:])
    keep_secret()
    inquiry, records = pickle.load(sys.stdin.buffer)
    return do_inquiry(inquiry, records, RunFolder(run), InquiryFolder(folder))


def do_inquiry(inquiry: Inquiry, records: Records, run: RunFolder, folder: InquiryFolder) -> int:
    """Do an inquiry and leave how it ended in its folder.

    Returns:
        The exit status.
    """
    teller = _Teller(folder, replace(folder.read_progress(), process=os.getpid()))
    try:
        evidence = load_evidence(run, records)
        teller.stop_if_asked()
        with folder.new_result() as result:
            with _stopped_when_asked(teller):
                inquiry.work(evidence, result, teller)
            teller.stop_if_asked()
        now = teller.progress
        folder.report(replace(now, state="finished", done=now.attempts, message=""))
    except Exception as error:
        try:
            folder.report(describe_failed(teller.progress, error, KIND, folder.path))
        except OSError:
            # On a full disk even this may not fit; the watcher then sees the process gone.
            _log.error("the end of the inquiry could not be written down")
        return 1
    return 0


@contextmanager
def _stopped_when_asked(teller: _Teller) -> Iterator[None]:
    """Stop also in the middle of a step, as one may take minutes.

    Raises:
        Cancelled: out of whatever the main thread is doing.
    """

    def look(number: int, frame: FrameType | None) -> None:
        teller.stop_if_asked()

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _LOOK_EVERY, _LOOK_EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Teller:
    """Puts down how far an inquiry is, and stops it when asked."""

    def __init__(self, folder: InquiryFolder, progress: Progress) -> None:
        self.progress = progress
        self._folder = folder

    def stop_if_asked(self) -> None:
        """Stop here, if that is asked for.

        Raises:
            Cancelled: it is.
        """
        if self._folder.cancelling:
            raise WorkCancelled

    def __call__(self, done: int, at: str, of: int | None = None) -> None:
        self.stop_if_asked()
        before = self.progress
        steps = before.attempts if of is None else of
        self.progress = replace(
            before, state="evaluating", done=done, attempts=max(1, steps, done), message=at
        )
        if at != before.message or time.time() - before.updated > _REPORT_EVERY:
            self.progress = self._folder.report(self.progress)


if __name__ == "__main__":
    sys.exit(main())
