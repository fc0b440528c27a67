"""Processes forked from one that has loaded what they are made of, as understudy/core/sandbox.py
forks for files.

A run takes more than a second of a processor to load, and a dashboard four, before either does
anything. Here one process, the template, loads that once for all workers of a test session, and
forks for whoever asks it. What is forked has a session of its own, its arguments, environment and
files, and runs as after `python -m`. That a fresh interpreter comes to the same is tested by what
uses `anew` (tests/conftest.py), and by servers that are started without it.

The template is called up by the first who needs it, and ends with the last who did.
"""

from __future__ import annotations

import fcntl
import gc
import os
import pickle
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final

PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
AT: Final = "TESTS_FORKS_AT"
"""The variable that names the folder of the template's socket; nothing is forked without it."""
_ROOT = Path(__file__).resolve().parents[1]
_RUNS = ("understudy.runs.worker", "understudy.runs.inquirer", "understudy.report.packet_process")
_MOST, _FILES = 1 << 17, 16
_NOBODY_CALLS = 60.0
"""Seconds after which a template that nobody called up ends."""


@dataclass(frozen=True)
class Asked:
    """What is to be run in a process of its own.

    Attributes:
        module, arguments: what would stand after `python -m`.
        environment: its variables.
        made_of: the modules to be loaded before, once for all processes.
    """

    module: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    made_of: tuple[str, ...]


class Forked:
    """A process that was forked: as much of a `subprocess.Popen` as is asked of one."""

    def __init__(self, asked: Asked, files: Sequence[int]) -> None:
        """Have it forked.

        Args:
            asked: what it runs.
            files: what it reads, what it writes to, and what else it holds open.
        """
        self.pid = FORKS.fork(asked, files)
        try:
            self._gone: int | None = os.pidfd_open(self.pid)
        except ProcessLookupError:
            self._gone = None

    def wait(self, timeout: float | None = None) -> None:
        """Wait until it is gone.

        Raises:
            subprocess.TimeoutExpired: it is still there after so many seconds.
        """
        if self._gone is None:
            return
        if not select.select([self._gone], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        os.close(self._gone)
        self._gone = None

    def terminate(self) -> None:
        """Ask it to end."""
        if self._gone is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)


class Popen(Forked):
    """A run's process, where this module stands for `subprocess` in understudy/runs/process.py."""

    def __init__(self, command: Sequence[str], *, pass_fds: Sequence[int], **_: Any) -> None:
        _, _, module, *arguments = command
        theirs, ours = os.pipe()
        self.stdin: BinaryIO = os.fdopen(ours, "wb")
        asked = Asked(module, tuple(arguments), dict(os.environ), _RUNS)
        with os.fdopen(theirs) as read, Path(os.devnull).open("wb") as nowhere:
            super().__init__(asked, [read.fileno(), nowhere.fileno(), *pass_fds])


class Forks:
    """The line to the template."""

    def __init__(self) -> None:
        self._line: socket.socket | None = None
        self._one_at_a_time = threading.Lock()

    def fork(self, asked: Asked, files: Sequence[int]) -> int:
        """Have a process forked; its id."""
        with self._one_at_a_time:
            if self._line is None:
                self._line = _found(Path(os.environ[AT]))
            socket.send_fds(self._line, [pickle.dumps(asked)], files)
            return int(self._line.recv(_MOST))

    def close(self) -> None:
        """Let the template end, if nobody else needs it."""
        if self._line is not None:
            self._line.close()
            self._line = None


FORKS = Forks()


def _found(folder: Path) -> socket.socket:
    """A line to the template of a folder, which is started where it is not there."""
    path = folder / "template"
    with (folder / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        line = _called(path)
        if line is None:
            path.unlink(missing_ok=True)
            _start(path)
            line = _called(path)
    if line is None:
        said = path.with_suffix(".log").read_text(encoding="utf-8")
        raise RuntimeError(f"The process that forks for tests did not start. It wrote:\n{said}")
    return line


def _called(path: Path) -> socket.socket | None:
    """A line to a template; None where none answers."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with suppress(OSError):
        line.connect(str(path))
        line.send(b"?")
        if line.recv(_MOST):
            return line
    line.close()
    return None


def _start(path: Path) -> None:
    """Start a template, and wait until it listens."""
    listens, written = os.pipe()
    with os.fdopen(listens) as ready, path.with_suffix(".log").open("w") as log:
        subprocess.Popen(
            [sys.executable, "-m", "tests.forks", str(path), str(written)],
            cwd=_ROOT,
            stdin=DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            pass_fds=[written],
            start_new_session=True,
        )
        os.close(written)
        ready.read()


def _serve(path: str, ready: int) -> tuple[Asked, list[int]] | None:
    """Fork for whoever asks, until nobody is there any more.

    Returns:
        In a process that was forked, what was asked and its files; None at the end.
    """
    lines: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen(64)
        os.close(ready)
        while found := select.select([listener, *lines], [], [], None if lines else _NOBODY_CALLS)[
            0
        ]:
            if listener in found:
                lines.append(listener.accept()[0])
            for line in set(found) - {listener}:
                message, files, *_ = socket.recv_fds(line, _MOST, _FILES)
                if message == b"?":
                    line.send(b"!")
                elif message:
                    asked: Asked = pickle.loads(message)
                    if _fork(asked, files, line) == 0:
                        for each in lines:
                            each.close()
                        return asked, files
                else:
                    line.close()
                    lines.remove(line)
            if not lines:
                break
    return None


def _fork(asked: Asked, files: Sequence[int], line: socket.socket) -> int:
    for each in asked.made_of:
        import_module(each)
    gc.freeze()
    process = os.fork()
    if process:
        for file in files:
            os.close(file)
        line.send(str(process).encode())
    return process


def _be(asked: Asked, files: Sequence[int]) -> None:
    """Be what `python -m` would be."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    read, written = files[:2]
    for place, file in enumerate((read, written, written)):
        os.dup2(file, place)
    for file in (read, written):
        os.close(file)
    os.environ.clear()
    os.environ.update(asked.environment)
    tempfile.tempdir = None
    further = asked.environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[1:1] = [each for each in further if each and each not in sys.path]
    sys.argv[1:] = asked.arguments
    with warnings.catch_warnings():
        # It was loaded before, which is the point.
        warnings.simplefilter("ignore", RuntimeWarning)
        runpy.run_module(asked.module, run_name="__main__", alter_sys=True)


def _take_away(*_: Any) -> None:
    """Take away whoever has ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main() -> None:
    """Be the template, and in each process that is forked what was asked for."""
    signal.signal(signal.SIGCHLD, _take_away)
    path, ready = sys.argv[1:]
    found = _serve(path, int(ready))
    if found is not None:
        _be(*found)


if __name__ == "__main__":
    main()
