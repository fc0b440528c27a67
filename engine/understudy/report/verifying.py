"""The work of the process that checks packets."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from understudy.report.verify import verify
from understudy.report.verify_apart import Asked, enter_folder, make_sender


def work(asked: Asked) -> Callable[[BinaryIO], None]:
    """Check a packet, as of `verify_apart.verify_apart`."""
    folder, path = asked
    enter_folder(folder)
    return make_sender(verify(path))
