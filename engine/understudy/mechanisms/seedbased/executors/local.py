"""The cores of this machine, a thread each.

Threads share the index, and an attempt is all but all NumPy, which lets other threads run.
"""

from __future__ import annotations

from dataclasses import dataclass

from understudy.core.threads import available, in_order
from understudy.mechanisms.seedbased.chunks import Chunks, Released

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
        """Return all that this process may use."""
        return cls(available())

    def released(self, chunks: Chunks, first: int) -> Released:
        """As `Executor` says. A chunk more than there are cores is held in memory at most."""
        chunks.synthesizer.index.prepare()
        spans = chunks.spans(first, BATCHES)
        yield from in_order(chunks.make, spans, self.count, "attempts")
