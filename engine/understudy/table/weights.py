"""Survey weights: what records weigh, and what the weights of a released table come to.

What released weights add up to is public, as the table is. With the public number that all weights
of the population add up to, it gives the factor for totals of the population.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.numerals import count
from understudy.table.column import ROLES, Column
from understudy.table.domain import range_of
from understudy.table.records import Records


def read_weights(records: Records, place: int) -> FloatArray:
    """Return how much each record weighs by a column of numbers; nothing where that is missing or
    below 0. Where only the cells of numbers are known, the middle of each counts."""
    column = records.schema.columns[place]
    ranged = range_of(column.domain)
    if column.measured and records.numbers is not None:
        numbers = records.numbers[:, records.schema.measured_places.index(place)]
    else:
        edges = ranged.edges
        middles = (edges[:-1] + edges[1:]) / 2
        by_code = middles if column.measured else np.array(ranged.numbers, dtype=np.float64)
        missing = np.full(column.cardinality - column.domain.size, np.nan)
        numbers = np.concatenate([by_code, missing])[records.codes[:, place]]
    return np.maximum(np.nan_to_num(numbers, nan=0.0), 0.0)


@dataclass(frozen=True)
class WeightTotal:
    """What the weights of a released table come to.

    Attributes:
        column: the survey weight.
        rows: how many rows there are.
        total: what their weights add up to.
    """

    column: Column
    rows: int
    total: float

    @property
    def factor(self) -> float | None:
        """By what a released weight is multiplied for totals of the population; None where no
        public number is declared, or nothing weighs anything."""
        if self.column.population is None or not self.total:
            return None
        return float(self.column.population) / self.total

    @property
    def sentence(self) -> str:
        """The total and the factor, for whoever works with the table."""
        said = (
            f"Column “{self.column.name}” is {ROLES['weight']}. In this table the weights of "
            f"{count(self.rows, 'row')} add up to {self.total:,.6g}; weighted shares and means are "
            "taken with them as they are."
        )
        if self.factor is None:
            return (
                f"{said} Totals of the population cannot be: no public number was declared that "
                "its weights add up to."
            )
        return (
            f"{said} Over the population they add up to {self.column.population:,f}, which is "
            f"public: for its totals multiply each weight by {self.factor:.8g}."
        )


def total_weights(records: Records) -> tuple[WeightTotal, ...]:
    """Return what each survey weight of a released table comes to."""
    return tuple(_total_of(records, records.schema.column(name)) for name in records.schema.weights)


def scale_weights(records: Records, column: Column) -> FloatArray:
    """Return what released records weigh, multiplied so that they add up to what those of the
    population do."""
    weights = read_weights(records, records.schema.index(column.name))
    return np.asarray(weights * (_total_of(records, column).factor or 0.0))


def _total_of(records: Records, column: Column) -> WeightTotal:
    # Added up exactly, the total is the same in any order and on any machine.
    weights = read_weights(records, records.schema.index(column.name))
    return WeightTotal(column, len(records), math.fsum(weights.tolist()))
