"""What a sweep over stored scores takes, to the chart it is drawn as, and how that grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from benchmarks.growth import chain, chain_network, exponent
from benchmarks.size import Size
from understudy.mechanisms.seedbased.charts.tradeoff import Explored, tradeoff
from understudy.mechanisms.seedbased.evaluation.figures import draw_pools, omegas_to_show
from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.mechanisms.seedbased.evaluation.sweep import Sweep, combine_settings, sweep
from understudy.mechanisms.seedbased.model_fit import learn, learn_baseline
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Split, split

POINTS = 200
_ROUNDS: Mapping[Size, int] = {"full": 5, "quick": 5, "tiny": 1}
_RECORDS: Mapping[Size, int] = {"full": 60_000, "quick": 6_000, "tiny": 4_000}
_POINTS: Mapping[Size, tuple[int, ...]] = {
    "full": (50, 200, 800, 2_000),
    "quick": (50, 200, 800, 2_000),
    "tiny": (50, 200),
}
_COLUMNS: Mapping[Size, tuple[int, ...]] = {
    "full": (5, 10, 20, 40, 80),
    "quick": (5, 10, 20, 40, 80),
    "tiny": (3, 5),
}
_WIDE_RECORDS: Mapping[Size, int] = {"full": 40_000, "quick": 4_000, "tiny": 4_000}
Thing = TypeVar("Thing")


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Sweep over the sample, over more points, and over wider tables."""
    schema, rounds = census.schema(), _ROUNDS[size]
    records = Records(schema, census.simulate(_RECORDS[size], 2013))
    source = RandomSource.secure()
    plan = _plan(records)
    parts = split(records, plan.shares, source)
    network = learn(plan, schema, parts, source).network
    baseline = learn_baseline(plan, parts, source)
    keeping, pools = _timed(lambda: _pools(plan, network, baseline, parts, source))
    return {
        "records": len(records),
        "keeping_seconds": keeping,
        "real": _real(pools),
        "sweep": _figures(plan, pools, schema, POINTS, rounds),
        "points": [_figures(plan, pools, schema, points, rounds) for points in _POINTS[size]],
        "columns": [
            _wide(columns, _WIDE_RECORDS[size], source, rounds) for columns in _COLUMNS[size]
        ],
    }


def _plan(records: Records) -> Plan:
    """A plan whose k, ε0 and number of attempts all make a difference."""
    attributes = len(records.schema)
    return Plan.of(
        records.schema,
        test=privacy_test("relative-sensitivity", 600, 0.05),
        omega=Omega(low=attributes // 2, high=attributes),
        attempts=500,
        seeds_at_least=len(records) // 4,
    )


def _pools(
    plan: Plan,
    network: Sequential,
    baseline: Sequential,
    parts: Split,
    source: RandomSource,
) -> Pools:
    omegas = omegas_to_show(plan.omega, len(parts.seeds.schema))
    drawn = draw_pools(network, parts.seeds, plan.model.epsilon, omegas, source)
    return Pools.around(drawn, parts, baseline, source)


def _figures(plan: Plan, pools: Pools, schema: Schema, points: int, rounds: int) -> dict[str, Any]:
    """Seconds of a sweep and of describing its chart, each the median of some rounds."""
    # Two candidates' ω, ten k and as many ε0 and numbers of attempts as make up the points.
    ks = np.unique(np.geomspace(200, 2_000, 10).astype(int)).tolist()
    noises = np.geomspace(0.02, 0.2, 5).round(4).tolist()
    counts = np.unique(np.geomspace(100, 10_000, points // 50).astype(int)).tolist()
    plans = combine_settings(plan, schema, {"k": ks, "epsilon0": noises, "attempts": counts}).plans
    sweeps = [_timed(lambda: sweep(plans, schema, pools)) for _ in range(rounds)]
    made: Sweep = sweeps[-1][1]
    explored = Explored(made, "distance", ("k", "epsilon0", "attempts"))
    charts = [_timed(lambda: tradeoff(explored).to_dict(validate=False)) for _ in range(rounds)]
    return {
        "size": len(plans),
        "drawn": len(explored.list_drawable()),
        "sweep_seconds": _median(sweeps),
        "chart_seconds": _median(charts),
    }


def _real(pools: Pools) -> list[dict[str, Any]]:
    """How far other real records, of each number, are from the held-out ones."""
    numbers = np.array([4_096, 512, 128])
    distances = pools.references.real_at(numbers.astype(float))
    return [
        {"size": int(number), "distance": float(distance)}
        for number, distance in zip(numbers, distances, strict=True)
    ]


def _wide(columns: int, records: int, source: RandomSource, rounds: int) -> dict[str, Any]:
    """The same of a table of more columns."""
    schema, codes = chain(columns, records)
    table = Records(schema, codes)
    plan = _plan(table)
    parts, network = split(table, plan.shares, source), chain_network(schema)
    keeping, pools = _timed(lambda: _pools(plan, network, network, parts, source))
    found = _figures(plan, pools, schema, POINTS, rounds)
    return {**found, "size": columns, "keeping_seconds": keeping}


def _timed(make: Callable[[], Thing]) -> tuple[float, Thing]:
    start = time.perf_counter()
    thing = make()
    return time.perf_counter() - start, thing


def _median(rounds: Sequence[tuple[float, object]]) -> float:
    return float(np.median([seconds for seconds, _ in rounds]))


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables."""
    one = figures["sweep"]
    lines = [
        f"{one['size']} plans over the stored scores of {figures['records']:,} records, "
        f"{one['drawn']} of which can be drawn: sweep {one['sweep_seconds']:.2f} s, chart "
        f"{one['chart_seconds']:.2f} s. Keeping the candidates adds "
        f"{figures['keeping_seconds']:.2f} s to a run.",
        "",
        "| plans | sweep | chart |",
        "|---:|---:|---:|",
    ]
    lines += [
        f"| {row['size']:,} | {row['sweep_seconds']:.2f} s | {row['chart_seconds']:.2f} s |"
        for row in figures["points"]
    ]
    lines += ["", "| other real records | typical distance of a pair |", "|---:|---:|"]
    lines += [f"| {row['size']:,} | {row['distance']:.3f} |" for row in figures["real"]]
    lines += ["", f"| columns | keeping | sweep of {POINTS} |", "|---:|---:|---:|"]
    lines += [
        f"| {row['size']} | {row['keeping_seconds']:.2f} s | {row['sweep_seconds']:.2f} s |"
        for row in figures["columns"]
    ]
    lines += [
        "",
        f"Exponents: sweep in plans {exponent(figures['points'], 'sweep_seconds'):.2f}, "
        f"in columns {exponent(figures['columns'], 'sweep_seconds'):.2f}.",
    ]
    return "\n".join(lines)
