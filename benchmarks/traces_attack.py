"""Who finds a user among fakes, and who tells that somebody was counted, on the simulated city.

python -m benchmarks traces-attack

Its figures stand in `understudy/mechanisms/traces/charts/attacks.py`, which the Privacy page
draws.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import Any, Final

import numpy as np

from benchmarks.size import Size
from understudy.core.arrays import IntArray
from understudy.mechanisms.traces.charts.attacks import ADVERSARIES, KINDS, NUMBERS
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import simulate
from understudy.studies.traces.fakes.adversaries import (
    TRIED,
    Privacy,
    as_days,
    privacy_among,
    privacy_of_published,
)
from understudy.studies.traces.fakes.measures import told_present
from understudy.studies.traces.fakes.synthesizer import learn_days
from understudy.studies.traces.setting import WHERE, made_traces
from understudy.table.positions.slots import SLOTS

_SIZES: Final[dict[Size, tuple[int, int, int]]] = {
    "full": (30, 5_000, 4),
    "quick": (30, 500, 1),
    "tiny": (6, 60, 1),
}
"""People of whom fakes are made, people who are counted for made traces, and cities."""
_WEEKDAY: Final = 1


def measure(size: Size = "full") -> dict[str, Any]:
    """The share of places missed by kind of fakes, their number and the adversary, and what a
    release of published fakes tells of who was counted; means over cities."""
    people, counted, cities = _SIZES[size]
    missed: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    told = []
    for seed in range(cities):
        city = simulate(people + counted, seed, _WEEKDAY + 1)[:, _WEEKDAY].astype(np.int64)
        days, source = city[:people], RandomSource.fixed(seed)
        both = privacy_of_published(days, WHERE, source), _among_made(days, city[people:], source)
        for kind, found in zip(KINDS, both, strict=True):
            for each in found:
                missed[kind, each.fakes, each.adversary].append(each.missed)
        # Chance of its own, so that it depends on nothing of made traces.
        told.append(told_present(days, WHERE, RandomSource.fixed(seed)))
    return {
        "people": people,
        "counted": counted,
        "cities": cities,
        "missed": {
            kind: {
                who: [round(fmean(missed[kind, number, who]), 3) for number in NUMBERS]
                for who in ADVERSARIES
            }
            for kind in KINDS
        },
        "told": {
            "hits": round(fmean(each.hits for each in told), 3),
            "alarms": round(fmean(each.alarms for each in told), 3),
        },
    }


def _among_made(days: IntArray, counted: IntArray, source: RandomSource) -> tuple[Privacy, ...]:
    """Privacy among made traces, of other people than those who hide."""
    each = max(NUMBERS) + TRIED
    made = made_traces(counted, len(days) * each, source).reshape(len(days), each, SLOTS)
    model = learn_days(as_days(days), WHERE, source)
    return privacy_among(days, made, model, WHERE, source)


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    told = figures["told"]
    lines = [
        f"Share of a user’s places missed, {figures['people']} people of the simulated city, made "
        f"traces of {figures['counted']:,}; means of {figures['cities']} cities.",
        "",
        f"| fakes are | adversary | {' | '.join(map(str, NUMBERS))} |",
        f"|---|---|{'---:|' * len(NUMBERS)}",
    ]
    for kind, by_adversary in figures["missed"].items():
        for who, values in by_adversary.items():
            each = " | ".join(f"{value:.3f}" for value in values)
            lines.append(f"| {kind} | {who} | {each} |")
    lines += [
        "",
        "One release of a published fake each is in a place of somebody’s own: of "
        f"{told['hits']:.3f} of people who were counted, of {told['alarms']:.3f} who were not.",
    ]
    return "\n".join(lines)
