"""Several things at once, on two cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Final, TypeVar

CORES: Final = 2
"""As many as a small machine has; what takes long lets other threads go on meanwhile."""

Thing = TypeVar("Thing")
Found = TypeVar("Found")


def each_at_once(do: Callable[[Thing], Found], things: Iterable[Thing]) -> list[Found]:
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
        Thread(target=self._made, args=(make,), name="meanwhile", daemon=True).start()

    def __getitem__(self, name: str) -> Thing:
        return self._future.result()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._future.result())

    def __len__(self) -> int:
        return len(self._future.result())

    def _made(self, make: Callable[[], Mapping[str, Thing]]) -> None:
        try:
            self._future.set_result(make())
        except BaseException as error:
            self._future.set_exception(error)
