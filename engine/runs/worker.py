"""The process that does one run: `python -m engine.runs.worker FOLDER`, the job on its input."""

from __future__ import annotations

import errno
import logging
import os
import pickle
import sys
from dataclasses import replace
from pathlib import Path

from engine.refusal import Refusal
from engine.runs.folder import Progress, RunFolder
from engine.runs.work import Cancelled, Job, work

_log = logging.getLogger("understudy.runs")


def main() -> int:
    """Read the job, do it, and leave how it ended in the folder."""
    folder = RunFolder(Path(sys.argv[1]))
    job: Job = pickle.load(sys.stdin.buffer)
    try:
        work(job, folder, os.getpid())
    except Exception as error:
        ended = _ended(folder.progress(), error)
        if folder.release.exists():
            ended = replace(ended, state="finished", message=f"No figures: {ended.message}")
        try:
            folder.report(ended)
        except OSError:
            # On a full disk even this may not fit; the watcher then sees the process gone.
            _log.error("the end of the run could not be written down")
        return 1
    return 0


def _ended(progress: Progress, error: Exception) -> Progress:
    """How a run ended that did not get to its end."""
    match error:
        case Cancelled():
            return replace(progress, state="cancelled")
        case Refusal():
            message = str(error)
        case OSError():
            message = disk_trouble(error)
        case MemoryError():
            message = (
                "The run needs more memory than there is. Use fewer columns or coarser buckets."
            )
        case _:
            place = _place(error)
            _log.error("%s (%s)", type(error).__name__, place)
            message = (
                f"The run met an unforeseen {type(error).__name__} ({place}). Please report it "
                "with that name and place."
            )
            return replace(progress, state="failed", message=message, unforeseen=True)
    return replace(progress, state="failed", message=message)


def _place(error: Exception) -> str:
    """Where an error was raised. Its text may quote a cell, so only its kind and place are told."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "place unknown"
    return f"{Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}"


def disk_trouble(error: OSError) -> str:
    """An output place that failed, in words."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Free some space and start a new run."
    return (
        "The output place cannot be written. Check that the folder exists "
        "and that you may write there, then start a new run."
    )


if __name__ == "__main__":
    sys.exit(main())
