"""Progress of long work: reported by what does it, heard by whoever watches.

What is reported is the same whatever the records hold: a step's name, never a figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_COUNTED: Final = re.compile(r": (\d[\d,]*) of (\d[\d,]*)$")

Listener = Callable[[str], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report_stage(step: str) -> None:
    """Say what is done next, in a few words such as "Drawing records". Nothing happens where nobody
    listens."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(step)


def report_count(step: str, done: int, total: int) -> None:
    """Say how far a step is that is counted from the start; both numbers follow from settings."""
    report_stage(f"{step}: {done:,} of {total:,}")


def read_count(said: str) -> tuple[int, int] | None:
    """Return how far a step is that `report_count` told of; None for any other."""
    found = _COUNTED.search(said)
    if found is None:
        return None
    done, total = (int(number.replace(",", "")) for number in found.groups())
    return done, total


@contextmanager
def on_stage(listener: Listener) -> Iterator[None]:
    """Hear what is said inside."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)
