"""The calibrated model on simulated tables of all shapes, and what a change of it gains and loses.

python -m benchmarks shapes, or beside the engine of another commit or checkout, and of some shapes:
python -m benchmarks.shapes --against 7f5acce --shape "16 flags" --epsilon 0.1 --seeds 3
Beside the same model without a step of `Steps`: python -m benchmarks.shapes --without triples

With `--file` also of tables in files, with the suggested schema.

Figures are total variation to held-out records, of the typical column, pair and triple, of the pair
that nine in ten are nearer than and of the farthest of some triples; how often a forest rightly
tells made records from other reals; and by which share correlations of .2 or more between two
ordered columns are off, and the slope of the second of them on the first. Beside them stand other
reals, and columns by themselves with the same budget. A difference is called one where it is beyond
what seeds set apart.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache, partial
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.stats import ttest_ind_from_stats

from benchmarks.peers.tables import opened
from benchmarks.shape_drawing import Asked, draw
from benchmarks.size import Size
from understudy.core.arrays import FloatArray
from understudy.evaluation.cells import Sides
from understudy.evaluation.classifiers import FOREST
from understudy.evaluation.measure import Study, Table
from understudy.evaluation.measures.distinguishing import distinguishing_advantage, held_out_table
from understudy.evaluation.measures.shares import total_variation
from understudy.models.calibrated.measurement import Steps
from understudy.samples.shapes import NUMBERS, SHAPES, THREE_WAY, picture_shape
from understudy.table.records import Records

EPSILONS: Final = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
REALS, ALONE, HERE = "other reals", "independent", "calibrated"
_ROOT: Final = Path(__file__).parent.parent
_FORMER: Final = re.compile(r"^( *(?:from|import) )engine\b", re.MULTILINE)
_KEY: Final = 2013
_SAMPLE: Final = 1
_COLUMNS: Final = Steps(pairs=False, calibrate=False, distil=False)
"""Columns by themselves, with the whole budget."""
_TRIPLES: Final = 60
_TOLD: Final = 4_000
"""Records of each side that the forest sees."""
_CERTAIN: Final = 0.01
"""How rarely chance alone makes a difference that is called one."""
_STRONG: Final = 0.2
"""A correlation that is looked at."""
_SEEDS: Final[Mapping[Size, int]] = {"full": 3, "quick": 2, "tiny": 1}
_NAMES: Final = tuple(shape.name for shape in SHAPES)
_ALL_NAMES: Final = (*_NAMES, *(shape.name for shape in (*THREE_WAY, *NUMBERS)))
_SOME: Final = ("16 flags", "42 mixed", "34 mixed", "12 loose")


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        shapes, epsilons, seeds: of each shape, every ε and every seed.
        most: the most records that are learned from.
        rows: how many are drawn, and compared with.
    """

    shapes: Sequence[str] = _NAMES
    epsilons: Sequence[float] = EPSILONS
    seeds: int = _SEEDS["full"]
    most: int = 1_000_000
    rows: int = 20_000

    def each(self) -> Iterator[Asked]:
        """Yield everything that is learned, seed by seed."""
        for name, epsilon, seed in product(self.shapes, self.epsilons, range(self.seeds)):
            records = picture_shape(name).records if name in _ALL_NAMES else self.most
            yield Asked(name, min(self.most, records), self.rows, epsilon, seed)


_EXTENTS: Final[Mapping[Size, Extent]] = {
    "full": Extent(),
    "quick": Extent(_SOME, (0.1, 1.0), _SEEDS["quick"]),
    "tiny": Extent(("16 flags",), (0.1,), _SEEDS["tiny"], most=2_000, rows=1_000),
}


@dataclass(frozen=True)
class Standing:
    """What one table of drawn records is worth.

    Attributes:
        shape, records, epsilon, way, seed: which; no ε of other reals.
        column, pair, pair_90, triple: total variation to held-out records.
        told: how often a forest rightly tells them from other reals.
        seconds: of learning, processor time; None of other reals.
        triple_most: total variation of the farthest triple, the first three columns among them.
        correlation, slope: by which share strong correlations of ordered columns are off, on
            average, and the slope of the second of them on the first; None where none is strong.
    """

    shape: str
    records: int
    epsilon: float | None
    way: str
    seed: int
    column: float
    pair: float
    pair_90: float
    triple: float
    told: float
    seconds: float | None = None
    triple_most: float = math.nan
    correlation: float | None = None
    slope: float | None = None


FIGURES: Final[Mapping[str, str]] = {
    "column": "column", "pair": "pair", "pair_90": "90 % pair", "triple": "triple",
    "triple_most": "farthest triple", "told": "told apart", "correlation": "correlation",
    "slope": "slope",
}  # fmt: skip
"""What is compared, by what stands over it."""


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Measure every shape at every ε."""
    found = (each for asked in _EXTENTS[size].each() for each in standings(asked, {}))
    return figures(found, ())


def figures(found: Iterable[Standing], against: Sequence[str]) -> dict[str, Any]:
    """Return the measured values as numbers to print.

    Args:
        found: every standing; of other reals once or more often.
        against: the other engines by name.
    """
    rows = [*{(each.shape, each.epsilon, each.way, each.seed): each for each in found}.values()]
    return {
        "rows": [asdict(each) for each in rows],
        "changes": [
            asdict(each) for other in (*against, ALONE) for each in changes(rows, HERE, other)
        ],
    }


def standings(
    asked: Asked, engines: Mapping[str, Path], without: Sequence[str] = ()
) -> list[Standing]:
    """Return other reals, independent columns, the calibrated model, that without some steps, each
    by itself, and that of other engines."""
    learned, held_out, others = _parts(replace(asked, epsilon=0.0, seed=0))
    asked = replace(asked, records=len(learned), rows=len(held_out))
    found = [compare_drawn(replace(asked, seed=0), REALS, None, others, held_out, held_out)]
    ways: dict[str, tuple[npt.NDArray[np.uint16], float]] = {
        ALONE: draw(asked, learned, steps=_COLUMNS),
        HERE: draw(asked, learned),
        **{
            _leave_out(step): draw(asked, learned, steps=Steps(**{step: False})) for step in without
        },
        **{name: _draw_by(engine, asked, learned) for name, engine in engines.items()},
    }
    for way, (codes, seconds) in ways.items():
        made = Records(learned.schema, codes)
        found.append(compare_drawn(asked, way, seconds, made, held_out, others))
    return found


def _leave_out(step: str) -> str:
    return f"without {step}"


@lru_cache(maxsize=1)
def _parts(asked: Asked) -> tuple[Records, Records, Records]:
    """Return the training records, the reference records, and other real records."""
    if asked.shape not in _ALL_NAMES:
        bench = opened(asked.shape, None, None)
        return bench.learned, bench.held_out, bench.others
    return picture_shape(asked.shape).parts(_SAMPLE, asked.records, asked.rows)


def _draw_by(engine: Path, asked: Asked, learned: Records) -> tuple[npt.NDArray[np.uint16], float]:
    """Draw as `draw`, by the package in this folder, in a process of its own."""
    # Without `site`, as an installed engine would else fill in what the other one lacks.
    command = [sys.executable, "-S", "-m", "benchmarks.shape_drawing", "drawn.npz"]
    packages = {"PYTHONPATH": os.pathsep.join([str(engine), sysconfig.get_path("purelib")])}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "benchmarks").symlink_to(_ROOT / "benchmarks")
        learned.schema.save(folder / "schema.json")
        np.savez(folder / "learned.npz", codes=learned.codes)
        said = json.dumps(asdict(asked))
        environment = {**os.environ, **packages}
        subprocess.run(command, input=said, text=True, cwd=folder, env=environment, check=True)
        with np.load(folder / "drawn.npz") as found:
            return found["codes"], float(found["seconds"])


@contextmanager
def engine_of(commit: str) -> Iterator[Path]:
    """Provide a folder with the package of a checkout, or of a commit of this one.

    Where the checkout is of the time when the package was called `engine`, it is renamed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if Path(commit).is_dir():
            shutil.copytree(Path(commit) / "engine", folder / "engine", symlinks=True)
        else:
            command = ["git", "archive", commit, "engine"]
            archive = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", name], input=archive, check=True)
        package = folder / "engine" / "understudy"
        if not package.exists():
            package = (folder / "engine").rename(folder / "understudy")
            for path in package.rglob("*.py"):
                text = path.read_text(encoding="utf-8")
                path.write_text(_FORMER.sub(r"\1understudy", text), encoding="utf-8")
        yield package.parent


def compare_drawn(
    asked: Asked,
    way: str,
    seconds: float | None,
    made: Records,
    held_out: Records,
    beside: Records,
) -> Standing:
    """Return what drawn records are worth, to those held out and to others beside them."""
    sides, columns = Sides.of(made, held_out), range(len(made.schema))
    triples = list(combinations(columns, 3))
    some = np.random.default_rng(_KEY).permutation(len(triples))[:_TRIPLES].tolist()
    pairs = _apart(sides, combinations(columns, 2))
    apart = _apart(sides, (triples[each] for each in some))
    return Standing(
        asked.shape,
        asked.records,
        None if way == REALS else asked.epsilon,
        way,
        asked.seed,
        float(np.median(_apart(sides, ((each,) for each in columns)))),
        float(np.median(pairs)),
        float(np.quantile(pairs, 0.9)),
        float(np.median(apart)),
        _told_apart(made, beside),
        seconds,
        float(max(apart.max(), _apart(sides, [triples[0]])[0])),
        *_compare_relations(made, held_out),
    )


def _compare_relations(made: Records, held_out: Records) -> tuple[float | None, float | None]:
    """Return `Standing.correlation` and `Standing.slope`."""
    ordered = [place for place, each in enumerate(made.schema.columns) if each.ordered]
    one, other = np.triu_indices(len(ordered), 1)
    if not len(one):
        return None, None
    now, true = (_covariances(each.codes[:, ordered]) for each in (made, held_out))
    correlations, goals = (
        each[one, other] / np.sqrt(each[one, one] * each[other, other]) for each in (now, true)
    )
    strong = np.abs(goals) >= _STRONG
    off = np.abs(1 - correlations / goals)
    slope = abs(1 - (now[0, 1] / now[0, 0]) / (true[0, 1] / true[0, 0]))
    return (
        float(off[strong].mean()) if strong.any() else None,
        float(slope) if strong[0] else None,
    )


def _covariances(codes: npt.NDArray[np.uint16]) -> FloatArray:
    return np.cov(codes.astype(np.float64).T)


def _apart(sides: Sides, groups: Iterable[tuple[int, ...]]) -> npt.NDArray[np.float64]:
    return np.array([total_variation(sides.shares(each))[0] for each in groups])


def _told_apart(made: Records, reals: Records) -> float:
    """Return how often a forest is right about which of two tables a record is of."""
    made, reals = (each.take(np.arange(min(_TOLD, len(each)))) for each in (made, reals))
    study = Study((), reals, reals, {}, reals.schema.names[0], 2, key=_KEY)
    table = Table("made", "synthetic", made)
    right = distinguishing_advantage(study, held_out_table(study), table, (FOREST,))
    return 0.5 + right.parts[0].value / 2


@dataclass(frozen=True)
class Change:
    """One figure of one way beside that of another, over the seeds.

    Attributes:
        shape, epsilon, figure, other: which, and beside what.
        now, before: the means.
        verdict: whether it gains or loses by more than seeds set apart; "" where neither.
    """

    shape: str
    epsilon: float
    figure: str
    other: str
    now: float
    before: float
    verdict: str

    @property
    def ratio(self) -> float:
        """Return the ratio of what either is above nothing; of how often records are told apart,
        above one in two."""
        least = 0.5 if self.figure == "told" else 0.0
        return (self.now - least) / max(self.before - least, 1e-9)

    @property
    def words(self) -> str:
        """The ratio and the verdict."""
        return f"**{self.ratio:.2f}** {self.verdict}" if self.verdict else f"{self.ratio:.2f}"


def changes(rows: Sequence[Standing], way: str, other: str) -> list[Change]:
    """Return every figure of one engine beside that of the other."""
    found = []
    cases = dict.fromkeys((each.shape, each.epsilon) for each in rows if each.way == way)
    for (shape, epsilon), figure in product(cases, FIGURES):
        now, before = (
            [
                getattr(each, figure)
                for each in rows
                if (each.shape, each.epsilon, each.way) == (shape, epsilon, name)
            ]
            for name in (way, other)
        )
        if before and epsilon is not None and None not in (*now, *before):
            means = float(np.mean(now)), float(np.mean(before))
            found.append(Change(shape, epsilon, figure, other, *means, verdict(now, before)))
    return found


def verdict(now: Sequence[float], before: Sequence[float]) -> str:
    """Judge whether less is a gain beyond chance (Welch's test); “” if it is not, or with one
    seed."""
    if min(len(now), len(before)) < 2:
        return ""
    spread = float(np.std(now, ddof=1)), float(np.std(before, ddof=1))
    means = float(np.mean(now)), float(np.mean(before))
    if means[0] == means[1]:
        return ""
    certain = not any(spread) or bool(
        ttest_ind_from_stats(
            means[0], spread[0], len(now), means[1], spread[1], len(before), equal_var=False
        ).pvalue
        < _CERTAIN
    )
    return ("gains" if means[0] < means[1] else "loses") if certain else ""


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown tables: means over seeds, then gains and losses."""
    names = [each.name for each in fields(Standing)]
    rows = [Standing(**{name: row[name] for name in names}) for row in figures["rows"]]
    found = [Change(**row) for row in figures["changes"]]
    return "\n\n".join((_levels(rows), *_gains(found)))


def _levels(rows: Sequence[Standing]) -> str:
    lines = [
        "| table | ε | | " + " | ".join(FIGURES.values()) + " | seconds |",
        "|---|---:|---|" + "---:|" * (len(FIGURES) + 1),
    ]
    for shape, epsilon, way in sorted(
        dict.fromkeys((each.shape, each.epsilon, each.way) for each in rows),
        key=lambda each: (*_place(each[0]), each[1] or 0.0),
    ):
        of = [
            each for each in rows if (each.shape, each.epsilon, each.way) == (shape, epsilon, way)
        ]
        means = [_mean_share([getattr(each, name) for each in of]) for name in FIGURES]
        seconds = [each.seconds for each in of if each.seconds is not None]
        cells = [
            f"{Path(shape).stem} × {of[0].records:,}",
            "–" if epsilon is None else f"{epsilon:g}",
            way,
            *means,
            f"{np.mean(seconds):.1f}" if seconds else "–",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _place(shape: str) -> tuple[int, str]:
    """Return what tables are sorted by: shapes first, then files by name."""
    return (_ALL_NAMES.index(shape), "") if shape in _ALL_NAMES else (len(_ALL_NAMES), shape)


def _gains(found: Sequence[Change]) -> Iterator[str]:
    """Yield a table of ratios of each other engine, below 1 where it is nearer now."""
    for other in dict.fromkeys(each.other for each in found):
        of = [each for each in found if each.other == other]
        lines = [
            f"Ratios to {other}; **bold** where a difference is beyond what seeds set apart.",
            "",
            "| table | ε | " + " | ".join(FIGURES.values()) + " |",
            "|---|---:|" + "---:|" * len(FIGURES),
        ]
        for shape, epsilon in dict.fromkeys((each.shape, each.epsilon) for each in of):
            ratio = {
                each.figure: each.words
                for each in of
                if (each.shape, each.epsilon) == (shape, epsilon)
            }
            ratios = [ratio.get(figure, "–") for figure in FIGURES]
            lines.append(f"| {Path(shape).stem} | {epsilon:g} | " + " | ".join(ratios) + " |")
        yield "\n".join(lines)


def _mean_share(values: Sequence[float | None]) -> str:
    found = [each for each in values if each is not None]
    return f"{np.mean(found):.4f}".removeprefix("0") if found else "–"


def main() -> None:
    """Print the figures of some shapes, beside other engines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shapes", description=__doc__)
    parser.add_argument("--shape", nargs="*", default=list(_NAMES), choices=_ALL_NAMES)
    parser.add_argument("--file", nargs="*", default=[], help="tables with the suggested schema")
    parser.add_argument("--epsilon", type=float, nargs="*", default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=_SEEDS["full"])
    parser.add_argument("--against", nargs="*", default=[], help="commits, or other checkouts")
    steps = [each.name for each in fields(Steps)]
    parser.add_argument("--without", nargs="*", default=[], choices=steps, help="steps left out")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where figures are kept; goes on from there")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    extent = Extent((*chosen.shape, *chosen.file), chosen.epsilon, chosen.seeds)
    found = _read_standings(chosen.keep)
    done = {(each.shape, each.epsilon, each.seed) for each in found}
    asked = [each for each in extent.each() if (each.shape, each.epsilon, each.seed) not in done]
    with _engines(chosen.against) as engines, ProcessPoolExecutor(chosen.processes) as pool:
        for some in pool.map(partial(standings, engines=engines, without=chosen.without), asked):
            found += some
            _keep(chosen.keep, some)
    shown = figures(found, (*map(_leave_out, chosen.without), *chosen.against))
    print(json.dumps(shown, indent=2) if chosen.json else table(shown))


@contextmanager
def _engines(commits: Sequence[str]) -> Iterator[dict[str, Path]]:
    """Provide the engines of several commits or checkouts."""
    if not commits:
        yield {}
        return
    with engine_of(commits[0]) as first, _engines(commits[1:]) as others:
        yield {commits[0]: first, **others}


def _read_standings(file: Path | None) -> list[Standing]:
    if file is None or not file.exists():
        return []
    return [Standing(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def _keep(file: Path | None, found: Sequence[Standing]) -> None:
    if file is not None:
        with file.open("a", encoding="utf-8") as opened:
            opened.writelines(json.dumps(asdict(each)) + "\n" for each in found)


if __name__ == "__main__":
    main()
