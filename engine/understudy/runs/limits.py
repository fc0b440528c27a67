"""The limits on the process of a run: how much memory it may hold, and how long it may take."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

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
