"""What is foreseen of a model before anything is spent, beside what it comes to on the sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from benchmarks.peers.drivers.exchange import Stopwatch
from benchmarks.peers.ours import drawn
from benchmarks.size import Size
from understudy.evaluation.comparison import distances
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.plan import ModelKind
from understudy.mechanisms.seedbased.proposal import HELD_OUT, Wanted, whole_table
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.learner import Terms
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.records import Records
from understudy.table.split import Shares

_DELTA = 1e-9
_ALL: Final = Shares(seeds=0, structure=0, parameters=1, held_out=0)
_KINDS: Final[tuple[ModelKind, ...]] = ("calibrated", "marginals")
CASES: Final = (
    (54_000, 0.1),
    (54_000, 1.0),
    (54_000, 10.0),
    (20_000, 1.0),
    (10_000, 1.0),
    (5_000, 1.0),
    (2_000, 1.0),
)
"""Records learned from, and ε."""
_CASES: Final[Mapping[Size, tuple[tuple[int, float], ...]]] = {
    "full": CASES,
    "quick": CASES[-2:],
    "tiny": CASES[-1:],
}
_ROWS: Final[Mapping[Size, int]] = {"full": 50_000, "quick": 50_000, "tiny": 5_000}
_SEEDS: Final[Mapping[Size, int]] = {"full": 3, "quick": 3, "tiny": 1}


@dataclass(frozen=True)
class Beside:
    """One model, as foreseen and as it came out, medians over seeds.

    Attributes:
        records, epsilon, kind: which.
        proposed: whether a plan for a whole table would take it.
        column, column_found: total variation of a typical column to the records learned from.
        counted: how many pairs are foreseen to be counted.
        pair: the same of a typical pair of all, of a usual table.
        pair_found: what it is.
    """

    records: int
    epsilon: float
    kind: str
    proposed: bool
    column: float
    column_found: float
    counted: int
    pair: float
    pair_found: float


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Foresee and learn both models for every case; the smallest ones only, if not full."""
    rows, seeds = _ROWS[size], _SEEDS[size]
    return {
        "rows": rows,
        "seeds": seeds,
        "models": [
            asdict(_beside(*case, kind, rows, seeds)) for case in _CASES[size] for kind in _KINDS
        ],
    }


def _beside(records: int, epsilon: float, kind: ModelKind, rows: int, seeds: int) -> Beside:
    schema, budget = census.schema(), Budget(epsilon, _DELTA)
    table = Records(schema, census.simulate(records, 11))
    foreseen = learner_of(kind).foreseen(Terms(schema, budget, _ALL), records, rows)
    assert foreseen is not None
    found = np.median([_found(table, budget, kind, rows, seed) for seed in range(seeds)], axis=0)
    whole = round(records / (1 - HELD_OUT))
    wanted = Wanted(epsilon=epsilon, delta=_DELTA, rows=rows, records=whole)
    return Beside(
        records,
        epsilon,
        kind,
        whole_table(schema, wanted).plan.model.kind == kind,
        foreseen.typical_column,
        float(found[0]),
        foreseen.counted,
        foreseen.typical_of_all,
        float(found[1]),
    )


def _found(
    table: Records, budget: Budget, kind: ModelKind, rows: int, seed: int
) -> tuple[float, float]:
    """The typical column and the typical pair."""
    source = RandomSource.fixed(seed)
    network = _learned(table, budget, kind, source)
    made = Records(table.schema, drawn(network, rows, source, Stopwatch()).codes)
    apart = distances(made, table)
    return apart.typical_column, apart.typical_pair


def _learned(
    table: Records, budget: Budget, kind: ModelKind, source: RandomSource
) -> BayesianNetwork:
    noise = Noise(source)
    if kind == "marginals":
        return learn_marginals(table, ParameterLearner.within(table.schema, budget), noise)
    calibrated = CalibratedLearner.within(table.schema, budget)
    return calibrated.learn(table, noise, source.child()).network


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| records | ε | model | column, foreseen | found | counted | pair, foreseen | found |",
        "|---:|---:|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['records']:,} | {row['epsilon']:g} "
        f"| {row['kind']}{' (proposed)' if row['proposed'] else ''} "
        f"| {row['column']:.4f} | {row['column_found']:.4f} "
        f"| {row['counted']} | {_share(row['pair'])} | {row['pair_found']:.4f} |"
        for row in figures["models"]
    ]
    return "\n".join(lines)
