"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

_EVERY = 0.02


def until(happened: Callable[[], bool]) -> None:
    """Look again and again, and leave the core to that process in between.

    It ends by what is looked at: `happened` fails where it can no longer come to it.
    """
    while not happened():
        time.sleep(_EVERY)
