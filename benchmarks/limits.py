"""What this machine can do at most: the roof that the attempts are held against."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.seedbased.attempts import BATCH, Decision, Synthesizer, release
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.privacy.randomness import RandomSource

_ROUNDS = 7
_LARGE = 1 << 25
_LINE = 64
"""Bytes that a look at one place of a large table moves."""


class Counting(RandomSource):
    """A source that counts the words it was asked for."""

    drawn = 0

    def words(self, count: int) -> npt.NDArray[np.uint64]:
        """As `RandomSource.words`."""
        self.drawn += count
        return super().words(count)


def machine() -> dict[str, float]:
    """One core's bandwidth to memory, its generator, and its look-ups in a table in cache."""
    source = RandomSource.secure()
    large, copy = np.ones(_LARGE), np.empty(_LARGE)
    small = np.arange(1 << 12)
    places = source.below(len(small), BATCH)
    found = np.empty(BATCH, dtype=np.int64)
    return {
        "bytes_per_second": 2 * large.nbytes / _best(lambda: np.copyto(copy, large)),
        "words_per_second": 64 * BATCH / _best(lambda: source.words(64 * BATCH)),
        "look_ups_per_second": BATCH
        / _best(lambda: np.take(small, places, out=found, mode="clip"), 200),
    }


def needed(made: Synthesizer, decision: Decision) -> dict[str, float]:
    """What one attempt needs of the machine whoever computes it, and what it takes in look-ups.

    Words are counted as they are drawn. To memory goes the line that the seed is found in, and
    the candidate; all else stays in cache. Look-ups are those of one attribute after another: its
    parents' shares of the configuration, and threshold and alias, and where ω is hidden the
    parents' once more and the likelihood.
    """
    source = Counting(RandomSource.secure().words(4).tobytes(), seeded=False)
    release(made, decision, 0, 4 * BATCH, source)
    model = made.model
    return {
        "words": source.drawn / (4 * BATCH),
        "bytes": float(_LINE + 2 * model.attributes),
        "look_ups": _look_ups(model),
    }


def _look_ups(model: KeptAttributes) -> float:
    network = model.network
    assert isinstance(network, BayesianNetwork)
    parents = [len(network.parents[attribute]) for attribute in network.order]
    hidden = not model.omega.per_attempt
    total = 0.0
    for place in range(model.first_resampled, model.attributes):
        resampled = np.mean([omega >= model.attributes - place for omega in model.omega.values])
        total += float(resampled) * (parents[place] + 2)
        total += hidden * (parents[place] + 1)
    lengths = model.last_kept - model.first_resampled + 1 if hidden else 1
    return total + 2 * lengths


def roofs(machine: dict[str, float], needed: dict[str, float]) -> dict[str, float]:
    """Attempts a second of one core if nothing but one thing took time."""
    return {
        "memory": machine["bytes_per_second"] / needed["bytes"],
        "generator": machine["words_per_second"] / needed["words"],
        "look_ups": machine["look_ups_per_second"] / needed["look_ups"],
    }


def _best(call: Callable[[], Any], times: int = 1) -> float:
    """Seconds of one call, the fastest round of some."""
    seconds = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        for _ in range(times):
            call()
        seconds.append((time.perf_counter() - start) / times)
    return min(seconds)
