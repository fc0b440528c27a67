"""What it gains and loses to draw measured pairs towards what their shape tells.

python -m benchmarks pair-shapes, or of some tables:
python -m benchmarks.pair_shapes --table "20,000 numbers" --epsilon 1 --seeds 8 --keep FILE

Beside the simulated tables of `understudy.samples.shapes` stand tables of numbers that follow one
another. *Kept* is the share of a correlation of .2 or more between two ordered columns that is left
in the drawn records, on average; *slope* that of the regression of the second number on the first.
The other figures are those of `benchmarks.shapes`. A difference is called one where it is beyond
what seeds set apart.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.shape_drawing import Asked, draw
from benchmarks.shapes import compare_drawn, verdict
from benchmarks.size import Size
from understudy.core.arrays import FloatArray, IntArray
from understudy.models.calibrated.measurement import Steps
from understudy.samples.shapes import SHAPES, TableShape
from understudy.table.records import Records

WAYS: Final[Mapping[str, Steps]] = {"without": Steps(shapes=False), "with": Steps()}
FIGURES: Final = ("column", "pair", "pair_90", "triple", "told", "kept", "slope", "seconds")
_LARGER_IS_BETTER: Final = ("kept", "slope")
_SAMPLE: Final = 1
_STRONG: Final = 0.2


def _simulate_numbers(
    shape: TableShape, records: int, law: np.random.Generator, random: np.random.Generator
) -> IntArray:
    """Simulate four numbers that follow one another, one that is far where the first is far from
    its middle, and codes that depend on the third."""
    numbers = [random.normal(size=records)]
    for _ in range(3):
        numbers.append(0.6 * numbers[-1] + 0.8 * random.normal(size=records))
    numbers.append(1.2 * np.abs(numbers[0]) - 1 + 0.4 * random.normal(size=records))
    codes = np.digitize(0.7 * (numbers[2] + random.normal(size=records)), (-0.5, 0.3, 1.0))
    scaled = (
        np.clip(np.rint(size * (0.5 + each / 6)), 0, size - 1)
        for each, size in zip(numbers, shape.sizes, strict=False)
    )
    return np.column_stack([*scaled, codes]).astype(np.int64)


_SIZES: Final = (200, 200, 200, 200, 200, 4)
TABLES: Final[Mapping[str, TableShape]] = {
    **{
        f"{records:,} numbers": TableShape("numbers", records, _SIZES, _simulate_numbers, 41)
        for records in (2_000, 20_000)
    },
    **{each.name: each for each in SHAPES},
}


@dataclass(frozen=True)
class Extent:
    """How much is measured: of each table, every ε and every seed; at most so many records."""

    tables: Sequence[str] = tuple(TABLES)
    epsilons: Sequence[float] = (0.1, 1.0, 10.0)
    seeds: int = 3
    most: int = 1_000_000
    rows: int = 20_000


_EXTENTS: Final[Mapping[Size, Extent]] = {
    "full": Extent(),
    "quick": Extent(("20,000 numbers", "17 mixed"), (1.0,), 3),
    "tiny": Extent(("20,000 numbers",), (10.0,), 1, most=2_000, rows=1_000),
}


@dataclass(frozen=True)
class Run:
    """One table of drawn records.

    Attributes:
        table, records, epsilon, seed, way: which.
        column, pair, pair_90, triple, told, seconds: as of `benchmarks.shapes`.
        kept: the share of correlations; None where no ordered columns are correlated.
        slope: the share of the slope; None of a table without numbers.
    """

    table: str
    records: int
    epsilon: float
    seed: int
    way: str
    column: float
    pair: float
    pair_90: float
    triple: float
    told: float
    kept: float | None
    slope: float | None
    seconds: float


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Measure every table with and without."""
    return figures(measure_runs(_EXTENTS[size]))


def measure_runs(extent: Extent, done: Sequence[Run] = ()) -> Iterator[Run]:
    """Yield every run that is not done."""
    known = {(each.table, each.epsilon, each.seed) for each in done}
    for name, epsilon in product(extent.tables, extent.epsilons):
        shape = TABLES[name]
        records = min(extent.most, shape.records)
        parts = shape.parts(_SAMPLE, records, extent.rows)
        for seed in range(extent.seeds):
            if (name, epsilon, seed) not in known:
                asked = Asked(name, records, extent.rows, epsilon, seed)
                yield from (_run(asked, way, parts) for way in WAYS)


def _run(asked: Asked, way: str, parts: tuple[Records, Records, Records]) -> Run:
    learned, held_out, others = parts
    codes, seconds = draw(asked, learned, steps=WAYS[way])
    drawn = Records(learned.schema, codes)
    found = compare_drawn(asked, way, seconds, drawn, held_out, others)
    kept, slope = _keep_relations(drawn, learned)
    return Run(
        asked.shape,
        asked.records,
        asked.epsilon,
        asked.seed,
        way,
        found.column,
        found.pair,
        found.pair_90,
        found.triple,
        found.told,
        kept,
        slope,
        seconds,
    )


def _keep_relations(drawn: Records, learned: Records) -> tuple[float | None, float | None]:
    """Return the share of the correlations of ordered columns, and of the first slope, that drawn
    records show."""
    ordered = [place for place, each in enumerate(learned.schema.columns) if each.ordered]
    if len(ordered) < 2:
        return None, None
    now, true = (_covariances(each.codes[:, ordered]) for each in (drawn, learned))
    one, other = np.triu_indices(len(ordered), 1)
    correlations, goals = (
        each[one, other] / np.sqrt(each[one, one] * each[other, other]) for each in (now, true)
    )
    strong = np.abs(goals) >= _STRONG
    kept = float((correlations[strong] / goals[strong]).mean()) if strong.any() else None
    slope = float((now[0, 1] / now[0, 0]) / (true[0, 1] / true[0, 0])) if strong[0] else None
    return kept, slope


def _covariances(codes: IntArray) -> FloatArray:
    return np.asarray(np.cov(codes.astype(np.float64).T))


def figures(runs: Iterable[Run]) -> dict[str, Any]:
    """Return the runs as numbers to print."""
    return {"runs": [asdict(each) for each in runs]}


def table(found: Mapping[str, Any]) -> str:
    """Return the means as a Markdown table, without → with; **bold** and a word where seeds do not
    explain a difference."""
    runs = [Run(**each) for each in found["runs"]]
    lines = [
        "| table | records | ε | " + " | ".join(FIGURES).replace("_90", ", 90 %") + " |",
        "|---|---:|---:|" + "---:|" * len(FIGURES),
    ]
    for name, records, epsilon in dict.fromkeys(
        (each.table, each.records, each.epsilon) for each in runs
    ):
        some = [each for each in runs if (each.table, each.epsilon) == (name, epsilon)]
        cells = [_cell(some, figure) for figure in FIGURES]
        lines.append(f"| {name} | {records:,} | {epsilon:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(runs: Sequence[Run], figure: str) -> str:
    without, now = (
        [getattr(each, figure) for each in runs if each.way == way] for way in ("without", "with")
    )
    if None in (*without, *now):
        return "–"
    if figure == "seconds":
        return f"{np.mean(without):.1f} → {np.mean(now):.1f}"
    sign = -1 if figure in _LARGER_IS_BETTER else 1
    word = verdict([sign * each for each in now], [sign * each for each in without])
    means = (f"{np.mean(each):.4f}".replace("0.", ".", 1) for each in (without, now))
    shown = " → ".join(means)
    return f"**{shown}** {word}" if word else shown


def main() -> None:
    """Print the figures of some tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pair_shapes", description=__doc__)
    parser.add_argument("--table", nargs="*", default=list(TABLES), choices=tuple(TABLES))
    parser.add_argument("--epsilon", type=float, nargs="*", default=list(Extent.epsilons))
    parser.add_argument("--seeds", type=int, default=Extent.seeds)
    parser.add_argument("--keep", type=Path, help="where runs are kept; goes on from there")
    chosen = parser.parse_args()
    runs: list[Run] = []
    if chosen.keep is not None and chosen.keep.exists():
        lines = chosen.keep.read_text("utf-8").splitlines()
        runs += [Run(**json.loads(line)) for line in lines]
    extent = Extent(chosen.table, chosen.epsilon, chosen.seeds)
    for run in measure_runs(extent, tuple(runs)):
        runs.append(run)
        if chosen.keep is not None:
            with chosen.keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(run)) + "\n")
    print(table(figures(runs)))


if __name__ == "__main__":
    main()
