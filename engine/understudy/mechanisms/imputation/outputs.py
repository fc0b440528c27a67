"""Released tables, and intervals that their rows give.

Rows of M draws, s of each, from a posterior under a strong prior vary for three reasons: the
records are a sample of people, the parameter was drawn, and the rows were drawn from it. With
A = n + kα,

    E[share]  = θ(p) = (n·p + α)/A
    Var[share] = (n/A)²·p(1 − p)/n + θ(1 − θ)·(1/(M(A + 1)) + A/((A + 1)·M·s))

where the first is the sampling, exactly, and the rest is at θ(p), of which the mean over samples is
never more. The interval is all p that lie within z deviations: the roots of a quadratic (Wilson
1927 for the sampling alone). Rubin's rules for imputed tables leave out that the prior moves the
centre.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.parts import Histogram, Mean, Part, parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.outputs import Output
from understudy.mechanisms.statement import TABLE
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.records import Records
from understudy.table.schema import Schema


@dataclass(frozen=True)
class RowOrigin:
    """How rows came about.

    Attributes:
        records: n.
        draws: M, draws of the parameter; None where there was none, from the mode.
        rows: of each.
    """

    records: int
    draws: int | None
    rows: int

    @property
    def total(self) -> int:
        """All rows."""
        return (self.draws or 1) * self.rows


@dataclass(frozen=True)
class ReleasedInterval:
    """An estimate with an interval around it."""

    estimate: float
    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Return whether a value lies in it."""
        return self.low <= value <= self.high


def people_share(
    found: float, cells: int, alpha: float, rows: RowOrigin, confidence: float
) -> ReleasedInterval:
    """Return the share of a cell among people, from its share of the rows.

    Args:
        found: the share of all rows.
        cells: k.
        alpha: of the prior, less 1 where rows are from the mode.
        rows: how they came about.
        confidence: such as 0.95.
    """
    n, total = rows.records, rows.records + cells * alpha
    slope, start = n / total, alpha / total
    between = 0.0 if rows.draws is None else 1 / (rows.draws * (total + 1))
    within = (1 if rows.draws is None else total / (total + 1)) / rows.total
    z2 = _z(confidence) ** 2
    sampling, drawn = slope**2 / n, between + within
    # (found − θ)² ≤ z²·(sampling·p(1−p) + drawn·θ(1−θ)), θ = start + slope·p.
    square = slope**2 + z2 * (sampling + drawn * slope**2)
    line = -2 * slope * (found - start) - z2 * (sampling + drawn * slope * (1 - 2 * start))
    rest = (found - start) ** 2 - z2 * drawn * start * (1 - start)
    root = math.sqrt(max(line * line - 4 * square * rest, 0.0))
    low, high = (-line - root) / (2 * square), (-line + root) / (2 * square)
    centre = min(max((found - start) / slope, 0.0), 1.0)
    return ReleasedInterval(centre, min(max(low, 0.0), centre), max(min(high, 1.0), centre))


def _mean(found: float, weight: float, variance: float, confidence: float) -> ReleasedInterval:
    """Return the mean among people, from that of the rows, both from the middle of the bounds.

    Args:
        found: of the rows.
        weight: w, what the records weigh in the posterior; above 0.
        variance: of `found`, sampling included.
        confidence: such as 0.95.
    """
    reach = _z(confidence) * math.sqrt(variance) / weight
    return ReleasedInterval(found / weight, found / weight - reach, found / weight + reach)


def naive(found: float, rows: int, confidence: float) -> ReleasedInterval:
    """Return the interval as if the rows were records."""
    reach = _z(confidence) * math.sqrt(max(found * (1 - found), 0.0) / rows)
    return ReleasedInterval(found, found - reach, found + reach)


def partly_synthetic(shares: FloatArray, rows: int, confidence: float) -> ReleasedInterval:
    """Return the interval by Reiter's rule (2003) for partly synthetic tables: T = ū + b/M."""
    centre, between, inside = _moments(shares, rows)
    return _interval(centre, inside + between / len(shares), confidence, len(shares), inside)


def fully_synthetic(shares: FloatArray, rows: int, confidence: float) -> ReleasedInterval:
    """Return the rule of Raghunathan, Reiter and Rubin (2003) for fully synthetic tables:
    T = (1 + 1/M)·b − ū, and ū instead where that is not above 0."""
    centre, between, inside = _moments(shares, rows)
    whole = (1 + 1 / len(shares)) * between - inside
    return _interval(centre, whole if whole > 0 else inside, confidence, len(shares), inside)


def _moments(shares: FloatArray, rows: int) -> tuple[float, float, float]:
    centre = float(shares.mean())
    between = float(shares.var(ddof=1)) if len(shares) > 1 else 0.0
    return centre, between, float((shares * (1 - shares)).mean() / rows)


def _interval(
    centre: float, variance: float, confidence: float, tables: int, inside: float
) -> ReleasedInterval:
    spread = max(variance - inside, 0.0)
    freedom = (tables - 1) * (1 + inside / spread) ** 2 if spread > 0 else math.inf
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    reach = quantile * math.sqrt(max(variance, 0.0))
    return ReleasedInterval(centre, centre - reach, centre + reach)


def _z(confidence: float) -> float:
    return float(ndtri((1 + confidence) / 2))


CONFIDENCE: Final = 0.95
NOTE: Final = (
    "Intervals for the people that the records are a random sample of, each by itself. They know "
    "what the prior moves and what was drawn; those for means take σ to be right."
)
_DIGITS = 6


def _rows_of(plan: ImputationPlan) -> RowOrigin:
    """Return how the rows of a plan come about."""
    if plan.release == "rows-from-mode":
        return RowOrigin(plan.used_records, None, plan.rows)
    drawn = Drawing.of(plan).drawn
    return RowOrigin(plan.used_records, drawn.times, drawn.rows or 1)


def of_shares(
    plan: ImputationPlan, part: Histogram, counted: IntArray, columns: Sequence[Column]
) -> dict[str, Any]:
    """Return an interval for each cell of a histogram.

    Args:
        plan: what was decided.
        part: the histogram, which depends on nothing.
        counted: (cells,) rows in each cell, of all tables.
        columns: of the histogram.
    """
    alpha = float(part.alpha) - (plan.release == "rows-from-mode")
    rows, total = _rows_of(plan), int(counted.sum())
    found = []
    for cell, count in enumerate(counted.tolist()):
        made = people_share(count / total, part.count, alpha, rows, CONFIDENCE)
        found.append({"is": _texts(cell, part, columns), **_state_interval(made)})
    return {"columns": [each.name for each in columns], "shares": found}


def _texts(cell: int, part: Histogram, columns: Sequence[Column]) -> list[str]:
    texts = []
    for column, size in zip(reversed(columns), reversed(part.sizes), strict=True):
        texts.append(column.texts[cell % size])
        cell //= size
    return texts[::-1]


def of_mean(plan: ImputationPlan, part: Mean, places: IntArray, name: str) -> dict[str, Any]:
    """Return an interval for the mean of a column.

    Args:
        plan: what was decided.
        part: the column.
        places: (rows,) of all tables.
        name: of the column.
    """
    found = float(places.mean()) - part.steps / 2
    unit, middle = float(part.step), float(part.minimum) + part.steps / 2 * float(part.step)
    made = _correct_interval(plan, part, interval(plan, part, found))
    scaled = ReleasedInterval(
        *(middle + unit * each for each in (made.estimate, made.low, made.high))
    )
    return {"column": name, "mean": _state_interval(scaled)}


def interval(plan: ImputationPlan, part: Mean, found: float) -> ReleasedInterval:
    """Return the mean among people, in steps from the middle, from that of rows that met no
    bound."""
    rows, model = _rows_of(plan), part.model
    sampling = model.weight**2 * model.sigma**2 / part.records
    between = 0.0 if rows.draws is None else model.deviation**2 / rows.draws
    # The rounding of every row to a step.
    within = (model.sigma**2 + 1 / 12) / rows.total
    return _mean(found, model.weight, sampling + between + within, CONFIDENCE)


def _correct_interval(plan: ImputationPlan, part: Mean, made: ReleasedInterval) -> ReleasedInterval:
    """Return an interval for the mean, from one for the mean of numbers that were moved to the
    bounds, or drawn until they lay within."""
    model = part.model
    deviation = model.sigma
    if plan.release == "rows-from-own-draws":
        deviation = math.hypot(deviation, model.deviation)
    inside = plan.conditioned and plan.release in ("rows-from-mode", "rows-from-own-draws")

    def move_centre(centre: float) -> float:
        low, high = (-model.radius - centre) / deviation, (model.radius - centre) / deviation
        below, above = float(ndtr(low)), float(ndtr(-high))
        held = centre * (1 - below - above) + deviation * (_bell(low) - _bell(high))
        if inside:
            return held / (1 - below - above)
        return held + model.radius * (above - below)

    def back(value: float) -> float:
        """Return, from a mean of people, through that of rows, to the mean that such rows are drawn
        of."""
        aim, reach = value * model.weight, 2 * model.radius
        if move_centre(-reach) >= aim or move_centre(reach) <= aim:
            return math.copysign(model.radius, value)
        centre = float(
            brentq(lambda at: move_centre(at) - aim, -reach, reach, xtol=1e-9 * model.radius)
        )
        return min(max(centre / model.weight, -model.radius), model.radius)

    return ReleasedInterval(back(made.estimate), back(made.low), back(made.high))


def _bell(at: float) -> float:
    return math.exp(-at * at / 2) / math.sqrt(2 * math.pi)


def _state_interval(made: ReleasedInterval) -> dict[str, float]:
    return {
        "estimate": float(f"{made.estimate:.{_DIGITS}g}"),
        "low": float(f"{made.low:.{_DIGITS}g}"),
        "high": float(f"{made.high:.{_DIGITS}g}"),
    }


PARAMETERS: Final = "parameters"
ROWS: Final = "rows"
INFERENCE: Final = "inference"


def table_names(plan: ImputationPlan) -> tuple[str, ...]:
    """Return the names of the tables."""
    return (TABLE, *(f"{TABLE}-{number}" for number in range(2, plan.copies + 1)))


@dataclass(frozen=True)
class ReleasedOutputs:
    """The outputs of a plan.

    Attributes:
        plan: what was decided.
        whole: the schema of the confidential table.
        parts: of the plan.
    """

    plan: ImputationPlan
    whole: Schema
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, plan: ImputationPlan, schema: Schema) -> ReleasedOutputs:
        """Return the outputs of a plan.

        Raises:
            Refusal: the plan does not fit the schema.
        """
        return cls(plan, schema, parts(plan, schema))

    @cached_property
    def columns(self) -> list[int]:
        """The places of the released columns in the schema, rising."""
        names = self.plan.columns or self.whole.names
        return [place for place, name in enumerate(self.whole.names) if name in names]

    @cached_property
    def schema(self) -> Schema | None:
        """Of the tables; None where one column is released, which makes no table."""
        if len(self.columns) < 2:
            return None
        if len(self.columns) == len(self.whole):
            return self.whole
        return self.whole.with_columns([self.whole.columns[place] for place in self.columns])

    def outputs(self) -> tuple[Output, ...]:
        """Return each of them."""
        if not self.plan.copies:
            return (Output(PARAMETERS, "figures", "Shares and means."),)
        inference = Output(INFERENCE, "figures", "What the rows say of people in general.")
        if self.schema is None:
            return (Output(ROWS, "figures", "The rows, of one column."), inference)
        tables = (
            Output(
                name,
                "table",
                "Rows drawn from the model.",
                self.schema,
                self.plan.rows,
                own_numbers=True,
            )
            for name in table_names(self.plan)
        )
        return (*tables, inference)

    def content(self, places: IntArray) -> CodeArray | Records:
        """Return rows as a table takes them."""
        assert self.schema is not None
        codes, numbers = places.copy(), []
        for column in self.schema.measured_places:
            domain = range_of(self.schema.columns[column].domain)
            codes[:, column] = domain.lattice.cells_of(places[:, column])
            numbers.append(domain.lattice.numbers(places[:, column]))
        if not numbers:
            return codes.astype(np.uint16)
        return Records(self.schema, codes.astype(np.uint16), np.column_stack(numbers))

    def texts(self, tables: Sequence[IntArray]) -> dict[str, Any]:
        """Return the rows of the only column."""
        column = self.whole.columns[self.columns[0]]
        if column.measured:
            ranged = range_of(column.domain)
            said = [ranged.spell_places(table[:, 0].tolist()) for table in tables]
        else:
            texts = column.texts
            said = [[texts[each] for each in table[:, 0].tolist()] for table in tables]
        return {"column": column.name, "tables": said}

    def inference(self, tables: Sequence[IntArray]) -> dict[str, Any]:
        """Return intervals for the shares and means of the population, from the released rows
        alone."""
        together = np.concatenate(tables)
        where = {place: number for number, place in enumerate(self.columns)}
        found = []
        for part in self.parts:
            if isinstance(part, Mean):
                found.append(of_mean(self.plan, part, together[:, where[part.column]],
                                               self.whole.names[part.column]))  # fmt: skip
            elif not part.given:
                found.append(
                    self._shares(part, together[:, [where[each] for each in part.columns]])
                )
        return {"confidence": CONFIDENCE, "note": NOTE, "of": found}

    def _shares(self, part: Histogram, rows: IntArray) -> dict[str, Any]:
        cells = np.zeros(len(rows), dtype=np.int64)
        for digit, size in zip(rows.T, part.sizes, strict=True):
            cells = cells * size + digit
        counted = np.bincount(cells, minlength=part.count)
        columns = [self.whole.columns[place] for place in part.columns]
        return of_shares(self.plan, part, counted, columns)
