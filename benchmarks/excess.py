"""What is said of quality before a table is made, beside what is found, on tables of many shapes.

python -m benchmarks excess, or some shapes and seeds, going on from what a file holds:
python -m benchmarks.excess --shape "16 flags" --seeds 5 --keep FILE

Of the simulated tables of `understudy.samples.shapes`, and of files named in `TABLES` (`NAME=PATH`
pairs, separated by commas), a tenth is held out, and the model is learned from the rest. “At most”
is said of how far the rows are off what was learned from; it has to hold in 95 of 100 runs. “Fit
for” is said of pairs; how many of those are found to be so stands beside it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.size import Size
from understudy.evaluation.comparison import compare, distances
from understudy.evaluation.excess import LOOKED_AT, excess_of_release, stakes_foreseen, stakes_found
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED, Table, sample_of
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.proposal import HELD_OUT
from understudy.models.learner import Terms
from understudy.models.prediction import Predicted
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples.shapes import SHAPES, picture_shape
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.encoding import encode_public
from understudy.table.records import Records
from understudy.table.sources.reading import read_table
from understudy.table.split import Shares, Split

FILES: Final = "TABLES"
MODELS: Final = ("calibrated", "marginals")
SHAPES_HELD: Final = tuple(each.name for each in SHAPES if each.name != "50 mixed")
"""The eight tables on which what is said has to hold."""
_DELTA: Final = 1e-9
_SHARES: Final = Shares(seeds=0, structure=0, parameters=1 - HELD_OUT, held_out=HELD_OUT)
_SAMPLE: Final = 1
_BOUNDS: Final = ("column_said", "column", "pair_said", "pair", "any_said", "any_pair")
_SEEDS: Final[Mapping[Size, int]] = {"full": 3, "quick": 1, "tiny": 1}


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        tables, epsilons, seeds: of each table, every ε and every seed.
        most: the most records of a table.
    """

    tables: Sequence[str] = SHAPES_HELD
    epsilons: Sequence[float] = (0.1, 1.0, 10.0)
    seeds: int = _SEEDS["full"]
    most: int = 1_000_000


_EXTENTS: Final[Mapping[Size, Extent]] = {
    "full": Extent(),
    "quick": Extent(seeds=_SEEDS["quick"], most=20_000),
    "tiny": Extent(("16 flags", "12 loose"), (1.0,), _SEEDS["tiny"], most=3_000),
}


@dataclass(frozen=True)
class Run:
    """What was said of one run, and what came of it.

    Attributes:
        table, records, epsilon, model, seed: which.
        column_said, column: the bound on a typical column, and how far it is off.
        pair_said, pair: likewise of a typical pair that is counted; NaN where none is.
        counted: the share of the pairs that are foreseen to be counted.
        any_said, any_pair: the bound on a typical pair of all, NaN unless most are counted, and how
            far it is off.
        further: how much further off than other real records a typical pair is.
        fit, held: of the pairs with a relation to be seen, how many were foreseen to keep it, and
            how many of those do.
        unfit, lost: how many were not, and how many of those do not.
    """

    table: str
    records: int
    epsilon: float
    model: str
    seed: int
    column_said: float
    column: float
    pair_said: float
    pair: float
    counted: float
    any_said: float
    any_pair: float
    further: float
    fit: int
    held: int
    unfit: int
    lost: int

    @property
    def holds(self) -> tuple[bool, ...]:
        """Return whether every stated bound holds."""
        bounds = (
            (self.column_said, self.column),
            (self.pair_said, self.pair),
            (self.any_said, self.any_pair),
        )
        return tuple(off <= said for said, off in bounds if not math.isnan(said))


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Foresee and find, for every table, ε and seed."""
    extent = _EXTENTS[size]
    return figures(
        run
        for table, records in tables(extent)
        for epsilon in extent.epsilons
        for model in MODELS
        for seed in range(extent.seeds)
        for run in [run_of(table, records, epsilon, model, seed)]
    )


def figures(runs: Iterable[Run]) -> dict[str, Any]:
    """Return the measured values as numbers to print."""
    found = list(runs)
    held = [each for run in found for each in run.holds]
    return {"rows": [_as_json(run) for run in found], "said": len(held), "held": sum(held)}


def _as_json(run: Run) -> dict[str, Any]:
    """Return the values, None for what is no number."""
    return {name: None if value != value else value for name, value in asdict(run).items()}


def tables(extent: Extent) -> Iterator[tuple[str, Records]]:
    """Yield the simulated tables and the named files."""
    for name in extent.tables:
        yield name, _simulate(name, min(extent.most, picture_shape(name).records))
    for each in filter(None, os.environ.get(FILES, "").split(",")):
        name, path = each.split("=", 1)
        raw = read_table(Path(path))
        yield name, encode_public(raw, suggest_schema(raw).schema)


@lru_cache(maxsize=1)
def _simulate(name: str, records: int) -> Records:
    return picture_shape(name).simulate(records, _SAMPLE)


def run_of(table: str, records: Records, epsilon: float, model: str, seed: int) -> Run:
    """Foresee a table, make it, and measure it as a run does."""
    random = np.random.default_rng(seed)
    held, learned = np.split(random.permutation(len(records)), [round(HELD_OUT * len(records))])
    inside, outside = (records.take(np.sort(each)) for each in (learned, held))
    terms = Terms(records.schema, Budget(epsilon, _DELTA), _SHARES)
    ahead = learner_of(model).foreseen(terms, len(records), LOOKED_AT)
    assert ahead is not None
    assert ahead.sure
    made = _draw_records(model, inside, terms, seed)
    off = distances(made, inside).pairs
    upper = np.triu_indices(len(off), 1)
    counted = np.isfinite(ahead.pairs[upper])
    further, kept = _found(made, inside, outside, ahead, random)
    return Run(
        table,
        len(records),
        epsilon,
        model,
        seed,
        ahead.column_at_most,
        float(np.median(np.diagonal(off))),
        ahead.pair_at_most,
        float(np.median(off[upper][counted])) if counted.any() else math.nan,
        float(counted.mean()),
        ahead.any_pair_at_most,
        float(np.median(off[upper])),
        further,
        *kept,
    )


def _draw_records(model: str, inside: Records, terms: Terms, seed: int) -> Records:
    source = RandomSource.fixed(seed)
    nobody = inside.take(np.zeros(0, dtype=np.int64))
    learned = learner_of(model).learn(
        Split(nobody, nobody, inside, nobody), terms, Noise(source), source
    )
    drawn = learned.records(LOOKED_AT, source)
    return Records(inside.schema, np.ascontiguousarray(drawn.T).astype(np.uint16))


def _found(
    made: Records, inside: Records, outside: Records, ahead: Predicted, random: np.random.Generator
) -> tuple[float, tuple[int, int, int, int]]:
    """Return how much further off a typical pair is, and of how many pairs the prediction holds."""
    most = min(LOOKED_AT, len(outside))
    alone = sample_of(inside, most, random).codes.copy()
    for column in alone.T:
        random.shuffle(column)
    looked = {
        REALS: sample_of(inside, most, random),
        RELEASED: sample_of(made, most, random),
        MARGINALS: Records(inside.schema, alone),
    }
    listed = [Table(name, "reals", each) for name, each in looked.items()]
    excess = excess_of_release(compare(listed, sample_of(outside, most, random)))
    assert excess is not None
    said, found = stakes_foreseen(ahead), stakes_found(excess)
    upper = np.triu_indices(len(excess.apart), 1)
    seen = np.isfinite(found.lost[upper])
    fit, held = said.kept_pairs[upper], found.kept_pairs[upper]
    counts = (seen & fit, seen & fit & held, seen & ~fit, seen & ~fit & ~held)
    fits, holds, unfits, lost = (int(each.sum()) for each in counts)
    return excess.typical_pair, (fits, holds, unfits, lost)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table: means over seeds."""
    names = [each.name for each in fields(Run)]
    runs = [
        Run(**{name: math.nan if row[name] is None else row[name] for name in names})
        for row in figures["rows"]
    ]
    lines = [
        "| table | model | ε | runs | typical column, at most | found | typical counted pair, "
        "at most | found | typical pair, at most | found | bounds that hold | pairs counted | "
        "typical pair further off | fit: found so | unfit: found so |",
        f"|---|---{'|---:' * 13}|",
    ]
    for key in dict.fromkeys((run.table, run.model, run.epsilon) for run in runs):
        of = [run for run in runs if (run.table, run.model, run.epsilon) == key]
        holds = [each for run in of for each in run.holds]
        fit, held, unfit, lost = (
            sum(getattr(run, name) for run in of) for name in ("fit", "held", "unfit", "lost")
        )
        cells = [
            f"{key[0]} × {of[0].records:,}",
            key[1],
            f"{key[2]:g}",
            f"{len(of)}",
            *(_mean(of, name) for name in _BOUNDS),
            f"{sum(holds)} of {len(holds)}",
            f"{np.mean([run.counted for run in of]):.0%}",
            _mean(of, "further"),
            f"{held:,} of {fit:,}",
            f"{lost:,} of {unfit:,}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    said, held = figures["said"], figures["held"]
    return "\n".join([*lines, "", f"{held} of {said} bounds hold."])


def _mean(runs: Sequence[Run], name: str) -> str:
    mean = float(np.mean([getattr(run, name) for run in runs]))
    return "–" if math.isnan(mean) else f"{mean:.4f}"


def main() -> None:
    """Print the figures of some tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.excess", description=__doc__)
    parser.add_argument("--shape", nargs="*", default=list(SHAPES_HELD), choices=SHAPES_HELD)
    parser.add_argument("--epsilon", type=float, nargs="*", default=list(Extent().epsilons))
    parser.add_argument("--seeds", type=int, default=_SEEDS["full"])
    parser.add_argument("--keep", type=Path, help="where figures are kept; goes on from there")
    chosen = parser.parse_args()
    lines = chosen.keep.read_text("utf-8").splitlines() if _there(chosen.keep) else []
    found = [Run(**json.loads(line)) for line in lines]
    done = {(run.table, run.epsilon, run.model, run.seed) for run in found}
    for seed in range(chosen.seeds):
        for name, records in tables(Extent(chosen.shape)):
            for epsilon in chosen.epsilon:
                for model in MODELS:
                    if (name, epsilon, model, seed) not in done:
                        found.append(run_of(name, records, epsilon, model, seed))
                        _keep(chosen.keep, found[-1])
    print(table(figures(found)))


def _there(file: Path | None) -> bool:
    return file is not None and file.exists()


def _keep(file: Path | None, run: Run) -> None:
    if file is not None:
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(asdict(run)) + "\n")


if __name__ == "__main__":
    main()
