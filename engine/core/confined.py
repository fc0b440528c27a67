"""Work done in a process of its own, which may take so much memory and time and no more.

What reads files of foreign formats can be ended, held up or made to take all memory by a file that
means harm. In a process of its own it takes nothing else with it. To begin one takes a second, so
one process for each kind of work loads what it needs once, reads nothing, and forks for each piece
of work (`confining`). What is asked for goes there, and what comes of it comes back, through a
socket and never through a file.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, TypeVar

from engine.core.refusal import Refusal

T = TypeVar("T")

_ROOT = Path(__file__).resolve().parents[2]
_AT_ONCE = threading.BoundedSemaphore(2)
"""More at once would be slower, and take the memory of as many."""

_GRACE = 10.0
"""Seconds after its time that a process is believed to be ended by the system."""


_PLAINLY = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
}
"""So that no memory is set aside before it is bounded, neither for threads nor by a library."""


class Ended(Exception):
    """The process ended before it had done its work.

    Attributes:
        why: "memory" or "time" where it wanted more of these than it may have; "crash" where
            something in it broke.
    """

    def __init__(self, why: Literal["memory", "time", "crash"]) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Bounds:
    """What a piece of work may take.

    Attributes:
        memory: bytes beyond those that the process has when it begins.
        seconds: from its beginning to its end.
    """

    memory: int
    seconds: float


def confined(module: str, asked: object, bounds: Bounds, receive: Callable[[BinaryIO], T]) -> T:
    """Have a piece of work done.

    Args:
        module: what does it: its `work(asked)` returns what writes the answer to a file.
        asked: what is asked for, which can be pickled.
        bounds: what it may take.
        receive: reads the answer; whatever it raises because the answer ends too soon means that
            the process ended.

    Raises:
        Refusal: the work refuses.
        Ended: it ends before it is done.
    """
    with _AT_ONCE:
        began = time.monotonic()
        try:
            return _of(module)(asked, bounds, receive)
        except Ended as ended:
            late = ended.why == "crash" and time.monotonic() - began >= bounds.seconds
            raise Ended("time" if late else ended.why) from None


class _Zygote:
    """The process that forks for each piece of one kind of work."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._lock = threading.Lock()
        self._control: socket.socket | None = None

    def __call__(self, asked: object, bounds: Bounds, receive: Callable[[BinaryIO], T]) -> T:
        """Have a piece of work done; see `confined`."""
        with self._begun(bounds) as ours:
            try:
                pickle.dump((asked, bounds), _Sink(ours), protocol=pickle.HIGHEST_PROTOCOL)
            except BrokenPipeError:
                pass  # It may have ended before it had read all, and have said why.
            except OSError:
                raise Ended("crash") from None
            with ours.makefile("rb") as pipe:
                return _answer(pipe, receive)

    def _begun(self, bounds: Bounds) -> closing[socket.socket]:
        """Our end of what connects us with a process for one piece of work.

        Raises:
            Ended: there is none to be had.
        """
        for _ in range(2):
            ours, theirs = socket.socketpair()
            ours.settimeout(bounds.seconds + _GRACE)
            with theirs, suppress(OSError):
                with self._lock:
                    socket.send_fds(self._listening(), [b"w"], [theirs.fileno()])
                theirs.close()
                if ours.recv(1) == b"w":
                    return closing(ours)
            # The one that was there is gone: it leaves when nobody asks it for long.
            ours.close()
            with self._lock:
                self._leave()
        raise Ended("crash")

    def _listening(self) -> socket.socket:
        """Where to ask for a process."""
        if self._control is None:
            ours, theirs = socket.socketpair()
            with theirs:
                process = subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "engine.core.confining",
                        str(theirs.fileno()),
                        self._module,
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    cwd=_ROOT,
                    env={**os.environ, **_PLAINLY},
                )
            threading.Thread(target=process.wait, name=f"reap {self._module}", daemon=True).start()
            self._control = ours
        return self._control

    def _leave(self) -> None:
        """Have it end, and begin another when there is work."""
        if self._control is not None:
            self._control.close()
            self._control = None


class _Sink:
    """Writes to a socket, and holds nothing back."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def write(self, data: bytes) -> int:
        """Send some bytes, whole."""
        self._end.sendall(data)
        return len(data)


_ZYGOTES: dict[str, _Zygote] = {}
_ZYGOTES_LOCK = threading.Lock()


def _of(module: str) -> _Zygote:
    with _ZYGOTES_LOCK:
        return _ZYGOTES.setdefault(module, _Zygote(module))


def _answer(pipe: BinaryIO, receive: Callable[[BinaryIO], T]) -> T:
    """What came of a piece of work.

    Raises:
        Refusal, Ended: as of `confined`.
    """
    try:
        said = json.loads(pipe.readline())
    except TimeoutError:
        raise Ended("time") from None
    except (OSError, ValueError):
        raise Ended("crash") from None
    if said["state"] == "refused":
        raise Refusal(said["problem"], said["remedy"], field=said["field"])
    if said["state"] != "done":
        raise Ended("memory" if said["state"] == "memory" else "crash")
    try:
        return receive(pipe)
    except Refusal:
        raise
    except (OSError, ValueError, EOFError, LookupError, TypeError):
        raise Ended("crash") from None
