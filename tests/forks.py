"""Processes of runs, forked from one that has loaded what they need.

`python -m engine.runs.worker` computes for more than a second before it begins, most of it imports.
Here one process loads them once and forks for every process that a test starts, as
engine/core/confined.py does for files. What is forked has its own session, its job on its input,
the locks it is given, and this process's environment; that a fresh interpreter comes to the same
is tested by what uses `anew` (tests/conftest.py).
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
_ROOT = Path(__file__).resolve().parents[1]
_LOADED = ("engine.runs.worker", "engine.runs.inquirer", "engine.report.making")
_MOST = 1 << 20


class Forks:
    """The process that forks. It is started when it is first asked, and ends with this one."""

    def __init__(self) -> None:
        self._control: socket.socket | None = None

    def fork(self, module: str, arguments: Sequence[str], files: Sequence[int]) -> int:
        """Let the `main` of a module run in a process of its own.

        Args:
            module, arguments: what would stand after `python -m`.
            files: what it reads as its input, and what else it holds open.

        Returns:
            The id of the process.
        """
        if self._control is None:
            self._control = _started()
        asked = pickle.dumps((module, list(arguments), dict(os.environ)))
        socket.send_fds(self._control, [asked], files)
        return int.from_bytes(self._control.recv(8), "big")

    def close(self) -> None:
        """Let it end."""
        if self._control is not None:
            self._control.close()


class Popen:
    """As much of `subprocess.Popen` as engine/runs/process.py asks of it, where this module stands
    for `subprocess`."""

    def __init__(self, command: Sequence[str], *, pass_fds: Sequence[int], **_: Any) -> None:
        _, _, module, *arguments = command
        theirs, ours = os.pipe()
        self.stdin = os.fdopen(ours, "wb")
        try:
            self.pid = FORKS.fork(module, arguments, [theirs, *pass_fds])
        finally:
            os.close(theirs)

    def wait(self) -> None:
        """Wait until it is gone."""
        with suppress(ProcessLookupError):
            gone = os.pidfd_open(self.pid)
            try:
                select.select([gone], [], [])
            finally:
                os.close(gone)


FORKS = Forks()


def _started() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, "-m", "tests.forks", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            cwd=_ROOT,
        )
    return ours


def _serve(control: socket.socket) -> None:
    """Fork for whatever is asked, until whoever asks is gone."""
    for each in _LOADED:
        import_module(each)
    # Whoever ended is taken away at once: only their test waits for them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        asked, files, *_ = socket.recv_fds(control, _MOST, 16)
        if not asked:
            return
        process = os.fork()
        if process == 0:
            control.close()
            _be(*pickle.loads(asked), files)
        for each in files:
            os.close(each)
        control.sendall(process.to_bytes(8, "big"))


def _be(module: str, arguments: list[str], environment: dict[str, str], files: list[int]) -> None:
    """Be what `python -m` would be, with nowhere to write to."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        os.dup2(files[0], 0)
        os.close(files[0])
        null = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(null, number)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [module, *arguments]
        status = import_module(module).main()
    finally:
        os._exit(status or 0)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
