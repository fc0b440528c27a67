"""Work done in a process of its own, with a limit on its memory and its time.

A malicious file can crash a library that reads foreign formats, make it hang, or make it take all
memory. In a process of its own, nothing else is lost. Starting one takes a second, so for each kind
of work one process loads the libraries once, reads no file itself, and forks for each piece of work
(`sandbox_server`). The request and the answer go through a socket, never through a file.
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

from understudy.core.debug import debugging
from understudy.core.refusal import Refusal

T = TypeVar("T")

_ROOT = Path(__file__).resolve().parents[2]
_MOST_AT_ONCE = 2
"""The most pieces of one kind of work at once. More would be slower, and each has its own memory
limit; another kind does not wait for them."""

_GRACE = 10.0
"""Seconds beyond its time limit after which the system must have ended a process."""


_PLAINLY = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
}
"""Settings that keep libraries from reserving memory for threads before the limit is set."""


class Ended(Exception):
    """The process ended before its work was done.

    Attributes:
        why: "memory" or "time" where it reached that limit; "crash" where it failed otherwise.
    """

    def __init__(self, why: Literal["memory", "time", "crash"]) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class SandboxBounds:
    """The limits of a piece of work.

    Attributes:
        memory: bytes beyond what the process holds when it starts.
        seconds: from its beginning to its end.
    """

    memory: int
    seconds: float


def run_in_sandbox(
    module: str, asked: object, bounds: SandboxBounds, receive: Callable[[BinaryIO], T]
) -> T:
    """Do a piece of work in a limited process.

    Args:
        module: the name of the module that does it. Its `work(asked)` returns a function that
            writes the answer to a binary file.
        asked: the request, which must be picklable.
        bounds: the limits.
        receive: reads the answer. An error because the answer ends too soon is taken to mean that
            the process ended.

    Raises:
        Refusal: the work refuses.
        Ended: it ends before it is done.
    """
    zygote = _of(module)
    with zygote.at_once:
        began = time.monotonic()
        try:
            return zygote(asked, bounds, receive)
        except Ended as ended:
            late = ended.why == "crash" and time.monotonic() - began >= bounds.seconds
            raise Ended("time" if late else ended.why) from None


class _Zygote:
    """The process that forks for each piece of one kind of work."""

    def __init__(self, module: str) -> None:
        self._module = module
        self.at_once = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._lock = threading.Lock()
        self._control: socket.socket | None = None

    def __call__(self, asked: object, bounds: SandboxBounds, receive: Callable[[BinaryIO], T]) -> T:
        """Do a piece of work; see `run_in_sandbox`."""
        with self._begin(bounds) as ours:
            try:
                pickle.dump((asked, bounds), _Sink(ours), protocol=pickle.HIGHEST_PROTOCOL)
            except BrokenPipeError:
                pass  # It may have ended before it had read the request, and have said why.
            except OSError:
                raise Ended("crash") from None
            with ours.makefile("rb") as pipe:
                return _answer(pipe, receive)

    def _begin(self, bounds: SandboxBounds) -> closing[socket.socket]:
        """Our end of the socket to a process that does one piece of work.

        Raises:
            Ended: no process could be started.
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
            # The process is gone: it exits when it has had no work for long.
            ours.close()
            with self._lock:
                self._leave()
        raise Ended("crash")

    def _listening(self) -> socket.socket:
        """Return the socket on which to ask for a fork; starts the process where there is none."""
        if self._control is None:
            ours, theirs = socket.socketpair()
            with theirs:
                process = subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "understudy.core.sandbox_server",
                        str(theirs.fileno()),
                        self._module,
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=None if debugging() else subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    cwd=_ROOT,
                    env={**os.environ, **_PLAINLY},
                )
            threading.Thread(target=process.wait, name=f"reap {self._module}", daemon=True).start()
            self._control = ours
        return self._control

    def _leave(self) -> None:
        """Let the process exit; another is started when there is work."""
        if self._control is not None:
            self._control.close()
            self._control = None


class _Sink:
    """Writes to a socket without buffering."""

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
    """Return the answer to a piece of work.

    Raises:
        Refusal, Ended: as of `run_in_sandbox`.
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
