"""The error of made days by people times ε, on the simulated city: what is foreseen of a plan.

python -m benchmarks traces-curve

Its figures stand in `understudy/mechanisms/traces/charts/measures.py`, which the Privacy page reads
from. The map of the city has 400 cells; taken together two and four each way it has 100 and 25.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Any, Final

import numpy as np

from benchmarks.size import Size
from understudy.evaluation.mobility.days import Seen
from understudy.evaluation.mobility.registry import compare_days
from understudy.mechanisms.traces.guarantee import deviations
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.geography import block_numbers
from understudy.models.mobility.law import fit_law
from understudy.models.mobility.stays import Days
from understudy.models.mobility.synthesis import made_people
from understudy.models.mobility.tables import UNITS, added_up
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import SIDE, simulate
from understudy.table.positions.slots import SLOTS

DELTA: Final = 1e-9
FIGURES: Final = ("places", "zones")
_DAY: Final = 2
_WEEK: Final = 7
_GATHERED: Final = (1, 2, 4)
_ASKED: Final = (
    (0.05, 1.0), (0.1, 1.0), (0.2, 1.0), (0.5, 1.0), (1.0, 1.0), (1.0, 2.0), (1.0, 5.0),
    (1.0, 10.0),
)  # fmt: skip
"""Of which share of the people, and at which ε."""
_SIZES: Final[dict[Size, tuple[int, int, int]]] = {
    "full": (5_000, 5_000, 4),
    "quick": (500, 500, 2),
    "tiny": (60, 60, 1),
}
"""People who are counted, people who are compared with, and runs."""


def measure(size: Size = "full") -> dict[str, Any]:
    """The errors by cells of the map and people times ε, and those of other real people."""
    counted, others, runs = _SIZES[size]
    people = simulate(counted + others).astype(np.int64)
    rows = []
    for by in _GATHERED:
        plan = TracesPlan(
            domain="", rows=SIDE, columns=SIDE, km_a_slot=2.5, delta=DELTA, gathered=by
        )
        told = block_numbers(plan.as_told, by)[people]
        real = Seen(_one_day(told[counted:]), plan.where)
        beside = compare_days(Seen(_one_day(told[:counted]), plan.where), real)
        rows.append(_row(plan, None, [beside]))
        for share, epsilon in _ASKED:
            some = _days(told[: max(20, int(share * counted))])
            found = [
                _run(plan.model_copy(update={"epsilon": epsilon}), some, seed, real)
                for seed in range(runs)
            ]
            rows.append(_row(plan, some.people * epsilon, found))
    return {"delta": DELTA, "others": others, "runs": runs, "rows": rows}


def _row(plan: TracesPlan, carried: float | None, found: list[dict[str, float]]) -> dict[str, Any]:
    return {
        "cells": plan.where.cells,
        "people times ε": carried,
        **{name: round(fmean(each[name] for each in found), 3) for name in FIGURES},
    }


def _run(plan: TracesPlan, days: Days, seed: int, real: Seen) -> dict[str, float]:
    sigma, noise = deviations(plan), Noise(RandomSource.fixed(seed))
    noisy = {
        name: noise.gaussians(each, sigma[name] * UNITS)
        for name, each in added_up(days, plan.where).items()
    }
    law = fit_law(noisy, sigma, plan.where)
    people = len(real.days.cells)
    return compare_days(
        Seen(made_people(law, people, (False,), RandomSource.fixed(seed)), plan.where), real
    )


def _days(people: np.ndarray) -> Days:
    number = np.arange(people.shape[1])
    return Days(
        people.reshape(-1, SLOTS),
        np.tile(number % _WEEK >= 5, len(people)),
        np.repeat(np.arange(len(people)), len(number)),
    )


def _one_day(people: np.ndarray) -> Days:
    """One weekday of each."""
    cells = people[:, _DAY]
    return replace(_days(people[:, :1]), cells=cells, weekend=np.zeros(len(cells), dtype=bool))


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"The simulated city beside {figures['others']:,} others of it; δ = {figures['delta']:g}, "
        f"means of {figures['runs']} runs.",
        "",
        f"| cells | people × ε | {' | '.join(FIGURES)} |",
        f"|---:|---:|{'---:|' * len(FIGURES)}",
    ]
    for row in figures["rows"]:
        asked = row["people times ε"]
        said = "other real people" if asked is None else f"{asked:,.0f}"
        each = " | ".join(f"{row[name]:.3f}" for name in FIGURES)
        lines.append(f"| {row['cells']} | {said} | {each} |")
    return "\n".join(lines)
