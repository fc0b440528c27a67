"""Doing the same for several things on two cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

CORES: Final = 2
"""As many as a small machine has; what takes long lets other threads go on meanwhile."""

Thing = TypeVar("Thing")
Found = TypeVar("Found")


def each_at_once(do: Callable[[Thing], Found], things: Iterable[Thing]) -> list[Found]:
    """What `do` says of each thing, in their order; two are looked at at once.

    `do` must not depend on what it said of others. Where it fails for one, or the main thread is
    stopped, those that were not begun are left, and the error is passed on.
    """
    pool = ThreadPoolExecutor(CORES)
    try:
        return list(pool.map(do, things))
    finally:
        pool.shutdown(cancel_futures=True)
