"""How much further off than other real records a table is, foreseen beside found.

On the sample census, and on the files named in `TABLES` (`NAME=PATH` pairs, separated by commas).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.peers.drivers.exchange import Stopwatch
from benchmarks.peers.ours import drawn
from benchmarks.size import Size
from engine.evaluation.comparison import compare
from engine.evaluation.distances import distances
from engine.evaluation.excess import LOOKED_AT, Excess, excess_of_release, foreseen
from engine.evaluation.study import REALS, RELEASED, Table, sample_of
from engine.mechanisms.seedbased.learners import learner_of
from engine.mechanisms.seedbased.proposal import HELD_OUT
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.calibrated.learner import CalibratedLearner
from engine.models.learner import Terms
from engine.models.predicted import Predicted
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.authoring.suggestion import suggest_schema
from engine.table.encoding import encode_public
from engine.table.records import Records
from engine.table.sources.reading import read_table
from engine.table.split import Shares
from sample_data import census

Whole = npt.NDArray[np.int64]

FILES: Final = "TABLES"
_DELTA: Final = 1e-9
_EPSILONS: Final[Mapping[Size, tuple[float, ...]]] = {
    "full": (0.3, 1.0, 3.0),
    "quick": (1.0,),
    "tiny": (1.0,),
}
_CENSUS: Final[Mapping[Size, int]] = {"full": 60_000, "quick": 20_000, "tiny": 3_000}
_SEEDS: Final[Mapping[Size, int]] = {"full": 3, "quick": 1, "tiny": 1}
_SHARES: Final = Shares(seeds=0, structure=0, parameters=1 - HELD_OUT, held_out=HELD_OUT)
_LEAST: Final = 0.002
"""What held-out records differ by from one deal of them to the next, about."""
_MANY: Final = 200_000
"""How many rows show a model itself, chance in them being small."""
_DRAWS: Final = 5
"""How many tables are drawn of each model, and of real records: what chance does to one is no part
of what is foreseen."""
_KINDS: Final = ("typical column", "worst column", "typical pair", "worst pair")


@dataclass(frozen=True, eq=False)
class _Found:
    """What one learning came to.

    Attributes:
        excess: of the tables drawn, on average.
        even: by how much chance sets them apart, as a share of what it does to records drawn one
            by one: the median over the columns, and over the pairs.
        noise: how far off the model is from the records that it was learned from, likewise.
    """

    excess: Excess
    even: tuple[float, float]
    noise: tuple[float, float]


@dataclass(frozen=True)
class Beside:
    """One kind of figure, as foreseen and as it came out, medians over seeds.

    Attributes:
        table, records, epsilon, what: which.
        foreseen, found: the excess.
        real_foreseen, real_found: what other real records are off by.
        even: what chance sets drawn tables apart by, of a typical column or pair, as a share of
            what it does to records drawn one by one.
        noise_foreseen, noise_found: how far off the model is from the records that it was learned
            from, of a typical column or pair.
    """

    table: str
    records: int
    epsilon: float
    what: str
    foreseen: float
    found: float
    real_foreseen: float
    real_found: float
    even: float
    noise_foreseen: float
    noise_found: float

    @property
    def ratio(self) -> float | None:
        """Foreseen over found, of the whole distance from real records; None of the worst, as those
        that are foreseen and found to be it are rarely the same."""
        if self.what.startswith("worst"):
            return None
        return (self.foreseen + self.real_foreseen) / (self.found + self.real_found)

    @property
    def excess_ratio(self) -> float | None:
        """Foreseen over found, of the excess; None where less is found than chance can show."""
        return None if self.found < _LEAST else self.foreseen / self.found


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Foresee and find, for every table and ε."""
    return {
        "seeds": _SEEDS[size],
        "rows": [
            asdict(each) | {"ratio": each.ratio, "excess_ratio": each.excess_ratio}
            for name, records in _tables(size)
            for epsilon in _EPSILONS[size]
            for each in _beside(name, records, epsilon, _SEEDS[size])
        ],
    }


def _tables(size: Size) -> Iterator[tuple[str, Records]]:
    yield "census", Records(census.schema(), census.simulate(_CENSUS[size], 11))
    for each in filter(None, os.environ.get(FILES, "").split(",")):
        name, path = each.split("=", 1)
        raw = read_table(Path(path))
        yield name, encode_public(raw, suggest_schema(raw).schema)


def _beside(name: str, records: Records, epsilon: float, seeds: int) -> Iterator[Beside]:
    predicted = _predicted(records, epsilon)
    held_out = HELD_OUT * len(records)
    ahead = foreseen(predicted, records.schema, LOOKED_AT, held_out, len(records) - held_out)
    noise = _typical(predicted.filled)
    after = [_found(records, epsilon, seed) for seed in range(seeds)]
    for what in _KINDS:
        ours, real = _figures(ahead, what)
        pairs = [_figures(each.excess, what) for each in after]
        theirs, held = np.median(np.array(pairs), axis=0).tolist()
        kind = what.endswith("pair")
        even, off = np.median([[each.even[kind], each.noise[kind]] for each in after], axis=0)
        yield Beside(
            name, len(records), epsilon, what, ours, theirs, real, held,
            float(even), noise[kind], float(off),
        )  # fmt: skip


def _predicted(records: Records, epsilon: float) -> Predicted:
    terms = Terms(records.schema, Budget(epsilon, _DELTA), _SHARES)
    ahead = learner_of("calibrated").foreseen(terms, len(records), LOOKED_AT)
    assert ahead is not None
    return ahead


def _typical(square: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The median over the columns, and over the pairs."""
    pairs = square[np.triu_indices(len(square), 1)]
    return float(np.median(np.diagonal(square))), float(np.median(pairs))


def _found(records: Records, epsilon: float, seed: int) -> _Found:
    """What a run comes to that holds a tenth of the records out."""
    random = np.random.default_rng(seed)
    held, learned = np.split(random.permutation(len(records)), [round(HELD_OUT * len(records))])
    source, budget = RandomSource.fixed(seed), Budget(epsilon, _DELTA)
    inside, watch = records.take(np.sort(learned)), Stopwatch()
    network = _learned(inside, budget, source)
    apart, real, made = [], [], []
    for _ in range(_DRAWS):
        made.append(drawn(network, LOOKED_AT, source, watch).codes.astype(np.int64))
        tables = (
            Table(REALS, "reals", sample_of(inside, LOOKED_AT, random)),
            Table(
                RELEASED,
                "released",
                Records(records.schema, made[-1].astype(np.uint16)),
            ),
        )
        one = excess_of_release(compare(tables, records.take(np.sort(held))))
        assert one is not None
        apart.append(one.apart)
        real.append(one.real)
    excess = Excess(np.mean(apart, axis=0), np.mean(real, axis=0), (), found=True)
    many = Records(records.schema, drawn(network, _MANY, source, watch).codes)
    noise = _typical(distances(many, inside).pairs)
    return _Found(excess, _even(made, records.schema.cardinalities.tolist()), noise)


def _even(made: Sequence[Whole], sizes: Sequence[int]) -> tuple[float, float]:
    """The roots of the variance of shares between tables, over that of records drawn one by one."""

    def ratio(cells: Sequence[Whole], size: int) -> float:
        shares = np.array([np.bincount(each, minlength=size) / len(each) for each in cells])
        mean = shares.mean(axis=0)
        return float(np.sqrt(shares.var(axis=0, ddof=1).sum() * len(cells[0])
                             / (mean * (1 - mean)).sum()))  # fmt: skip

    columns = [ratio([each[:, at] for each in made], size) for at, size in enumerate(sizes)]
    pairs = [
        ratio([each[:, a] * sizes[b] + each[:, b] for each in made], sizes[a] * sizes[b])
        for a, b in combinations(range(len(sizes)), 2)
    ]
    return float(np.median(columns)), float(np.median(pairs))


def _learned(inside: Records, budget: Budget, source: RandomSource) -> BayesianNetwork:
    learner = CalibratedLearner.within(inside.schema, budget)
    return learner.learn(inside, Noise(source), source.child()).network


def _figures(excess: Excess, what: str) -> tuple[float, float]:
    """The excess of that kind, and what other real records are off by there."""
    if what == "typical column":
        return excess.typical_column, float(np.median(np.diagonal(excess.real)))
    upper = np.triu_indices(len(excess.real), 1)
    if what == "typical pair":
        return excess.typical_pair, float(np.median(excess.real[upper]))
    worst = excess.worst_columns()[0] if what == "worst column" else excess.worst_pairs()[0]
    place = worst[0] * 2 if len(worst[0]) == 1 else worst[0]
    return worst[1], float(excess.real[place])


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| table | records | ε | what | excess, foreseen | found | ÷ | other reals, foreseen "
        "| found | off in all, foreseen ÷ found | noise, foreseen | found | evenness |",
        "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['table']} | {row['records']:,} | {row['epsilon']:g} | {row['what']} "
        f"| {row['foreseen']:.4f} | {row['found']:.4f} | {_ratio(row['excess_ratio'])} "
        f"| {row['real_foreseen']:.4f} | {row['real_found']:.4f} | {_ratio(row['ratio'])} "
        + (
            f"| {row['noise_foreseen']:.4f} | {row['noise_found']:.4f} | {row['even']:.2f} |"
            if row["ratio"]
            else "| – | – | – |"
        )
        for row in figures["rows"]
    ]
    return "\n".join(lines)


def _ratio(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f}"
