"""The attempts of a run in chunks, which can be made in any order, anywhere, and any number of
times.

Every batch draws from a stream of its own, which follows from the run's secret and the number of
the batch. So a chunk that is made again, here or on another machine, comes out the same: whoever
lost the outcome of one asks for it again, and nothing is drawn twice. Each chunk is released once,
in the order of its attempts, so what was lost on the way shows nowhere, and costs nothing.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from understudy import __version__
from understudy.core.arrays import CodeArray
from understudy.mechanisms.seedbased.attempts import BATCH, Decision, Synthesizer, release
from understudy.privacy.randomness import Secret

_DRAWING = 2
"""To be raised with every change after which the same words come to other records."""


@dataclass(frozen=True)
class Span:
    """Some attempts in a row.

    Attributes:
        first: the number of the first; a multiple of `BATCH`.
        count: how many.
    """

    first: int
    count: int


@dataclass(frozen=True, eq=False)
class Chunks:
    """All attempts of a run. Confidential: it holds the seeds' index and the run's secret.

    Attributes:
        synthesizer: makes candidates.
        decision: decides which pass.
        secret: what the run's random numbers follow from.
        attempts: how many there are at most.
    """

    synthesizer: Synthesizer
    decision: Decision
    secret: Secret
    attempts: int

    def spans(self, first: int, batches: int) -> Iterator[Span]:
        """Yield all attempts from one on, in chunks of so many batches."""
        size = batches * BATCH
        for start in range(first, self.attempts, size):
            yield Span(start, min(size, self.attempts - start))

    def make(self, span: Span) -> CodeArray:
        """(passed, m) codes in schema order: what passes among some attempts, in their order."""
        end = span.first + span.count
        return np.concatenate(
            [self._batch(start, min(BATCH, end - start)) for start in range(span.first, end, BATCH)]
        )

    def _batch(self, first: int, count: int) -> CodeArray:
        source = self.secret.source("attempts", first // BATCH)
        return release(self.synthesizer, self.decision, first, count, source)


Released = Generator[tuple[Span, CodeArray], None, None]
"""Attempts in a row, one span after another, and what passed among them."""


class Executor(Protocol):
    """Where attempts are made."""

    def released(self, chunks: Chunks, first: int) -> Released:
        """Make attempts from one on, to the last.

        Whoever has enough closes the iterator, which then stops what is under way.

        Yields:
            Some attempts in a row and what passed among them, in the order of the attempts,
            each attempt once.
        """
        ...


def program() -> str:
    """Return what has to be the same for a batch that is made again to come out the same."""
    return (
        f"understudy {__version__}, drawing {_DRAWING}, numpy {np.__version__}, "
        f"{BATCH} attempts a batch, "
        f"{platform.machine()} {_last_digits()}"
    )


def _last_digits() -> str:
    """Return what stands for the last digits of logarithms and powers, which processors differ
    in."""
    some = np.linspace(2.0**-48, 1.0, 4096)
    logs = np.log(some)
    powers = logs, np.exp(logs), np.exp2(-48 * some), np.logaddexp(logs, -some)
    return hashlib.sha256(np.stack(powers).tobytes()).hexdigest()[:16]
