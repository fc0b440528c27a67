"""`python -m tests.browser.watched`: the dashboard, watched from inside.

It serves as ever, and writes down in the folder $WATCHED what it opens for writing, which processes
it starts and whom it speaks to. On SIGUSR1 it writes how many tables are in its memory.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

FOLDER = Path(os.environ["WATCHED"])
WRITTEN, ASKED, STARTED, COUNTED = "written", "asked", "started", "counted.json"
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_KINDS = ("RawTable", "Records", "Session", "Table")
_OTHER = "understudy.mechanisms.fields"
"""Where a table is one of settings, and no record is in it."""


def main() -> int:
    """Watch, then serve; a closed page is forgotten after a second."""
    sys.addaudithook(_heard)
    signal.signal(signal.SIGUSR1, _count)
    from understudy_dashboard import __main__ as dashboard
    from understudy_dashboard import server

    flags = dashboard.list_flags
    dashboard.list_flags = lambda port: {**flags(port), "server_disconnectedSessionTTL": 1}
    server.SWEEP = 0.2  # type: ignore[misc]
    return dashboard.main()


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, str | bytes) and _writes(mode, flags):
            _note(WRITTEN, os.fsdecode(path))
    elif event in ("tempfile.mkstemp", "tempfile.mkdtemp", "os.rename", "os.mkdir"):
        _note(WRITTEN, " ".join(str(each) for each in arguments))
    elif event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        _note(ASKED, f"{event} {arguments[-1] if event == 'socket.connect' else arguments}")
    elif event == "subprocess.Popen":
        _note(STARTED, json.dumps([str(each) for each in arguments[1]]))


def _writes(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(sign in mode for sign in "wax+")
    return bool(flags & _WRITING)


def _note(kind: str, text: str) -> None:
    """Append a line, by system calls that the hook does not hear."""
    if str(FOLDER) in text:
        return
    handle = os.open(FOLDER / kind, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(handle, f"{text}\n".encode())
    os.close(handle)


def _count(number: int, frame: FrameType | None) -> None:
    """Write down what there is, collecting nothing: that is for the server to do."""
    found = dict.fromkeys(_KINDS, 0)
    for each in gc.get_objects():
        name, module = type(each).__name__, type(each).__module__
        if (
            name in found
            and module.startswith(("understudy.", "understudy_dashboard."))
            and module != _OTHER
        ):
            found[name] += 1
    hidden = FOLDER / f".{COUNTED}"
    hidden.write_text(json.dumps(found), encoding="utf-8")
    hidden.rename(FOLDER / COUNTED)


if __name__ == "__main__":
    sys.exit(main())
