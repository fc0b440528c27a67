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
from engine.runs.folder import Progress, RunFolder, State
from engine.runs.work import Cancelled, Job, work

_log = logging.getLogger("understudy.runs")


def main() -> int:
    """Read the job, do it, and leave how it ended in the folder."""
    folder = RunFolder(Path(sys.argv[1]))
    job: Job = pickle.load(sys.stdin.buffer)
    try:
        work(job, folder, os.getpid())
    except Cancelled:
        _end(folder, "cancelled", "")
    except Refusal as refusal:
        _end(folder, "failed", str(refusal))
    except OSError as error:
        _end(folder, "failed", disk_trouble(error))
    except MemoryError:
        _end(
            folder,
            "failed",
            "The run needs more memory than there is. Use fewer columns or coarser buckets.",
        )
    except Exception as error:
        # The text of an unforeseen error may quote a cell, so only its kind and place are kept.
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = (
            ""
            if place is None
            else (f" ({Path(place.tb_frame.f_code.co_filename).name}, line {place.tb_lineno})")
        )
        _log.error("%s%s", type(error).__name__, where)
        _end(
            folder,
            "failed",
            f"The run met an unforeseen {type(error).__name__}{where}. "
            "Nothing was released. Please report it with that name and place.",
        )
    else:
        return 0
    return 1


def _end(folder: RunFolder, state: State, message: str) -> None:
    ended: Progress = replace(folder.progress(), state=state, message=message)
    try:
        folder.report(ended)
    except OSError:
        # On a full disk even this may not fit; the watcher then sees the process gone.
        _log.error("the end of the run could not be written down")


def disk_trouble(error: OSError) -> str:
    """An output place that failed, in words."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Nothing was released. Free some space and start a new run."
    return (
        "The output place cannot be written. Nothing was released. Check that the folder exists "
        "and that you may write there, then start a new run."
    )


if __name__ == "__main__":
    sys.exit(main())
