"""Work of every kind for a process of its own, done as its name says."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import BinaryIO

from understudy.core.refusal import Refusal


def work(asked: tuple[str, bytes]) -> Callable[[BinaryIO], None]:
    """Do what is asked for."""
    name, content = asked
    return _DEEDS[name](content)


def _echo(content: bytes) -> Callable[[BinaryIO], None]:
    def write(pipe: BinaryIO) -> None:
        pipe.write(content)

    return write


def _tell(_: bytes) -> Callable[[BinaryIO], None]:
    return _echo(str(os.getppid()).encode())


def _refuse(_: bytes) -> Callable[[BinaryIO], None]:
    raise Refusal("It is odd.", "Even it out.", field="table")


def _fail(content: bytes) -> Callable[[BinaryIO], None]:
    raise RuntimeError(content)


def _grow(_: bytes) -> Callable[[BinaryIO], None]:
    held = []
    while True:
        held.append(bytes(1 << 24))


def _stop(_: bytes) -> Callable[[BinaryIO], None]:
    signal.pause()
    raise AssertionError


def _break(_: bytes) -> Callable[[BinaryIO], None]:
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def _break_off(_: bytes) -> Callable[[BinaryIO], None]:
    def write(pipe: BinaryIO) -> None:
        pipe.write(b"half of")
        pipe.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    return write


_DEEDS = {
    "echo": _echo,
    "tell": _tell,
    "refuse": _refuse,
    "fail": _fail,
    "grow": _grow,
    "stop": _stop,
    "break": _break,
    "break off": _break_off,
}
