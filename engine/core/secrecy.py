"""What a process that holds confidential records keeps from happening to it."""

from __future__ import annotations

import os
from contextlib import suppress


def keep_secret() -> None:
    """What every such process begins with: no core dumps, and files and folders that nobody else
    on this machine may look into. Processes it starts inherit both."""
    os.umask(0o077)
    without_core_dumps()


def without_core_dumps() -> None:
    """Have no memory of this process put on disk when it crashes. Processes it starts inherit
    this; where the system knows nothing of the kind, nothing happens."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
