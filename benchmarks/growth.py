"""How cost grows with records, columns and attempts, each with its exponent."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.census import Sizes, parts
from engine.models.bayesnet.kept import KeptAttributes
from engine.models.bayesnet.network import BayesianNetwork, Structure, families
from engine.models.categorical import ConditionalTable
from engine.models.omega import Omega
from engine.privacy.plausibility.deniability import PlausibleDeniability
from engine.privacy.randomness import RandomSource
from engine.synthesis.attempts import BATCH, Decision, Synthesizer, release
from engine.synthesis.learning import learn
from engine.synthesis.plan import Plan
from engine.table.records import Records
from engine.table.schema import Categories, Column, Schema

_TEST = PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0)


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Time learning, indexing and attempts while one size changes and the others stay."""
    scale = 10 if quick else 1
    _by_records(1_000)  # the first noise loads its library
    return {
        "records": [_by_records(size // scale) for size in (10_000, 100_000, 1_000_000)],
        "columns": [_by_columns(columns, 200_000 // scale) for columns in (5, 10, 20, 40, 80)],
        "attempts": _by_attempts([size // scale for size in (100_000, 400_000, 1_600_000)]),
    }


def _by_records(records: int) -> dict[str, Any]:
    split = parts(Sizes(records, records // 2, records // 2, 0))
    source = RandomSource.secure()
    plan = Plan.of(split.seeds.schema, test=_TEST)
    start = time.perf_counter()
    learned = learn(plan, split.seeds.schema, split, source)
    learnt = time.perf_counter()
    made = Synthesizer(KeptAttributes(learned.network, Omega(low=5, high=11)), split.seeds)
    indexed = time.perf_counter()
    return {
        "size": records,
        "learn_seconds": learnt - start,
        "index_seconds": indexed - learnt,
        "attempts_per_second": _pace(made, 8 * BATCH, source),
    }


def _by_columns(columns: int, records: int) -> dict[str, Any]:
    schema, codes = chain(columns, records)
    table = Records(schema, codes)
    source = RandomSource.secure()
    made = Synthesizer(
        KeptAttributes(chain_network(schema), Omega(low=columns // 2, high=columns)), table
    )
    start = time.perf_counter()
    index = Synthesizer(made.model, table)
    return {
        "size": columns,
        "index_seconds": time.perf_counter() - start,
        "attempts_per_second": _pace(index, 4 * BATCH, source),
    }


def _by_attempts(sizes: list[int]) -> list[dict[str, Any]]:
    split = parts(Sizes(100_000, 50_000, 50_000, 0))
    source = RandomSource.secure()
    learned = learn(Plan.of(split.seeds.schema), split.seeds.schema, split, source)
    made = Synthesizer(KeptAttributes(learned.network, Omega(low=9, high=9)), split.seeds)
    return [{"size": size, "seconds": size / _pace(made, size, source)} for size in sizes]


def _pace(made: Synthesizer, count: int, source: RandomSource) -> float:
    decision = Decision(_TEST, 0.01)
    release(made, decision, 0, BATCH, source)
    start = time.perf_counter()
    release(made, decision, 0, count, source)
    return count / (time.perf_counter() - start)


def chain(columns: int, records: int) -> tuple[Schema, Any]:
    """Columns of ten values, each mostly equal to the one before."""
    rng = np.random.default_rng(columns)
    codes = rng.integers(0, 10, size=(records, columns)).astype(np.uint16)
    for place in range(1, columns):
        same = rng.random(records) < 0.8
        codes[same, place] = codes[same, place - 1]
    values = tuple(str(value) for value in range(10))
    return Schema(
        columns=tuple(
            Column(name=f"c{place}", domain=Categories(kind="categories", values=values))
            for place in range(columns)
        )
    ), codes


def chain_network(schema: Schema) -> BayesianNetwork:
    """The network of such columns."""
    count = len(schema.columns)
    structure = Structure.of([(), *((place,) for place in range(count - 1))])
    tables = []
    for family in families(schema, structure):
        likely = np.full((family.configurations, 10), 0.02)
        likely[np.arange(family.configurations), np.arange(family.configurations) % 10] += 0.8
        tables.append(ConditionalTable.from_probabilities(likely))
    return BayesianNetwork(schema, structure, tuple(tables))


def exponent(rows: list[dict[str, Any]], name: str) -> float:
    """The slope of log(cost) on log(size)."""
    sizes = np.log([row["size"] for row in rows])
    costs = np.log([row[name] for row in rows])
    return float(np.polyfit(sizes, costs, 1)[0])


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables."""
    lines = ["| records | learn | index | attempts / s |", "|---:|---:|---:|---:|"]
    lines += [
        f"| {row['size']:,} | {row['learn_seconds']:.2f} s | {row['index_seconds']:.2f} s "
        f"| {row['attempts_per_second']:,.0f} |"
        for row in figures["records"]
    ]
    lines += ["", "| columns | index | attempts / s |", "|---:|---:|---:|"]
    lines += [
        f"| {row['size']} | {row['index_seconds']:.2f} s | {row['attempts_per_second']:,.0f} |"
        for row in figures["columns"]
    ]
    lines += ["", "| attempts | seconds |", "|---:|---:|"]
    lines += [f"| {row['size']:,} | {row['seconds']:.2f} |" for row in figures["attempts"]]
    learning, indexing = (
        exponent(figures["records"], name) for name in ("learn_seconds", "index_seconds")
    )
    attempts = exponent(figures["attempts"], "seconds")
    wide = figures["columns"]
    for row in wide:
        row["seconds"] = 1 / row["attempts_per_second"]
    lines += [
        "",
        f"Exponents: learning in records {learning:.2f}, index in records {indexing:.2f}, "
        f"index in columns {exponent(wide, 'index_seconds'):.2f}, "
        f"time of an attempt in columns {exponent(wide, 'seconds'):.2f}, "
        f"time in attempts {attempts:.2f}.",
    ]
    return "\n".join(lines)
