"""Released figures: the parameters of the models, and what several tables say together.

Of each table, an estimate q and its variance u as if the rows were records; over the l tables, the
mean q̄, the variance b between them and the mean ū within. Rubin-type rules take u and b for the
scatter of a posterior: fully synthetic tables have T = (1 + 1/l)·b − ū (Raghunathan, Reiter and
Rubin 2003), others T = ū + b/l (Raab, Nowok and Dibben 2016). Chosen parameters are draws from a
privacy density, of which neither is true, so that no interval has the level that it names. Shown is
how far the choice itself scatters: q̄ ± t·√((1 + 1/l)·b), with l − 1 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.special import stdtrit

from understudy.mechanisms.pmse.model_search import ChosenModel
from understudy.mechanisms.pmse.units import RegressionUnit
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.records import Records
from understudy.table.schema import Schema

CONFIDENCE: Final = 0.95
NOTE: Final = (
    "Means and shares of the tables together. Intervals show how far the choice of the models "
    "scatters, at the level named, if it were normal. They are no confidence intervals for the "
    "records or for people: models are chosen by a law made for privacy, and not drawn from a "
    "posterior, so that the published combining rules, for which “between” and “within” are given, "
    "are not calibrated either. What all models describe wrongly is wrong in all tables."
)
_DIGITS: Final = 6


@dataclass(frozen=True)
class Estimate:
    """One table's.

    Attributes:
        value: q.
        variance: u, as if the rows were records.
    """

    value: float
    variance: float


@dataclass(frozen=True)
class Combined:
    """That of several tables.

    Attributes:
        value: q̄.
        between: b.
        within: ū.
        low, high: see the module.
    """

    value: float
    between: float
    within: float
    low: float
    high: float


def combine_estimates(estimates: Sequence[Estimate]) -> Combined:
    """Combine the estimates of two tables or more."""
    count = len(estimates)
    values = np.array([each.value for each in estimates])
    value, between = float(values.mean()), float(values.var(ddof=1))
    reach = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
    reach *= math.sqrt((1 + 1 / count) * between)
    within = float(np.mean([each.variance for each in estimates]))
    return Combined(value, between, within, value - reach, value + reach)


def combine_tables(schema: Schema, tables: Iterable[Iterable[Records]]) -> dict[str, Any]:
    """Return one object, with the mean of every column of numbers and the shares of every other.

    Args:
        schema: the columns.
        tables: each in pieces; two or more.
    """
    every = [_estimates(schema, table) for table in tables]
    found: list[dict[str, Any]] = []
    start = 0
    for column in schema.columns:
        size = 1 if column.ordered else column.cardinality
        parts = [
            combine_estimates([each[at] for each in every]) for at in range(start, start + size)
        ]
        start += size
        if column.ordered:
            found.append({"column": column.name, "mean": _state_estimate(parts[0])})
        else:
            texts = zip(column.texts, parts, strict=True)
            shares = [{"is": text, **_state_estimate(part)} for text, part in texts]
            found.append({"column": column.name, "shares": shares})
    return {"confidence": CONFIDENCE, "note": NOTE, "tables": len(every), "of": found}


def _estimates(schema: Schema, pieces: Iterable[Records]) -> list[Estimate]:
    rows, sums, squares = 0, np.zeros(0), np.zeros(0)
    for piece in pieces:
        values = np.column_stack(list(_values(schema, piece)))
        rows += len(values)
        sums = sums + values.sum(axis=0) if sums.size else values.sum(axis=0)
        square = np.square(values).sum(axis=0)
        squares = squares + square if squares.size else square
    means = sums / rows
    spread = np.maximum(squares / rows - np.square(means), 0.0) / max(1, rows - 1)
    return [Estimate(*each) for each in zip(means.tolist(), spread.tolist(), strict=True)]


def _values(schema: Schema, piece: Records) -> Iterator[np.ndarray]:
    """Return the numbers of each column of numbers; of any other, a 0 or 1 for every value."""
    measured = iter([] if piece.numbers is None else piece.numbers.T)
    for place, column in enumerate(schema.columns):
        codes = piece.codes[:, place].astype(np.int64)
        if column.measured:
            yield next(measured)
        elif column.ordered:
            yield _numbers(column, codes)
        else:
            yield np.eye(column.cardinality)[codes]


def _numbers(column: Column, codes: np.ndarray) -> np.ndarray:
    grid = range_of(column.domain)
    return np.asarray(float(grid.minimum) + codes * float(grid.width))


def _state_estimate(of: Combined) -> dict[str, float]:
    figures = {
        "estimate": of.value,
        "low": of.low,
        "high": of.high,
        "between": of.between,
        "within": of.within,
    }
    return {name: float(f"{each:.{_DIGITS}g}") for name, each in figures.items()}


def list_parameters(
    units: Sequence[RegressionUnit],
    models: Sequence[ChosenModel],
    schema: Schema,
    logarithmic: Sequence[str],
) -> dict[str, Any]:
    """Return one object: what the model is, and the parameters of each.

    Middle and spread are shares of the column's range, on its line where that is logarithmic.
    """
    return {
        "model": "a sequence of regressions; see docs/pmse.md",
        "logarithmic": list(logarithmic),
        "models": [_model(units, each, schema) for each in models],
    }


def _model(
    units: Sequence[RegressionUnit], model: ChosenModel, schema: Schema
) -> list[dict[str, Any]]:
    found, start = [], 0
    for turn, unit in enumerate(units):
        values = model.parameters[start : start + unit.size].tolist()
        start += unit.size
        own = (
            {"middle": values[0], "spread": float(np.exp(values[1])), "follows": values[2:]}
            if unit.value is None
            else {
                "value": schema.columns[unit.column].texts[unit.value],
                "log_odds": values[0],
                "follows": values[1:],
            }
        )
        mean, deviation = model.moments[turn].tolist()
        found.append(
            {
                "column": schema.columns[unit.column].name,
                **own,
                "on": list(unit.after),
                "mean": mean,
                "deviation": deviation,
            }
        )
    return found
