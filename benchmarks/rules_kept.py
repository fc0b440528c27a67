"""What keeping rules costs and gains, and whether any released record breaks one.

python -m benchmarks rules-kept

Three made-up tables whose records obey rules (`ruled_tables`): persons of a census, stays in a
hospital with three dates and amounts in cells, and a questionnaire of 42 columns. The calibrated
model learns each with its rules and without them, in one run, at δ = 10⁻⁹; a fifth of the records
is held out. Distances are total variations to those, means over seeds; *broken* is the share of the
drawn records that break a rule with the numbers that are written to a file. Then every way to make
a table draws a million records under the rules, and those that break one are counted; so does the
calibrated model of the sample hospital, whose derived columns are computed again from the CSV, and
of the simulated census, whose rules are read from a file as `validate` has them. Candidates that
are redrawn from a private model and tested against every seed are counted likewise.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from benchmarks.peers.ours import WAYS
from benchmarks.ruled_tables import make_persons, make_questionnaire, make_stays
from benchmarks.size import Size
from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import random_forest
from understudy.evaluation.comparison import distances
from understudy.mechanisms.outputs import ResumePoint, Workers
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.report.outputs import read_released_csv
from understudy.runs.table_file import WithinCells
from understudy.samples import census
from understudy.samples.archives import HOSPITAL_SCHEMA, write_hospital
from understudy.table.encoding import encode, to_csv_bytes
from understudy.table.records import Records
from understudy.table.rules.repair import find_breaches, view_records
from understudy.table.rules.rule_check import count_breaches
from understudy.table.rules.validate_file import load_rules
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

_DELTA: Final = 1e-9
_MUCH: Final = 10.0
"""The ε that many records are drawn at, as seeds take much."""
_HELD_OUT: Final = 5
_TREES: Final = 40
_LEAF: Final = 3


@dataclass(frozen=True)
class Table:
    """A table to try.

    Attributes:
        make: makes so many records with a seed.
        records: how many.
        target: the column that a forest predicts.
    """

    make: Callable[[int, int], Records]
    records: int
    target: str


TABLES: Final[Mapping[str, Table]] = {
    "persons": Table(make_persons, 50_000, "income"),
    "stays": Table(make_stays, 40_000, "outcome"),
    "questionnaire": Table(make_questionnaire, 20_000, "q50"),
}
_SHARE: Final[Mapping[Size, float]] = {"full": 1.0, "quick": 0.2, "tiny": 0.05}
_EPSILONS: Final[Mapping[Size, Sequence[float]]] = {
    "full": (0.1, 1.0, 10.0), "quick": (0.1, 1.0), "tiny": (1.0,),
}  # fmt: skip
_SEEDS: Final[Mapping[Size, int]] = {"full": 3, "quick": 1, "tiny": 1}
_STAYS: Final = 20_000
_PEOPLE: Final = 250_000
_BLOCK: Final = 100_000
_SCORED: Final[Mapping[str, Any]] = {
    "numbers": {"redrawn": 0.5},
    "test": {"kind": "plausible-deniability", "k": 40, "gamma": 4.0, "epsilon0": 1.0},
}
_ATTEMPTS: Final[Mapping[Size, int]] = {"full": 50_000, "quick": 10_000, "tiny": 500}
_DRAWN: Final[Mapping[Size, int]] = {"full": 1_000_000, "quick": 100_000, "tiny": 2_000}


@dataclass(frozen=True)
class Closeness:
    """How near drawn records come to those held out.

    Attributes:
        broken: the share that break a rule.
        pair, worst, single: the mean pair, the worst one, the mean column.
        predicted: how often a forest learned from them is right.
        seconds: that learning took; 0 for real ones.
    """

    broken: float
    pair: float
    worst: float
    single: float
    predicted: float
    seconds: float = 0.0


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Learn every table with and without its rules, and draw from every model."""
    tables = {name: _parts(table, size) for name, table in TABLES.items()}
    return {
        "close": [
            {"table": name, "epsilon": epsilon, **_compare(name, *tables[name], epsilon, size)}
            for name, epsilon in product(TABLES, _EPSILONS[size])
        ],
        "broken": [
            *_draw_many(tables, size),
            _draw_derived(size),
            _draw_imported(size),
            _draw_scored(tables["persons"][0], size),
        ],
        "drawn": _DRAWN[size],
    }


def _parts(table: Table, size: Size) -> tuple[Records, Records]:
    """Return the records to learn from, and those held out."""
    count = int(table.records * _SHARE[size])
    every = table.make(count + count // _HELD_OUT, 7)
    return every.take(np.arange(count)), every.take(np.arange(count, len(every)))


def _compare(name: str, real: Records, held: Records, epsilon: float, size: Size) -> dict[str, Any]:
    """Return how near real records, and drawn ones with and without rules, come."""
    target, found = TABLES[name].target, dict[str, list[Closeness]](ruled=[], free=[])
    free = real.schema.with_rules(())
    for seed in range(_SEEDS[size]):
        for way, schema in (("ruled", real.schema), ("free", free)):
            source, start = RandomSource.fixed(seed), time.perf_counter()
            _ = schema.relations
            learner = CalibratedLearner.within(schema, Budget(epsilon, _DELTA))
            seen = Records(schema, real.codes, real.numbers)
            network = learner.learn(seen, Noise(source), source.child()).network
            seconds = time.perf_counter() - start
            codes = np.ascontiguousarray(network.records(len(real), source).T)
            made = write_numbers(schema, codes, seed).under(real.schema)
            found[way].append(_closeness(made, held, target, seconds))
    near = {"real": _closeness(real, held, target, 0.0)}
    near |= {way: _mean(each) for way, each in found.items()}
    return {way: asdict(each) for way, each in near.items()}


def write_numbers(schema: Schema, codes: CodeArray, seed: int) -> Records:
    """Return records as they are written to a file, numbers and all."""
    return WithinCells(schema, Secret.fixed(seed)).records(codes, 0)


def share_broken(records: Records) -> float:
    """Return the share of records that break a rule."""
    return float(find_breaches(records.schema, view_records(records)).any(axis=0).mean())


def _closeness(made: Records, held: Records, target: str, seconds: float) -> Closeness:
    far = distances(made, held)
    pairs = far.each_pair
    place = made.schema.index(target)
    sides = [np.delete(each.codes, place, axis=1) for each in (made, held)]
    forest = random_forest(_TREES, _LEAF).make(1)
    forest.fit(sides[0], made.codes[:, place])
    right = float((forest.predict(sides[1]) == held.codes[:, place]).mean())
    return Closeness(
        share_broken(made),
        float(pairs.mean()),
        float(pairs.max()),
        float(far.single.mean()),
        right,
        seconds,
    )


def _mean(each: Sequence[Closeness]) -> Closeness:
    values = np.mean([list(asdict(one).values()) for one in each], axis=0)
    return Closeness(*values.tolist())


def _draw_many(
    tables: Mapping[str, tuple[Records, Records]], size: Size
) -> Iterator[dict[str, Any]]:
    """Yield how many of many records each way makes break a rule."""
    for (name, (real, _)), way in product(tables.items(), WAYS):
        try:
            made = WAYS[way](real, _MUCH, _DELTA, _DRAWN[size], RandomSource.fixed(3))
        except Refusal:
            # So few records pay for no seeds.
            continue
        written = write_numbers(real.schema, made.codes, 3)
        broken = round(share_broken(written) * len(written))
        yield {"table": name, "way": way, "records": len(written), "broken": broken}


def _draw_derived(size: Size) -> dict[str, Any]:
    """Return how many rows of the sample hospital, read again from their CSV, break a rule or hold
    something else in a derived column than is computed from the others."""
    schema = Schema.load(HOSPITAL_SCHEMA).with_people(None)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "stays.csv"
        write_hospital(int(_STAYS * _SHARE[size]), path)
        real = encode(read_table(path), schema)
    learner = CalibratedLearner.within(schema, Budget(1.0, _DELTA))
    source = RandomSource.fixed(3)
    network = learner.learn(real, Noise(source), source.child()).network
    broken = rows = 0
    for first in range(0, _DRAWN[size], _BLOCK):
        count = min(_BLOCK, _DRAWN[size] - first)
        codes = np.ascontiguousarray(network.records(count, source).T)
        # A derived value that is another than its row makes is refused as it is read.
        again = read_released_csv(to_csv_bytes(write_numbers(schema, codes, first)), schema)
        broken += count_breaches(again, schema.rules).together
        rows += len(again)
    way = f"calibrated, {len(schema.derived)} derived columns"
    return {"table": "sample hospital, ε = 1", "way": way, "records": rows, "broken": broken}


def _draw_imported(size: Size) -> dict[str, Any]:
    """Return how many records of the simulated census break rules that are read from a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rules.R"
        texts = (rule.text for rule in census.schema(ruled=True).rules)
        path.write_text("\n".join(texts), encoding="utf-8")
        plain = census.schema()
        schema = plain.with_rules(load_rules(path, plain.columns).rules)
    real = Records(schema, census.simulate(int(_PEOPLE * _SHARE[size]), 7))
    learner = CalibratedLearner.within(schema, Budget(1.0, _DELTA))
    source = RandomSource.fixed(3)
    network = learner.learn(real, Noise(source), source.child()).network
    codes = np.ascontiguousarray(network.records(_DRAWN[size], source).T)
    broken = count_breaches(write_numbers(schema, codes, 3), schema.rules).together
    way = f"calibrated, {len(schema.rules)} rules from a file"
    return {"table": "census, ε = 1", "way": way, "records": len(codes), "broken": broken}


def _draw_scored(real: Records, size: Size) -> dict[str, Any]:
    """Return how many released records of redrawn candidates break a rule."""
    schema = real.schema
    plan = opening_plan("scored", schema, {**_SCORED, "attempts": _ATTEMPTS[size]})
    decided, secret = plan_run(plan, schema), Secret.fixed(3)
    state = decided.mechanism.begin(decided, real, secret, None)
    chunks = decided.mechanism.release(
        decided, real, state, secret, Workers(cores=1), ResumePoint()
    )
    codes = np.concatenate([each.content for each in chunks])
    broken = count_breaches(write_numbers(schema, codes, 3), schema.rules).together
    return {"table": "persons", "way": "scored, redrawn", "records": len(codes), "broken": broken}


def table(figures: dict[str, Any]) -> str:
    """The figures as two Markdown tables."""
    lines = [
        "| table | ε | | broken | mean pair | worst pair | mean column | forest right | fit, s |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in figures["close"]:
        for way, words in (("real", "other reals"), ("free", "no rules"), ("ruled", "rules")):
            each = row[way]
            lines.append(
                f"| {row['table']} | {row['epsilon']:g} | {words} | {each['broken']:.4f} "
                f"| {each['pair']:.4f} | {each['worst']:.4f} | {each['single']:.4f} "
                f"| {each['predicted']:.3f} | {each['seconds']:.1f} |"
            )
    lines += ["", "| table | way | records | broken |", "|---|---|---:|---:|"]
    lines += [
        f"| {row['table']} | {row['way']} | {row['records']:,} | {row['broken']:,} |"
        for row in figures["broken"]
    ]
    return "\n".join(lines)
