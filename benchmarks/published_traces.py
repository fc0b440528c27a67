"""How long fakes as published take: what places mean to 200 people, and each trace.

python -m benchmarks published-traces
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from benchmarks.size import Size
from understudy.models.mobility.geography import Geography
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import CELLS, SIDE, simulate
from understudy.studies.traces.fakes.adversaries import as_days
from understudy.studies.traces.fakes.profiles import profiles, semantic_graph
from understudy.studies.traces.fakes.synthesizer import fakes, learn_days

_WHERE: Final = Geography(rows=SIDE, columns=SIDE, km_a_slot=2.5)
_SIZES: Final[Mapping[Size, tuple[int, int, int]]] = {
    "full": (200, 30, 10),
    "quick": (60, 30, 2),
    "tiny": (8, 6, 1),
}
"""People who are compared, people of whom fakes are made, and fakes of each."""


def measure(size: Size = "full") -> dict[str, Any]:
    """Seconds of one core."""
    compared, people, each = _SIZES[size]
    days = simulate(max(compared, people), days=2)[:, 1].astype(np.int64)
    source = RandomSource.fixed(1)
    # Loaded first, so that it is not counted.
    learn_days(as_days(days[:3]), _WHERE, source)
    began = time.process_time()
    semantic_graph(profiles(as_days(days[:compared])), CELLS, source)
    graphed = time.process_time()
    model = learn_days(as_days(days[:people]), _WHERE, source)
    ready = time.process_time()
    fakes(days[:people], model, each, source)
    ended = time.process_time()
    return {
        "compared": compared,
        "people": people,
        "fakes": people * each,
        "graph_seconds": graphed - began,
        "learning_seconds": ready - graphed,
        "ms_a_fake": 1000 * (ended - ready) / (people * each),
    }


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    pairs = figures["compared"] * (figures["compared"] - 1) // 2
    return "\n".join(
        (
            "| fakes as published, 400 locations | one core |",
            "|---|---:|",
            f"| what places mean to {figures['compared']:,} people, {pairs:,} pairs "
            f"| {figures['graph_seconds']:.2f} s |",
            f"| a model of {figures['people']:,} people | {figures['learning_seconds']:.2f} s |",
            f"| a fake, mean of {figures['fakes']:,} | {figures['ms_a_fake']:.1f} ms |",
        )
    )
