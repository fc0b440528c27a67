"""What marking columns, pairs and triples gains them, and what the others lose.

python -m benchmarks marked, and with a real table:
python -m benchmarks.marked --table adult.csv --epsilon 1

Which are marked is drawn by lot, several times: three pairs, one triple, or one target. Each figure
is a mean over the lots of the excess, at δ = 10⁻⁹: how much further off held-out records than the
real ones that it learned from are as many that the calibrated model draws, in total variation.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.peers.drivers.exchange import Stopwatch
from benchmarks.peers.ours import drawn
from benchmarks.size import Size
from understudy.evaluation.cells import Sides
from understudy.evaluation.measures.shares import total_variation
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.marks import Marks
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.encoding import encode_public
from understudy.table.records import Records
from understudy.table.sources.reading import read_table

_DELTA: Final = 1e-9
_PAIRS: Final = 3
_MOST_VALUES: Final = 200
_HELD_OUT: Final = 5
_RECORDS: Final[Mapping[Size, int]] = {"full": 60_000, "quick": 20_000, "tiny": 2_000}
_LOTS: Final[Mapping[Size, int]] = {"full": 4, "quick": 2, "tiny": 1}
_EPSILONS: Final[Mapping[Size, tuple[float, ...]]] = {
    "full": (1.0, 0.1), "quick": (1.0,), "tiny": (1.0,),
}  # fmt: skip

Group = tuple[int, ...]
Lot = Callable[[np.random.Generator, Sequence[str]], Marks]


@dataclass(frozen=True)
class Gain:
    """What one kind of mark came to: means over the lots, excess in total variation.

    Attributes:
        table, epsilon, marked: which.
        without, marks: how far off the marked ones are without marks and with them.
        others, others_marks: the same of all other pairs.
    """

    table: str
    epsilon: float
    marked: str
    without: float
    marks: float
    others: float
    others_marks: float


def _pairs(lot: np.random.Generator, names: Sequence[str]) -> Marks:
    every = list(combinations(names, 2))
    chosen = lot.choice(len(every), _PAIRS, replace=False).tolist()
    return Marks(together=tuple(every[each] for each in chosen))


def _triple(lot: np.random.Generator, names: Sequence[str]) -> Marks:
    chosen = lot.choice(len(names), 3, replace=False).tolist()
    return Marks(together=(tuple(names[each] for each in chosen),))


def _target(lot: np.random.Generator, names: Sequence[str]) -> Marks:
    return Marks(target=names[int(lot.integers(len(names)))])


_KINDS: Final[Mapping[str, Lot]] = {
    f"{_PAIRS} pairs": _pairs,
    "a triple": _triple,
    "a target": _target,
}


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Learn the sample with and without marks."""
    records = Records(census.schema(), census.simulate(_RECORDS[size], 11))
    found = [
        each
        for epsilon in _EPSILONS[size]
        for each in compared("sample", records, epsilon, _LOTS[size])
    ]
    return {"lots": _LOTS[size], "gains": [asdict(each) for each in found]}


def compared(name: str, records: Records, epsilon: float, lots: int) -> list[Gain]:
    """Every kind of mark on one table."""
    learned = _Learned.of(records, epsilon)
    plain = [learned.made(Marks(), seed) for seed in range(lots)]
    return [_gain(name, learned, plain, kind) for kind in _KINDS]


@dataclass(frozen=True, eq=False)
class _Learned:
    """A table that models are learned from, and the fifth of it that they are compared with."""

    records: Records
    held_out: Records
    epsilon: float

    @classmethod
    def of(cls, whole: Records, epsilon: float) -> _Learned:
        """Split by lot."""
        order = np.random.default_rng(0).permutation(len(whole))
        held = len(whole) // _HELD_OUT
        return cls(whole.take(order[held:]), whole.take(order[:held]), epsilon)

    def made(self, marks: Marks, seed: int) -> Records:
        """Records of the model that is learned with these marks."""
        schema, source = self.records.schema, RandomSource.fixed(seed)
        budget = Budget(self.epsilon, _DELTA)
        learner = CalibratedLearner.within(
            schema, budget, importance=marks.importance(schema.names)
        )
        network = learner.learn(self.records, Noise(source), source.child()).network
        return Records(schema, drawn(network, len(self.records), source, Stopwatch()).codes)

    def excess(self, made: Records, groups: Sequence[Group]) -> float:
        """How much further off records are than real ones, on average over these columns
        together."""
        both = [Sides.of(each, self.held_out) for each in (made, self.records)]
        off = [[total_variation(each.shares(some))[0] for some in groups] for each in both]
        return float(np.mean(off[0]) - np.mean(off[1]))


def _gain(name: str, learned: _Learned, plain: Sequence[Records], kind: str) -> Gain:
    names = learned.records.schema.names
    figures = []
    pairs = list(combinations(range(len(names)), 2))
    for seed, unmarked in enumerate(plain):
        marks = _KINDS[kind](np.random.default_rng(seed), _not_too_long(learned.records))
        above = marks.importance(names).above
        most = max(map(len, above))
        asked = [each for each in above if len(each) == most]
        others = [each for each in pairs if each not in above]
        both = unmarked, learned.made(marks, seed)
        figures.append([learned.excess(made, some) for some in (asked, others) for made in both])
    return Gain(name, learned.epsilon, kind, *np.mean(figures, axis=0).tolist())


def _not_too_long(records: Records) -> tuple[str, ...]:
    """Columns that pairs can be counted of."""
    return tuple(each.name for each in records.schema.columns if each.cardinality <= _MOST_VALUES)


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| table | ε | marked | they, without | with | all other pairs, without | with |",
        "|---|---:|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['table']} | {row['epsilon']:g} | {row['marked']} | {row['without']:.4f} "
        f"| {row['marks']:.4f} | {row['others']:.4f} | {row['others_marks']:.4f} |"
        for row in figures["gains"]
    ]
    return "\n".join(lines)


def main() -> None:
    """Compare on a table of one's own, by the schema that is suggested for it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.marked", description=__doc__)
    parser.add_argument("--table", type=Path, help="a table; the sample without")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--lots", type=int, default=_LOTS["full"], help="how many are drawn")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    name, records = "sample", Records(census.schema(), census.simulate(_RECORDS["full"], 11))
    if chosen.table:
        raw = read_table(chosen.table)
        name, records = chosen.table.stem, encode_public(raw, suggest_schema(raw).schema)
    found = compared(name, records, chosen.epsilon, chosen.lots)
    figures = {"lots": chosen.lots, "gains": [asdict(each) for each in found]}
    print(json.dumps(figures, indent=2) if chosen.json else table(figures))


if __name__ == "__main__":
    main()
