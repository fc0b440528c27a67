"""How near the months, the years and the weekdays of released dates are, beside other reals.

python -m benchmarks dates

A made-up table of two columns of dates and six others. The dates of one column follow a smooth
trend with seasons and weekdays; of those of the other nearly half are in twelve months and on
working days, and one in seven on the first of January. The calibrated model learns the table with
the dates in cells of a year, of a month or of a day, by themselves or with longer periods as levels
above them. Each figure is a mean over seeds of how far off the months (years, weekdays) of as many
drawn dates are from those that the model learned from, in total variation, as a multiple of how far
off those of other real records are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.peers.drivers.exchange import Stopwatch
from benchmarks.peers.ours import drawn
from benchmarks.size import Size
from understudy.core.arrays import FloatArray, IntArray
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.runs.table_file import WithinCells
from understudy.table.buckets import ByCuts
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.levels import calendar_levels
from understudy.table.records import Records
from understudy.table.schema import Schema

DELTA: Final = 1e-9
LONG, SHORT = 30_000, 9_500
"""Days of a column."""
_FIRST: Final = (date(1924, 1, 1).toordinal(), date(1944, 1, 1).toordinal())
_OTHERS: Final = (2, 12, 5, 10, 8, 6)
_WEEK: Final = (105, 108, 106, 105, 102, 88, 86)
"""How often weekdays occur, as everybody knows."""
_WAVES: Final = 12
_ERAS: Final = 8
"""Spans of the dates, each of which has other values in the other columns."""
COLUMNS: Final = ("smooth", "lumpy")
MARGINS: Final = ("months", "years", "weekdays")

_RECORDS: Final[Mapping[Size, int]] = {"full": 100_000, "quick": 100_000, "tiny": 2_000}
_SEEDS: Final[Mapping[Size, int]] = {"full": 3, "quick": 1, "tiny": 1}
_EPSILONS: Final[Mapping[Size, Sequence[float]]] = {
    "full": (0.1, 1.0, 10.0), "quick": (1.0,), "tiny": (1.0,),
}  # fmt: skip


@dataclass(frozen=True)
class Way:
    """How the dates are declared.

    Attributes:
        days: how many there are from the first to the last.
        step: the period that is a cell.
        buckets: the periods that are buckets, as a page offers them.
        levels: whether longer periods stand above the buckets.
        weekdays: whether the pattern of weekdays is declared.
    """

    days: int
    step: str
    buckets: str
    levels: bool = False
    weekdays: bool = False

    @property
    def title(self) -> str:
        """What it is called in the table."""
        levels = ", levels" if self.levels else ""
        return f"{self.step}{levels}{', weekdays' if self.weekdays else ''}"


WAYS: Final = (
    Way(LONG, "year", "Decades"),
    Way(LONG, "month", "Years"),
    Way(LONG, "month", "Years", levels=True),
    Way(LONG, "month", "Years", levels=True, weekdays=True),
    Way(SHORT, "day", "Months"),
    Way(SHORT, "day", "Months", levels=True),
    Way(SHORT, "day", "Months", levels=True, weekdays=True),
)


@dataclass(frozen=True)
class Nearness:
    """How near one way comes, of one column.

    Attributes:
        days, way, epsilon, column: which.
        counted: through how many values the column was counted at last, at the finest level.
        off: by margin, as a multiple of how far off other reals are.
        apart: the same as shares: total variation to the records learned from.
        held_out: by margin, total variation to other reals, as a multiple of that between reals.
    """

    days: int
    way: str
    epsilon: float
    column: str
    counted: int
    off: tuple[float, ...]
    apart: tuple[float, ...]
    held_out: tuple[float, ...]


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Learn the table in every way of declaring its dates."""
    ways = WAYS[2:3] if size == "tiny" else WAYS
    found = [
        asdict(each)
        for way in ways
        for epsilon in _EPSILONS[size]
        for each in nearness(way, epsilon, _RECORDS[size], _SEEDS[size])
    ]
    return {"records": _RECORDS[size], "seeds": _SEEDS[size], "rows": found}


def nearness(way: Way, epsilon: float, records: int, seeds: int) -> list[Nearness]:
    """Learn with several seeds; one line for each column of dates."""
    columns = schema(way)
    real, other, third = (simulate(way.days, records, seed) for seed in range(3))
    learned = Records(columns, _encode(columns, real))
    made, counted = [], (0, 0)
    for seed in range(seeds):
        source = RandomSource.fixed(seed)
        learner = CalibratedLearner.within(columns, Budget(epsilon, DELTA))
        model = learner.learn(learned, Noise(source), source.child())
        codes = drawn(model.network, records, source, Stopwatch()).codes
        numbers = WithinCells(columns, Secret.fixed(seed)).records(codes, 0).numbers
        assert numbers is not None
        made.append(numbers.T.astype(np.int64))
        counted = tuple(len(model.measured[place].counts) for place in range(2))
    lines = []
    for place, name in enumerate(COLUMNS):
        of_real, of_other, of_third = (margins(each[place]) for each in (real, other, third))
        of_made = [margins(each[place]) for each in made]
        apart = [[total(each, own) for each, own in zip(one, of_real, strict=True)]
                 for one in of_made]  # fmt: skip
        away = [[total(each, own) for each, own in zip(one, of_other, strict=True)]
                for one in of_made]  # fmt: skip
        reals = [total(*each) for each in zip(of_real, of_other, strict=True)]
        others = [total(*each) for each in zip(of_third, of_other, strict=True)]
        mean, mean_away = np.mean(apart, axis=0), np.mean(away, axis=0)
        lines.append(
            Nearness(
                way.days,
                way.title,
                epsilon,
                name,
                counted[place],
                tuple((mean / reals).tolist()),
                tuple(mean.tolist()),
                tuple((mean_away / others).tolist()),
            )
        )
    return lines


def schema(way: Way) -> Schema:
    """Return the columns, the dates declared in this way."""
    others = (
        Column(name=f"of {size}", domain=Categories(values=tuple(map(str, range(size)))))
        for size in _OTHERS
    )
    pairs = zip(COLUMNS, _FIRST, strict=True)
    return Schema(columns=(*(_dates(name, first, way) for name, first in pairs), *others))


def _dates(name: str, first: int, way: Way) -> Column:
    domain = Dates(
        minimum=Decimal(first),
        maximum=Decimal(first + way.days - 1),
        step=way.step,
        weekdays=_WEEK if way.weekdays else (),
    )
    buckets = ByCuts(cuts=domain.cut_presets()[way.buckets])
    levels = calendar_levels(domain, buckets) if way.levels else ()
    return Column(name=name, domain=domain, buckets=buckets, levels=levels)


def simulate(days: int, records: int, seed: int) -> list[IntArray]:
    """Return the columns of some made-up records; of the dates the days."""
    random = np.random.default_rng([days, seed])
    dates = [random.choice(days, records, p=law(name, days)) for name in COLUMNS]
    columns = [each + first for each, first in zip(dates, _FIRST, strict=True)]
    eras = [each * _ERAS // days for each in dates]
    effects = np.random.default_rng(1)
    for place, size in enumerate(_OTHERS):
        logits = effects.normal(0, 0.7, size) + effects.normal(0, 0.5, (_ERAS, size))[eras[0]]
        logits = logits + effects.normal(0, 0.4, (_ERAS, size))[eras[1]]
        if place:
            logits = logits + effects.normal(0, 0.5, (_OTHERS[place - 1], size))[columns[-1]]
        shares = np.exp(logits)
        reached = (shares / shares.sum(axis=1, keepdims=True)).cumsum(axis=1)
        column = (random.random(records)[:, None] > reached).sum(axis=1)
        columns.append(np.minimum(column, size - 1))
    return columns


def law(name: str, days: int) -> FloatArray:
    """Return how often each day occurs in a column of dates."""
    first = _FIRST[COLUMNS.index(name)]
    months, _, weekday = _calendar(np.arange(first, first + days))
    time = np.linspace(0, 1, days)
    trend = 1 + 0.6 * np.sin(2 * np.pi * (1.3 * time + 0.1))
    trend += 0.5 * np.exp(-(((time - 0.45) / 0.08) ** 2))
    season = 1 + 0.12 * np.cos(2 * np.pi * (months % 12 - 8) / 12)
    smooth = trend * season * np.array(_WEEK)[weekday]
    smooth /= smooth.sum()
    if name == "smooth":
        return np.asarray(smooth)
    random = np.random.default_rng(77)
    every = np.unique(months)
    found = 0.4 * smooth
    waves = random.choice(every[len(every) // 3 :], _WAVES, replace=False)
    for month, share in zip(waves, random.dirichlet(np.full(_WAVES, 2.0)) * 0.45, strict=True):
        inside = (months == month) & (weekday < 5)
        found[inside] += share / inside.sum()
    begins = np.flatnonzero((np.diff(months, prepend=months[0]) > 0) & (months % 12 == 0))
    found[begins] += 0.15 / len(begins)
    return np.asarray(found / found.sum())


def _calendar(days: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the month and the year of each day, counted from 1970, and its weekday."""
    since = (days - date(1970, 1, 1).toordinal()).astype("datetime64[D]")
    months = since.astype("datetime64[M]").astype(np.int64)
    return months, months // 12, (days - 1) % 7


def margins(days: IntArray) -> list[Mapping[int, float]]:
    """Return the shares of the months, the years and the weekdays of some days."""
    found = []
    for values in _calendar(days):
        which, counts = np.unique(values, return_counts=True)
        shares = counts / len(days)
        found.append(dict(zip(which.tolist(), shares.tolist(), strict=True)))
    return found


def total(one: Mapping[int, float], other: Mapping[int, float]) -> float:
    """Return the total variation between two distributions."""
    every = {*one, *other}
    return sum(abs(one.get(each, 0.0) - other.get(each, 0.0)) for each in every) / 2


def _encode(columns: Schema, values: Sequence[IntArray]) -> npt.NDArray[np.uint16]:
    """Return the codes of some records."""
    codes = list(values)
    for place in columns.measured_places:
        ranged = columns.columns[place].domain.ranged
        assert ranged is not None
        lattice = ranged.lattice
        codes[place] = lattice.cells_of(lattice.places(values[place].astype(np.float64)))
    return np.stack(codes, axis=1).astype(np.uint16)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a Markdown table."""
    heading = " | ".join(MARGINS)
    lines = [
        f"| days | cells | ε | dates | counted as | {heading} |",
        "|---:|---|---:|---|---:|" + "---:|" * len(MARGINS),
    ]
    for row in figures["rows"]:
        off = " | ".join(f"{each:.2f}" for each in row["off"])
        lines.append(
            f"| {row['days']:,} | {row['way']} | {row['epsilon']:g} | {row['column']} "
            f"| {row['counted']:,} | {off} |"
        )
    return "\n".join(lines)
