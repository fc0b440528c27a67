"""Precautions of a process that holds confidential records."""

from __future__ import annotations

import os
from contextlib import suppress


def keep_secret() -> None:
    """Turn core dumps off, and make new files and folders readable by their owner only. Child
    processes inherit both."""
    os.umask(0o077)
    without_core_dumps()


def without_core_dumps() -> None:
    """Turn core dumps off for this process and its children, where the system has them."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
