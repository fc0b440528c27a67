"""The process that forks for work: `python -m understudy.core.sandbox_server SOCKET MODULE`; see
`sandbox`.

It loads the module and waits. For each socket that it is handed, it forks; the fork sets its own
limits, reads the request, has the module work on it, writes the answer and exits. The process exits
when its parent has closed the connection, or when it has had no request for long.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pickle
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from understudy.core.debug import write_traceback
from understudy.core.files import keep_secret
from understudy.core.refusal import Refusal
from understudy.core.sandbox import SandboxBounds

Write = Callable[[BinaryIO], None]

_IDLE = 600.0
"""Seconds without a request after which the process exits."""


def main() -> None:
    """Wait for work until there is nobody to ask for it."""
    handle, name = int(sys.argv[1]), sys.argv[2]
    # A core dump would hold records, and so would a temporary file.
    keep_secret()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=handle) as control:
        module = importlib.import_module(name)
        getattr(module, "prepare", _nothing)()
        # Objects loaded so far stay; frozen, garbage collection in a fork does not copy their
        # pages.
        gc.freeze()
        while select.select([control], [], [], _IDLE)[0]:
            said, handles, *_ = socket.recv_fds(control, 1, 1)
            if not said:
                # The parent is gone, so nobody waits for work that is under way.
                os.killpg(0, signal.SIGKILL)
            for each in handles:
                if os.fork() == 0:
                    control.close()
                    _work(module, each)
                os.close(each)


def _nothing() -> None:
    """Some kinds of work need no preparation."""


def _work(module: ModuleType, handle: int) -> None:
    """Do one piece of work, and end."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with socket.socket(fileno=handle) as end:
            end.sendall(b"w")
            with end.makefile("rb") as pipe:
                asked, bounds = pickle.load(pipe)
            _take_on(bounds)
            with end.makefile("wb") as pipe:
                _answer(module, asked, pipe)
    finally:
        # A fork must not run the exit handlers of the program it was forked from.
        os._exit(0)


def _take_on(bounds: SandboxBounds) -> None:
    """Set the limits of this process, which the system enforces."""
    limits = [(resource.RLIMIT_CPU, int(bounds.seconds) + 1)]
    with suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limits.append((resource.RLIMIT_AS, pages * resource.getpagesize() + bounds.memory))
        # Where the whole machine runs out of memory, this process is ended first.
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    for what, most in limits:
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))
    signal.setitimer(signal.ITIMER_REAL, bounds.seconds)


def _answer(module: ModuleType, asked: Any, pipe: BinaryIO) -> None:
    """Do the work and write whether it succeeded, and the answer."""
    said: dict[str, Any] = {"state": "done"}
    write: Write | None = None
    try:
        write = module.work(asked)
    except Refusal as refusal:
        said = {
            "state": "refused",
            "problem": refusal.problem,
            "remedy": refusal.remedy,
            "field": refusal.field,
        }
    except MemoryError:
        said = {"state": "memory"}
    except Exception as error:
        # The message of an exception may quote a cell.
        write_traceback(error)
        said = {"state": "failed"}
    with suppress(BrokenPipeError):
        pipe.write(json.dumps(said).encode() + b"\n")
        if write is not None:
            write(pipe)
        pipe.flush()


if __name__ == "__main__":
    main()
