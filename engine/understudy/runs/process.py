"""A process for a piece of work: starting it, its limits, and why it failed."""

from __future__ import annotations

import logging
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from understudy.core.debug import debugging, traceback_sentence, write_traceback
from understudy.core.files import is_full, refuse_full_disk
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Interrupted
from understudy.runs.work_folder import Progress, Watched, WorkCancelled

try:
    import resource
except ImportError:  # where the system sets no limits
    resource = None  # type: ignore[assignment]


class TimeIsUp(Exception):
    """The work has reached its time limit."""


def limit_memory(most: int | None) -> None:
    """Let this process hold no more bytes of its own from here on; asked for more, it raises a
    `MemoryError`. Linux keeps to it; some other systems do not."""
    if most is None or resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


@contextmanager
def time_limit(minutes: float | None) -> Iterator[None]:
    """Stop what is done inside after so long. For a process's main thread.

    Raises:
        TimeIsUp: it took longer.
    """
    if minutes is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, 60 * minutes)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise TimeIsUp


_log = logging.getLogger("understudy.runs")


@dataclass(frozen=True)
class WorkKind:
    """A kind of work: its words in the sentences that say why it failed.

    Attributes:
        name: what it is called.
        again: what makes another attempt at it, such as "start a new run".
        smaller: what makes it need less memory, as a sentence.
        longer: what becomes of it where its time is up, as a sentence.
        refused: what to do where its table is refused, as a sentence; "" where the refusal says.
    """

    name: str
    again: str
    smaller: str
    longer: str = "Give it more time."
    refused: str = ""


RUN = WorkKind(
    "run",
    "start a new run",
    "Use fewer columns or coarser buckets.",
    "Nothing of it is kept: give the next one more time.",
)
RESUMABLE = WorkKind(
    "run",
    "resume the run, which spends nothing further",
    "Close other programs or allow it more, then resume the run.",
    "What it had done is kept: resume it to go on, which spends nothing further.",
    "Nothing was released. The run’s ε stays spent, and what it had done is kept: put the table "
    "back as it was when the run was begun, and resume the run, which spends nothing further. "
    "With another table, it would be a new run and a new spend.",
)


def launch(
    module: str, places: Sequence[Path], job: object, folder: Watched, locks: Sequence[int] = ()
) -> None:
    """Start a process, let it hold some locks, and send it its job through a pipe.

    Args:
        module: what it runs.
        places: the paths it is told of.
        job: what it reads from its input; never on disk.
        folder: where its id is put down.
        locks: file descriptors for it to inherit.

    Raises:
        OSError: the system would not have it.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, *(str(each.resolve()) for each in places)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        # Where tracebacks are asked for, those of the process go to the terminal too.
        stderr=None if debugging() else subprocess.DEVNULL,
        start_new_session=True,
        cwd=Path(__file__).resolve().parents[2],
        pass_fds=list(locks),
    )
    name = f"reap {folder.path.name}"
    threading.Thread(target=process.wait, name=name, daemon=True).start()
    assert process.stdin is not None
    # Whatever goes wrong from here on, the process ends when its input does; and where it ended
    # before it had its job, that shows in the folder.
    with suppress(BrokenPipeError), process.stdin:
        folder.report(replace(folder.progress(), process=process.pid))
        pickle.dump(job, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)


def describe_failed(progress: Progress, error: Exception, kind: WorkKind, place: Path) -> Progress:
    """Return the last progress of work that failed. Only a `Refusal` is quoted: any other message
    could hold confidential values.

    Args:
        progress: how far it was.
        error: what ended it.
        kind: of the work.
        place: where its files are.
    """
    match error:
        case WorkCancelled():
            return replace(progress, state="cancelled", message="")
        case Refusal():
            of_table = error.field == "table" and kind.refused
            message = f"{error.problem} {kind.refused}" if of_table else str(error)
        case OSError():
            message = describe_disk_trouble(error, kind, place)
        case MemoryError():
            message = f"The {kind.name} needs more memory than it may have. {kind.smaller}"
        case Interrupted():
            message = f"{error.problem} {error.remedy}, then {kind.again}."
        case TimeIsUp():
            message = f"The {kind.name} took as long as it was given. {kind.longer}"
        case _:
            line = _place(error)
            _log.error("%s (%s)", type(error).__name__, line)
            write_traceback(error)
            message = (
                f"The {kind.name} met an unforeseen {type(error).__name__} ({line}). Please "
                f"report it with that name and place. {traceback_sentence()}"
            )
            return replace(progress, state="failed", message=message, unforeseen=True)
    return replace(progress, state="failed", message=message)


def describe_disk_trouble(error: OSError, kind: WorkKind, place: Path) -> str:
    """Return an output place that failed, in words."""
    if is_full(error):
        return str(refuse_full_disk(place, kind.again))
    return (
        "The output place cannot be written. Check that the folder exists "
        f"and that you may write there, then {kind.again}."
    )


def _place(error: Exception) -> str:
    """Return where an error was raised. Its text may quote a cell, so only its kind and place are
    told."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "place unknown"
    return f"{Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}"
