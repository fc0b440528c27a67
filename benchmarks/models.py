"""What learning the calibrated model takes, by the size and the shape of a table.

Each is learned in a process of its own, at ε = 1 and δ = 10⁻⁹, from made-up records.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers.drivers.exchange import held_bytes
from benchmarks.size import Size
from understudy.evaluation.comparison import distances
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.buckets import ByGroups, EachValue, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

_BUDGET = Budget(1.0, 1e-9)
_FEW = (3, 5, 8, 2, 12)
_WIDE = (*np.random.default_rng(0).integers(2, 12, 55).tolist(), 80, 100, 40, 30, 60)
_KINDS = 6
_DRAWN = 50_000
_LONG, _BUCKETS = 25, 10


@dataclass(frozen=True)
class Taken:
    """What one table took.

    Attributes:
        name: which.
        records, columns: its size.
        seconds: of processor time.
        gigabytes: the most memory that the process held, the table with it.
        tables: how many tables of counts were asked for.
        pair: total variation of a typical pair, of records drawn to those learned from.
    """

    name: str
    records: int
    columns: int
    seconds: float
    gigabytes: float
    tables: int
    pair: float


def few(records: int) -> Records:
    """Five columns."""
    return _by_kinds(records, _FEW)


def wide(records: int) -> Records:
    """Sixty columns."""
    return _by_kinds(records, _WIDE)


def thousand(records: int) -> Records:
    """Five columns, one of a thousand categories."""
    return _by_kinds(records, (*_FEW[:-1], 1_000))


def determined(records: int) -> Records:
    """A column of one value among three, and one that another determines."""
    codes = _by_kinds(records, _FEW).codes.copy()
    codes[:, 0] = 2
    codes[:, 1] = codes[:, 4] % 5
    return Records(_schema(_FEW), codes)


def people(records: int) -> Records:
    """The simulated census."""
    return Records(census.schema(), census.simulate(records, 3))


TABLES: tuple[tuple[str, Callable[[int], Records], int], ...] = (
    ("5 columns", few, 20_000),
    ("5 columns, few records", few, 300),
    ("1,000 categories", thousand, 20_000),
    ("constant and determined", determined, 20_000),
    ("60 columns", wide, 100_000),
    ("census", people, 50_000),
    ("census", people, 500_000),
    ("census", people, 5_000_000),
)
"""What is measured: the name, what makes it, and how many records."""
_EVERY = range(len(TABLES))
_CHOSEN: Mapping[Size, Sequence[int]] = {"full": _EVERY, "quick": _EVERY, "tiny": (1, 3)}
_SHARES: Mapping[Size, int] = {"full": 1, "quick": 10, "tiny": 10}


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Learn every table, or one of a tenth of the records, or only the two smallest of these."""
    apart = multiprocessing.get_context("spawn")
    found = []
    for place in _CHOSEN[size]:
        with ProcessPoolExecutor(1, mp_context=apart) as process:
            many = max(30, TABLES[place][2] // _SHARES[size])
            found.append(asdict(process.submit(_taken, place, many).result()))
    return {"tables": found}


def _taken(place: int, many: int) -> Taken:
    name, made, _ = TABLES[place]
    records = made(many)
    source = RandomSource.fixed(1)
    begun = time.process_time()
    learner = CalibratedLearner.within(records.schema, _BUDGET)
    learned = learner.learn(records, Noise(source), source.child())
    seconds = time.process_time() - begun
    most = held_bytes() / 1e9
    drawn = np.ascontiguousarray(learned.network.records(_DRAWN, source).T)
    some = records.take(np.arange(min(_DRAWN, many)))
    pair = distances(Records(records.schema, drawn), some).typical_pair
    size = len(learned.measured)
    return Taken(name, many, len(records.schema), seconds, most, size, pair)


def _by_kinds(records: int, sizes: tuple[int, ...]) -> Records:
    """Columns that are independent of one another among the records of one kind of six."""
    random = np.random.default_rng(7)
    kind = random.integers(0, _KINDS, records)
    columns: list[npt.NDArray[np.int64]] = []
    for size in sizes:
        law = random.dirichlet(np.full(size, 0.5), _KINDS).cumsum(axis=1)
        shares = random.random(records)
        column = np.empty(records, dtype=np.int64)
        for each in range(_KINDS):
            column[kind == each] = np.searchsorted(law[each], shares[kind == each])
        columns.append(np.minimum(column, size - 1))
    return Records(_schema(sizes), np.stack(columns, axis=1).astype(np.uint16))


def _schema(sizes: tuple[int, ...]) -> Schema:
    return Schema(columns=tuple(_column(place, size) for place, size in enumerate(sizes)))


def _column(place: int, size: int) -> Column:
    """Of categories; a long one has ten buckets."""
    values = tuple(f"v{value}" for value in range(size))
    domain = Categories(kind="categories", values=values)
    if size <= _LONG:
        return Column(name=f"c{place}", domain=domain, buckets=EachValue(kind="each"))
    parts = np.array_split(np.array(values), _BUCKETS)
    groups = tuple(
        Group(label=f"b{number}", values=tuple(part.tolist())) for number, part in enumerate(parts)
    )
    return Column(name=f"c{place}", domain=domain, buckets=ByGroups(kind="groups", groups=groups))


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| table | records | columns | tables counted | seconds | GB | typical pair |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['name']} | {row['records']:,} | {row['columns']} | {row['tables']:,} "
        f"| {row['seconds']:.1f} | {row['gigabytes']:.2f} | {row['pair']:.3f} |"
        for row in figures["tables"]
    ]
    return "\n".join(lines)
