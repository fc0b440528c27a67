"""Where long work is: said by what does it, heard by whoever watches, known to nobody between.

What is said is the same whatever the records hold: a step's name, never a figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


def tell(step: str) -> None:
    """Say what is done next, in a few words such as "Drawing records". Nothing happens where nobody
    listens."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(step)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear what is said inside."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)
