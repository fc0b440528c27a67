"""How cost grows with rows, columns, cardinality, the width of ω and what is released.

Each point is taken in a process of its own, so that the peak of its memory is its own: the most
it held less what it held before the table was made. Seconds are processor time of one core.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from benchmarks.peers.drivers.exchange import held_bytes
from benchmarks.size import Size
from understudy.mechanisms.seedbased.attempts import BATCH, Decision, Synthesizer, release
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure, families
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.bayesnet.structure import CellCap, StructureLearner
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.categorical import ConditionalTable
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.buckets import ByWidth, EachValue
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

_BUDGET = Budget(1.0, 1e-9)
_DECISION = Decision(PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0), 0.01)
_LONG, _BUCKETS = 25, 10
"""A column of more values than the first has so many buckets."""
_ATTEMPTS = 16 * BATCH
_PASSED_ON = 64 * BATCH
"""Attempts whose releases are held at once before they are dropped."""

Point = dict[str, float]
T = TypeVar("T")


def rows(records: int, attempts: int) -> Point:
    """The simulated census."""
    return _learnt(Records(census.schema(), census.simulate(records, 3)), attempts)


def columns(many: int, attempts: int, records: int = 50_000) -> Point:
    """So many columns of ten values, each mostly equal to the one before."""
    return _learnt(Records(*chain(many, records)), attempts)


def cardinality(values: int, attempts: int, records: int = 100_000) -> Point:
    """Six columns of so many values, each mostly equal to the one before."""
    return _learnt(Records(*chain(6, records, values)), attempts)


def width(many: int, attempts: int, records: int = 200_000) -> Point:
    """ω ∈ [m − width + 1, m], hidden, on the simulated census."""
    table = Records(census.schema(), census.simulate(records, 3))
    attributes = len(table.schema)
    omega = Omega(low=attributes - many + 1, high=attributes)
    model = KeptAttributes(_published(table), omega)
    index, made = _timed(lambda: Synthesizer(model, table))
    return {"index_seconds": index, "attempt_microseconds": _pace(made, attempts)}


def released(many: int, attempts: int, records: int = 200_000) -> Point:
    """So many records from one index; what passes is dropped, as if it were written."""
    table = Records(census.schema(), census.simulate(records, 3))
    made = Synthesizer(KeptAttributes(_published(table), Omega(low=9, high=9)), table)
    source = RandomSource.secure()
    release(made, _DECISION, 0, BATCH, source)
    begun, found, first = time.process_time(), 0, 0
    while found < many:
        piece = min(attempts, max(BATCH, many - found))
        found += len(release(made, _DECISION, first, piece, source))
        first += piece
    return {"seconds": time.process_time() - begun, "attempts": first}


Curve = tuple[Callable[..., Point], Mapping[Size, Sequence[int]], Mapping[Size, int]]
_PACED: Mapping[Size, int] = {"full": _ATTEMPTS, "quick": 4 * BATCH, "tiny": 2_000}
CURVES: Mapping[str, Curve] = {
    "rows": (
        rows,
        {
            "full": (10**4, 10**5, 10**6, 10**7),
            "quick": (10**3, 10**4, 10**5),
            "tiny": (500, 1_000),
        },
        _PACED,
    ),
    "columns": (
        columns,
        {"full": (5, 10, 20, 50, 100, 200), "quick": (5, 10, 20, 40), "tiny": (2, 4)},
        _PACED,
    ),
    "cardinality": (
        cardinality,
        {"full": (2, 10, 10**2, 10**3, 10**4), "quick": (2, 10, 10**2, 10**3), "tiny": (2, 4)},
        _PACED,
    ),
    "width of ω": (
        width,
        {"full": (1, 3, 5, 7, 9, 11), "quick": (1, 5, 11), "tiny": (1, 3)},
        _PACED,
    ),
    "released": (
        released,
        {"full": (10**5, 10**6, 10**7), "quick": (10**4, 10**5), "tiny": (1_000, 2_000)},
        {"full": _PASSED_ON, "quick": 4 * BATCH, "tiny": 2_000},
    ),
}
"""What changes in each curve: what takes a point, at which sizes, and how many attempts at once."""
_RECORDS: Mapping[Size, int | None] = {"full": None, "quick": 20_000, "tiny": 1_000}
"""Of a curve in which they stay the same, where they are not as many as it says."""


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Every curve, a process a point; at the smallest size all in this one."""
    return {name: [_apart(name, each, size) for each in CURVES[name][1][size]] for name in CURVES}


def _apart(name: str, each: int, size: Size) -> Point:
    if size == "tiny":
        return _point(name, each, size)
    apart = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=apart) as process:
        return process.submit(_point, name, each, size).result()


def _point(name: str, each: int, size: Size) -> Point:
    taken, _, attempts = CURVES[name]
    Noise(RandomSource.secure()).integers(np.zeros(1, dtype=np.int64), 1.0)  # loads its library
    before, many = held_bytes(), _RECORDS[size]
    instead = {} if many is None or name == "rows" else {"records": many}
    found = taken(each, attempts[size], **instead)
    return {"size": each, **found, "gigabytes": (held_bytes() - before) / 1e9}


def _learnt(table: Records, attempts: int) -> Point:
    """Both models, and an index of the same records below the calibrated one."""
    schema, source = table.schema, RandomSource.secure()
    published, _ = _timed(lambda: _published(table))
    calibrated, learned = _timed(
        lambda: CalibratedLearner.within(schema, _BUDGET).learn(table, Noise(source), source)
    )
    many = len(schema)
    model = KeptAttributes(learned.network, Omega(low=max(1, many // 2), high=many))
    index, made = _timed(lambda: Synthesizer(model, table))
    return {
        "published_seconds": published,
        "calibrated_seconds": calibrated,
        "tables_counted": len(learned.measured),
        "index_seconds": index,
        "attempt_microseconds": _pace(made, attempts),
    }


def _published(table: Records) -> BayesianNetwork:
    """The published network: structure and tables from half of the records each."""
    noise = Noise(RandomSource.secure())
    structure, parameters = (table.take(np.arange(half, len(table), 2)) for half in (0, 1))
    learner = ParameterLearner.within(table.schema, _BUDGET)
    cap = CellCap(learner.share.deviation, 1.0)
    found = StructureLearner.within(table.schema, _BUDGET).learn(structure, noise, cap)
    return learner.learn(parameters, found.structure, noise)


def _pace(made: Synthesizer, attempts: int) -> float:
    """Microseconds of an attempt, the test with it."""
    source = RandomSource.secure()
    release(made, _DECISION, 0, min(BATCH, attempts), source)
    seconds, _ = _timed(lambda: release(made, _DECISION, 0, attempts, source))
    return 1e6 * seconds / attempts


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    begun = time.process_time()
    result = call()
    return time.process_time() - begun, result


def chain(columns: int, records: int, values: int = 10) -> tuple[Schema, npt.NDArray[np.uint16]]:
    """Columns of so many values, each mostly equal to the one before; long ones are of numbers and
    have buckets."""
    rng = np.random.default_rng(columns)
    codes = rng.integers(0, values, size=(records, columns)).astype(np.uint16)
    for place in range(1, columns):
        same = rng.random(records) < 0.8
        codes[same, place] = codes[same, place - 1]
    domain: Categories | Grid
    buckets: EachValue | ByWidth
    if values <= _LONG:
        domain = Categories(kind="categories", values=tuple(map(str, range(values))))
        buckets = EachValue(kind="each")
    else:
        domain = Grid(kind="integers", minimum=Decimal(0), maximum=Decimal(values - 1))
        buckets = ByWidth(kind="width", width=Decimal(values // _BUCKETS))
    made = (Column(name=f"c{place}", domain=domain, buckets=buckets) for place in range(columns))
    return Schema(columns=tuple(made)), codes


def chain_network(schema: Schema) -> BayesianNetwork:
    """The network of such columns of ten values."""
    count = len(schema.columns)
    structure = Structure.of([(), *((place,) for place in range(count - 1))])
    tables = []
    for family in families(schema, structure):
        likely = np.full((family.configurations, 10), 0.02)
        likely[np.arange(family.configurations), np.arange(family.configurations) % 10] += 0.8
        tables.append(ConditionalTable.from_probabilities(likely))
    return BayesianNetwork(schema, structure, tuple(tables))


def exponent(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    """The slope of log(cost) on log(size)."""
    sizes = np.log([row["size"] for row in rows])
    costs = np.log([max(row[name], 1e-9) for row in rows])
    return float(np.polyfit(sizes, costs, 1)[0])


_HEADINGS = {
    "published_seconds": ("published network", "{:.2f} s"),
    "calibrated_seconds": ("calibrated model", "{:.2f} s"),
    "tables_counted": ("its tables", "{:,.0f}"),
    "index_seconds": ("index", "{:.3f} s"),
    "attempt_microseconds": ("an attempt", "{:.2f} µs"),
    "seconds": ("released in", "{:.2f} s"),
    "attempts": ("attempts", "{:,.0f}"),
    "gigabytes": ("peak memory", "{:.2f} GB"),
}


_LEAST = {"gigabytes": 0.01}
"""Of a cost that is as good as nothing below it."""


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables, a curve each, with its exponents below."""
    return "\n\n".join(_curve(name, points) for name, points in figures.items())


def _curve(name: str, points: list[Point]) -> str:
    shown = [each for each in _HEADINGS if each in points[0]]
    lines = [
        "| " + " | ".join([name, *(_HEADINGS[each][0] for each in shown)]) + " |",
        "|" + "---:|" * (len(shown) + 1),
    ]
    for point in points:
        cells = [_HEADINGS[each][1].format(point[each]) for each in shown]
        lines.append("| " + " | ".join([f"{point['size']:,}", *cells]) + " |")
    for said, among in (("exponent", points), ("of the last two", points[-2:])):
        slopes = [_slope(among, each) for each in shown]
        lines.append("| " + " | ".join([f"*{said}*", *slopes]) + " |")
    return "\n".join(lines)


def _slope(points: list[Point], name: str) -> str:
    """The exponent, where every cost is far enough from nothing to have one."""
    least = _LEAST.get(name, 0.0)
    return f"{exponent(points, name):.2f}" if min(each[name] for each in points) > least else "–"
