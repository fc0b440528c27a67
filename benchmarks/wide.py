"""The calibrated model on wide tables with sparse codes, beside what it must not fall behind.

python -m benchmarks wide, or of one table: python -m benchmarks.wide --table FILE.csv

Rows are other real records, independent columns, the forest that the calibrated model draws its
first records from, and the calibrated model, each with the whole budget. Figures are total
variation to held-out records, and how often a forest, or a tree, rightly tells made records from
other reals.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.peers.tables import opened
from benchmarks.size import Size
from benchmarks.wide_tables import TABLES
from understudy.evaluation.classifiers import FOREST, TREE
from understudy.evaluation.comparison import distances
from understudy.evaluation.measure import Study, Table
from understudy.evaluation.measures.distinguishing import distinguishing_advantage, held_out_table
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.models.calibrated.learner import CalibratedLearner, LearnedModel
from understudy.models.calibrated.measurement import Steps
from understudy.models.learner import Terms
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Shares

DELTA = 1e-9
EPSILONS = (0.1, 1.0, 10.0)
_ALL: Final = Shares(seeds=0, structure=0, parameters=1, held_out=0)
_KEY = 2013
_TOLD = 20_000
"""Records of each side that classifiers see at most."""

STEPS: Mapping[str, Steps] = {
    "independent": Steps(pairs=False, calibrate=False, distil=False),
    "forest": Steps(calibrate=False, distil=False),
    "calibrated": Steps(),
}
_SIZES: Mapping[Size, Mapping[str, int]] = {
    "full": {"patients": 100_000, "survey": 100_000, "visits": 1_200_000},
    "quick": {"patients": 24_000, "survey": 24_000, "visits": 60_000},
    "tiny": {"visits": 1_500},
}
"""Records of each table, a sixth of which is held out, 40,000 at most."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A table: what is learned from, what is tested on, and other reals."""

    name: str
    learned: Records
    held_out: Records
    others: Records


@dataclass(frozen=True)
class Standing:
    """What one row is worth; a figure is None where there is no such thing.

    Attributes:
        table, epsilon, way: which.
        pair, pair_most, single: total variation to the held-out records, of the typical and the
            farthest pair and the typical column.
        forest, tree: how often it rightly tells records from other reals.
        foreseen: the typical pair's total variation as foreseen, of a usual table.
        effective: the least and the last effective share of the records that stood for the
            model.
        seconds: of learning, processor time.
    """

    table: str
    epsilon: float | None
    way: str
    pair: float
    pair_most: float
    single: float
    forest: float
    tree: float
    foreseen: float | None = None
    effective: tuple[float, float] | None = None
    seconds: float | None = None


def parted(name: str, records: Records) -> Parts:
    """A simulated table in its parts, a sixth being held out and as many other reals kept from
    the learner."""
    mixed = np.random.default_rng(_KEY).permutation(len(records))
    tested = min(40_000, len(records) // 6)
    held_out, others, learned = np.split(mixed, [tested, 2 * tested])
    return Parts(name, *(records.take(each) for each in (learned, held_out, others)))


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Every simulated table at every ε; at one ε, if tiny."""
    epsilons = EPSILONS[1:2] if size == "tiny" else EPSILONS
    tables = [parted(name, TABLES[name](many, 1)) for name, many in _SIZES[size].items()]
    found = [each for parts in tables for each in standings(parts, epsilons, STEPS)]
    return {"rows": [asdict(each) for each in found]}


def standings(
    parts: Parts,
    epsilons: Sequence[float],
    ways: Mapping[str, Steps],
    *,
    seeds: int = 1,
    told: int = _TOLD,
) -> list[Standing]:
    """The rows of one table, medians over seeds."""
    reals = _standing(parts, None, "other reals", parts.others, parts.held_out, told)
    found = [reals]
    for epsilon in epsilons:
        for way, steps in ways.items():
            each = [_learned(parts, epsilon, way, steps, seed, told) for seed in range(seeds)]
            found.append(_median(each))
    return found


def _learned(
    parts: Parts, epsilon: float, way: str, steps: Steps, seed: int, told: int
) -> Standing:
    source, schema = RandomSource.fixed(seed), parts.learned.schema
    learner = CalibratedLearner.within(schema, Budget(epsilon, DELTA), steps=steps)
    begun = time.process_time()
    model = learner.learn(parts.learned, Noise(source), source.child())
    taken = time.process_time() - begun
    drawn = model.network.records(len(parts.others), source)
    made = Records(schema, np.ascontiguousarray(drawn.T))
    whole = way == "calibrated"
    return _standing(
        parts,
        epsilon,
        way,
        made,
        parts.others,
        told,
        foreseen=_foreseen(parts, epsilon) if whole else None,
        effective=_effective(model) if whole else None,
        seconds=taken,
    )


def _foreseen(parts: Parts, epsilon: float) -> float | None:
    budget, rows = Budget(epsilon, DELTA), len(parts.others)
    schema, many = parts.learned.schema, len(parts.learned)
    found = learner_of("calibrated").foreseen(Terms(schema, budget, _ALL), many, rows)
    return found.typical_of_all if found else None


def _effective(model: LearnedModel) -> tuple[float, float] | None:
    shares = getattr(model, "effective", ())
    return (min(shares), shares[-1]) if shares else None


def _standing(
    parts: Parts,
    epsilon: float | None,
    way: str,
    made: Records,
    beside: Records,
    told: int,
    **known: Any,
) -> Standing:
    apart = distances(made, parts.held_out)
    some = [each.take(np.arange(min(told, len(each)))) for each in (made, beside)]
    study = Study((), some[1], some[1], {}, parts.learned.schema.names[0], 2, key=_KEY)
    right = distinguishing_advantage(
        study, held_out_table(study), Table("made", "synthetic", some[0]), (FOREST, TREE)
    )
    shares = {part.of[0]: 0.5 + part.value / 2 for part in right.parts}
    return Standing(
        parts.name,
        epsilon,
        way,
        apart.typical_pair,
        apart.farthest_pair,
        apart.typical_column,
        shares[FOREST.name],
        shares[TREE.name],
        **known,
    )


def _median(each: Sequence[Standing]) -> Standing:
    """Of every figure that is there."""
    found = asdict(each[0])
    for key in ("pair", "pair_most", "single", "forest", "tree", "seconds"):
        found[key] = float(np.median([getattr(one, key) for one in each]))
    return Standing(**found)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}".removeprefix("0")


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| table | ε | | pair | worst pair | single | forest | tree | pair, foreseen "
        "| effective, least and last | seconds |",
        "|---|---:|---|" + "---:|" * 8,
    ]
    for row in figures["rows"]:
        shares = [row[key] for key in ("pair", "pair_most", "single", "forest", "tree", "foreseen")]
        effective = row["effective"]
        both = "–" if effective is None else " and ".join(f"{each:.2f}" for each in effective)
        cells = [
            row["table"],
            "–" if row["epsilon"] is None else f"{row['epsilon']:g}",
            row["way"],
            *map(_share, shares),
            both,
            "–" if row["seconds"] is None else f"{row['seconds']:.1f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the rows of one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wide", description=__doc__)
    parser.add_argument("--table", required=True, help=f"{', '.join(TABLES)}, census or a file")
    parser.add_argument("--schema", type=Path, help="of the file; else suggested")
    parser.add_argument("--records", type=int, default=24_000, help="of a simulated table")
    parser.add_argument("--epsilon", type=float, nargs="*", default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--way", nargs="*", default=list(STEPS), choices=STEPS)
    parser.add_argument("--told", type=int, default=_TOLD)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    parts = _opened(chosen.table, chosen.schema, chosen.records)
    ways = {way: STEPS[way] for way in chosen.way}
    found = standings(parts, chosen.epsilon, ways, seeds=chosen.seeds, told=chosen.told)
    figures = {"rows": [asdict(each) for each in found]}
    print(json.dumps(figures, indent=2) if chosen.json else table(figures))


def _opened(name: str, schema: Path | None, records: int) -> Parts:
    """A simulated table of so many records, or that of a file."""
    if name in TABLES:
        return parted(name, TABLES[name](records, 1))
    bench = opened(name, schema, None)
    return Parts(bench.name, bench.learned, bench.held_out, bench.others)


if __name__ == "__main__":
    main()
