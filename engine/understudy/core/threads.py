"""Parts of one piece of work, in a few threads, handed over in order.

What is nearly all NumPy lets other threads run, and threads share what they read.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")
Made = TypeVar("Made")


def available() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    make: Callable[[Part], Made], parts: Iterable[Part], threads: int, name: str
) -> Generator[tuple[Part, Made], None, None]:
    """Yield what is made of each part, in their order; one more than there are threads is held at
    most.

    Args:
        make: what is done with a part; it must not matter what else is done meanwhile.
        parts: any number.
        threads: how many, at least 1.
        name: what the threads are called.

    Yields:
        A part and what was made of it.
    """
    under_way: deque[tuple[Part, Future[Made]]] = deque()
    with ThreadPoolExecutor(threads, name) as pool:
        try:
            for part in parts:
                under_way.append((part, pool.submit(make, part)))
                if len(under_way) > threads:
                    done, future = under_way.popleft()
                    yield done, future.result()
            while under_way:
                done, future = under_way.popleft()
                yield done, future.result()
        finally:
            for _, future in under_way:
                future.cancel()
