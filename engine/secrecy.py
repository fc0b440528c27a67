"""What a process that holds confidential records keeps from happening to it."""

from __future__ import annotations

from contextlib import suppress


def without_core_dumps() -> None:
    """Have no memory of this process put on disk when it crashes. Processes it starts inherit
    this; where the system knows nothing of the kind, nothing happens."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
