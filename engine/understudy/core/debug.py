"""A traceback of an unforeseen error, if one is asked for.

An error's text may quote a confidential cell, so that nothing of it is shown as a rule: a message
says its kind and its place. With UNDERSTUDY_DEBUG=1 in the environment, the traceback goes to the
terminal and into a file of the home folder that nobody but its owner may read.
"""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from understudy.core.files import make_private
from understudy.core.home import home

VARIABLE: Final = "UNDERSTUDY_DEBUG"
"""The variable of the environment that asks for tracebacks."""

CONFIDENTIAL: Final = (
    "It may hold confidential values: read it yourself, and pass nothing on without looking."
)


def debugging() -> bool:
    """Return whether tracebacks are asked for."""
    return os.environ.get(VARIABLE, "0") not in ("", "0")


def traceback_file() -> Path:
    """Return the file that tracebacks are written to."""
    return home() / "debug.log"


def traceback_sentence(*, with_path: bool = False) -> str:
    """Return where the traceback of an error is, or what makes one be written next time.

    Args:
        with_path: whether the path of the file is told. Pages may have visitors who are not to
            learn where the home folder of a shared server is.
    """
    file = traceback_file()
    place = str(file) if with_path else f"{file.name} in the home folder of Understudy"
    if debugging():
        return f"The traceback is in {place}. {CONFIDENTIAL}"
    return (
        f"For a traceback, set {VARIABLE}=1 and do it again: it is then written to the terminal "
        f"and to {place}, and may hold confidential values."
    )


def write_traceback(error: BaseException) -> None:
    """Write the traceback of an error to the terminal and the file, if tracebacks are asked for.

    What cannot be written is left out: this reports an error and must not cause another.
    """
    if not debugging():
        return
    trace = "".join(traceback.format_exception(error))
    text = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC. {CONFIDENTIAL}\n{trace}\n"
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, end="", flush=True)
    with suppress(OSError):
        make_private(home())
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(traceback_file(), flags, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text)
