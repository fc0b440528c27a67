"""The cores of this machine, a thread each.

Threads share the index, and an attempt is all but all NumPy, which lets other threads run.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from engine.mechanisms.seedbased.chunks import Chunks, Codes, Released, Span

BATCHES = 4
"""Batches a chunk: so few that a run that is cancelled soon stops."""


@dataclass(frozen=True)
class Cores:
    """Some cores of this machine.

    Attributes:
        count: how many are used at most, at least 1.
    """

    count: int

    @classmethod
    def all(cls) -> Cores:
        """All that this process may use."""
        return cls(available())

    def released(self, chunks: Chunks, first: int) -> Released:
        """As `Executor` says. A chunk more than there are cores is held in memory at most."""
        chunks.synthesizer.index.prepare()
        under_way: deque[tuple[Span, Future[Codes]]] = deque()
        with ThreadPoolExecutor(self.count, "attempts") as pool:
            try:
                for span in chunks.spans(first, BATCHES):
                    under_way.append((span, pool.submit(chunks.make, span)))
                    if len(under_way) > self.count:
                        made, future = under_way.popleft()
                        yield made, future.result()
                while under_way:
                    made, future = under_way.popleft()
                    yield made, future.result()
            finally:
                for _, future in under_way:
                    future.cancel()


def available() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
