"""Checking a packet in a limited process of its own, as its source is not trusted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from understudy.core.refusal import Refusal
from understudy.core.sandbox import Bounds, Ended, run_in_sandbox
from understudy.report.verdict import Check, Verdict

_MEMORY, _MEMORY_TIMES = 2 << 30, 40
_SECONDS, _BYTES_A_SECOND = 300.0, 50_000
"""What checking may take, and how much more for each byte of the packet."""

Asked = tuple[str, Path]


def verify_apart(path: Path) -> Verdict:
    """`verify.verify`, in a process of its own.

    Raises:
        Refusal: as there, or it takes more memory or time than a packet of its size does.
    """
    size = _size(path)
    bounds = Bounds(_MEMORY + _MEMORY_TIMES * size, _SECONDS + size / _BYTES_A_SECOND)
    try:
        asked: Asked = (str(Path.cwd()), path)
        return run_in_sandbox("understudy.report.verifying", asked, bounds, _received)
    except Ended as ended:
        why = {"memory": "takes more memory", "time": "takes more time"}.get(ended.why)
        raise Refusal(
            f"{path} {why} to check than any packet of its size does."
            if why
            else f"{path} cannot be checked: what is in it ends the program that reads it.",
            "Do not rely on it. Get the packet again from whoever made it.",
        ) from None


def _size(path: Path) -> int:
    """Return the bytes of a packet, about; 0 where it cannot be told."""
    try:
        files = [path] if path.is_file() else list(path.iterdir())
        return sum(each.stat().st_size for each in files)
    except (OSError, ValueError):
        return 0


def _received(pipe: BinaryIO) -> Verdict:
    said = json.loads(pipe.read())
    return Verdict(tuple(Check(**each) for each in said["checks"]), said["stained"])


def make_sender(verdict: Verdict) -> Callable[[BinaryIO], None]:
    """Return a function that writes a verdict into a pipe."""
    data = json.dumps(asdict(verdict)).encode()

    def write(pipe: BinaryIO) -> None:
        pipe.write(data)

    return write


def enter_folder(folder: str) -> None:
    """Change to the folder in which the paths were typed."""
    os.chdir(folder)
