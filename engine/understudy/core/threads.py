"""Work in a few threads: parts handed over in order, and things made meanwhile.

What is nearly all NumPy lets other threads run, and threads share what they read.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Final, TypeVar

# Parts of one piece of work, in a few threads, handed over in order.
#
# What is nearly all NumPy lets other threads run, and threads share what they read.

Part = TypeVar("Part")
Made = TypeVar("Made")


def count_cores() -> int:
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


# Several things at once, on two cores.

CORES: Final = 2
"""As many as a small machine has; what takes long lets other threads go on meanwhile."""

Thing = TypeVar("Thing")
Found = TypeVar("Found")


def map_at_once(do: Callable[[Thing], Found], things: Iterable[Thing]) -> list[Found]:
    """Return what `do` says of each thing, in their order; two are looked at at once.

    `do` must not depend on what it said of others. Where it fails for one, or the main thread is
    stopped, those that were not begun are left, and the error is passed on.
    """
    pool = ThreadPoolExecutor(CORES)
    try:
        return list(pool.map(do, things))
    finally:
        pool.shutdown(cancel_futures=True)


class Meanwhile(Mapping[str, Thing]):
    """Things by name that are made in a thread of their own while other work goes on. Whoever looks
    at them first waits until they are made; where making them failed, the error is raised then.

    The thread does not keep a process alive that is otherwise done.
    """

    def __init__(self, make: Callable[[], Mapping[str, Thing]]) -> None:
        """Begin to make them.

        Args:
            make: makes them; it must not matter what else is done meanwhile.
        """
        self._future: Future[Mapping[str, Thing]] = Future()
        Thread(target=self._make, args=(make,), name="meanwhile", daemon=True).start()

    def __getitem__(self, name: str) -> Thing:
        return self._future.result()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._future.result())

    def __len__(self) -> int:
        return len(self._future.result())

    def _make(self, make: Callable[[], Mapping[str, Thing]]) -> None:
        try:
            self._future.set_result(make())
        except BaseException as error:
            self._future.set_exception(error)
