"""What each step of the calibrated model buys: `python -m benchmarks.ablation [--table …]`.

Steps are added one after another, and then each is left out of the whole; what a step would have
spent goes to the others. Medians over seeds, by the judge of `benchmarks.peers`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.tables import Bench, opened
from benchmarks.peers.worth import Judge
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.measurement import Steps
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

DELTA = 1e-9
STEPS: Mapping[str, Steps] = {
    "marginals": Steps(pairs=False),
    "+ pairs, as a forest": Steps(again=False, calibrate=False, distil=False),
    "+ columns again": Steps(calibrate=False, distil=False),
    "+ calibration": Steps(distil=False),
    "+ distillation (all)": Steps(),
    "all but columns again": Steps(again=False),
    "all but the forest": Steps(forest=False),
}
_SHOWN = ("single_median", "pair_median", "pair_most", "accuracy", "forest")
_NAMES = ("tv1 med", "tv2 med", "tv2 max", "RF acc", "dist RF", "fit s")


def measure(bench: Bench, epsilon: float, seeds: int) -> dict[str, list[float]]:
    """For each set of steps the medians of the judge's figures, and of the seconds of fitting."""
    judge = Judge.of(bench)
    found = {}
    for name, steps in STEPS.items():
        figures = [_figures(bench, judge, epsilon, seed, steps) for seed in range(1, seeds + 1)]
        found[name] = np.median(figures, axis=0).tolist()
    return found


def _figures(bench: Bench, judge: Judge, epsilon: float, seed: int, steps: Steps) -> list[float]:
    source = RandomSource.fixed(seed)
    learner = CalibratedLearner.within(bench.schema, Budget(epsilon, DELTA), steps=steps)
    begun = time.process_time()
    learned = learner.learn(bench.learned, Noise(source), source.child())
    taken = time.process_time() - begun
    made = np.ascontiguousarray(learned.network.records(bench.made, source).T)
    figures = judge.made(Records(bench.schema, made))
    return [*(figures[each] for each in _SHOWN), taken]


def table(bench: Bench, epsilon: float, seeds: int, found: Mapping[str, list[float]]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"{bench.name}, {len(bench.learned):,} records, ε = {epsilon:g}, δ = {DELTA:g}, "
        f"medians over {seeds} seeds.",
        "",
        "| steps | " + " | ".join(_NAMES) + " |",
        "|---|" + "---:|" * len(_NAMES),
    ]
    for name, (*figures, seconds) in found.items():
        cells = [f"{figure:.4f}".removeprefix("0") for figure in figures]
        lines.append(f"| {name} | " + " | ".join([*cells, f"{seconds:.1f}"]) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table of one table and ε."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("--table", default="census", help="“census” or a file")
    parser.add_argument("--schema", type=Path, help="of the file; else suggested")
    parser.add_argument("--target", help="the column to predict; else the last of two values")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    bench = opened(chosen.table, chosen.schema, chosen.target)
    found: dict[str, Any] = measure(bench, chosen.epsilon, chosen.seeds)
    print(
        json.dumps(found, indent=2)
        if chosen.json
        else table(bench, chosen.epsilon, chosen.seeds, found)
    )


if __name__ == "__main__":
    main()
