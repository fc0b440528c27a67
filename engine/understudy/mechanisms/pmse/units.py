"""The search for a model: a scale for each column, and records that stand for a model's.

A column of numbers is one *unit*: a normal regression on the units before it, mirrored back at its
bounds. A column of c categories is c − 1 units: is it the first, if not is it the second, and so
on, each a logistic regression. Units before it enter as they stand on their lines, or as 0 and 1,
less their mean and divided by their standard deviation.

Parameters of numbers are the middle m and the spread s on the line, s by its logarithm, and for
every unit before it the part of the spread that follows it, from −1 to 1; of a step between
categories, the log odds, and what each unit before it adds to them. All of them have bounds that no
record has a say in, and the prior is even between them.

A number stands on the line by its place between its bounds, or by the logarithm of its distance
from the lower one where the plan says so: y = ln(1 + BEND·x)/ln(1 + BEND), x being the place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.domain import lattice_of, range_of
from understudy.table.schema import Schema

BEND: Final = 99.0


@dataclass(frozen=True)
class Line:
    """The numbers of a column.

    Attributes:
        places: how many numbers there are.
        per_code: how many of them stand for one code; the last code may have others.
        codes: how many codes there are.
        bent: whether a number stands by its logarithm.
    """

    places: int
    per_code: int
    codes: int
    bent: bool = False

    @classmethod
    def of(cls, column: Column, *, bent: bool) -> Line:
        """Return that of a column whose values are numbers."""
        lattice = lattice_of(column.domain)
        return cls(lattice.count, lattice.per_cell, lattice.cells, bent)

    def places_of(self, y: FloatArray) -> IntArray:
        """Return the number nearest to each point of the line, as its place."""
        found = self._along(y) * self.places
        return np.minimum(found.astype(np.int64), self.places - 1)

    def codes_of(self, y: FloatArray) -> IntArray:
        """Return the code of that number."""
        found = self._along(y)
        found *= self.places / self.per_code
        return np.minimum(found.astype(np.int64), self.codes - 1)

    def middles(self) -> FloatArray:
        """Return (codes,) the point in the middle of each code."""
        x = (np.arange(self.codes) + 0.5) * self.per_code / self.places
        x = np.minimum(x, 1.0)
        return np.log1p(BEND * x) / math.log1p(BEND) if self.bent else x

    def along(self, place: float) -> float:
        """Return where a number stands, by its place, which may lie between two."""
        x = min((place + 0.5) / self.places, 1.0)
        return math.log1p(BEND * x) / math.log1p(BEND) if self.bent else x

    def _along(self, y: FloatArray) -> FloatArray:
        """Return where points of the line stand between the bounds."""
        return np.expm1(y * math.log1p(BEND)) / BEND if self.bent else y.copy()


def mirror_points(y: FloatArray) -> FloatArray:
    """Return points beyond 0 and 1 mirrored back between them, as often as it takes."""
    folded = np.abs(y)
    if folded.size and folded.max() > 1:
        folded = np.mod(folded, 2.0)
        folded = 1.0 - np.abs(1.0 - folded)
    return folded


MOST_UNITS: Final = 60
MOST_VALUES: Final = 40
_FOLLOWS: Final = 0.95
_ODDS: Final = 5.0
_SLOPE: Final = 2.5
WIDEST: Final = 0.5
"""The largest spread, as a share of the range."""


@dataclass(frozen=True)
class Prior:
    """Where parameters may be, each evenly between bounds.

    Attributes:
        low, high: (d,) the bounds.
        reach: (d,) how far from what the records would say a parameter may be, for records made
            with it to lie mostly where the real ones are.
    """

    low: FloatArray
    high: FloatArray
    reach: FloatArray

    @property
    def nats(self) -> float:
        """How much wider it is than what would do, as a logarithm: ln(volume / volume in reach)."""
        return float(np.log(np.maximum(1.0, (self.high - self.low) / (2 * self.reach))).sum())

    def __add__(self, other: Prior) -> Prior:
        """Return the prior of the parameters of both."""
        pairs = ((self.low, other.low), (self.high, other.high), (self.reach, other.reach))
        return Prior(*(np.concatenate(pair) for pair in pairs))


@dataclass(frozen=True)
class RegressionUnit:
    """One regression.

    Attributes:
        column: its place in the schema.
        value: the code that it says yes or no to; None for a column of numbers.
        after: the places of the units that it is a regression on.
        last: whether a no leaves but one code.
        narrowest: the least spread, as a share of the range.
        middle: where the middle may be, on the line.
    """

    column: int
    value: int | None
    after: tuple[int, ...]
    last: bool = False
    narrowest: float = 0.01
    middle: tuple[float, float] = (0.0, 1.0)

    @property
    def size(self) -> int:
        """How many parameters it has."""
        return (2 if self.value is None else 1) + len(self.after)

    @property
    def prior(self) -> Prior:
        """Of its parameters, in their order."""
        before = len(self.after)
        if self.value is not None:
            bounds = [(-_ODDS, _ODDS, 1.0)] + [(-_SLOPE, _SLOPE, 1.0)] * before
        else:
            between = math.sqrt(self.narrowest * WIDEST)
            spread = (math.log(self.narrowest), math.log(WIDEST), math.log(2.0))
            bounds = [(*self.middle, between), spread] + [(-_FOLLOWS, _FOLLOWS, 0.5)] * before
        low, high, reach = np.array(bounds).T
        return Prior(low, high, reach)


def units_of(
    schema: Schema,
    order: Sequence[str],
    depends: int,
    *,
    narrowest: float,
    middles: Mapping[str, tuple[float, float]],
) -> tuple[RegressionUnit, ...]:
    """Return the regressions that make a record.

    Args:
        schema: the columns.
        order: their names, in the order in which they are made.
        depends: on how many columns before it each depends at most, the nearest in that order.
        narrowest: the least spread, as a share of the range.
        middles: where the middle of a column may be, on its line, by name.

    Raises:
        Refusal: there are too many values, or columns that cannot be modelled.
    """
    found: list[RegressionUnit] = []
    places: dict[str, tuple[int, ...]] = {}
    for turn, name in enumerate(order):
        column, at = schema.columns[schema.index(name)], schema.index(name)
        after = tuple(
            place for before in order[max(0, turn - depends) : turn] for place in places[before]
        )
        _check(schema, at)
        start = len(found)
        if not column.ordered:
            steps = column.cardinality - 1
            found += [
                RegressionUnit(at, value, after, value == steps - 1) for value in range(steps)
            ]
        else:
            middle = middles.get(name, (0.0, 1.0))
            found.append(RegressionUnit(at, None, after, narrowest=narrowest, middle=middle))
        places[name] = tuple(range(start, len(found)))
    if len(found) > MOST_UNITS:
        raise Refusal(
            f"The columns come to {len(found):,} regressions, one for each column of numbers and "
            "one less than its values for each of categories; each takes its share of ε, and "
            f"{MOST_UNITS} are the most that this method does.",
            "Leave columns out, group categories, or take the calibrated model of seedbased "
            "synthesis, which shares ε far better.",
            field="order",
        )
    return tuple(found)


def middles_of(
    schema: Schema, middles: Mapping[str, tuple[float, float]], bent: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Return where the middles of columns may be, on their lines.

    Args:
        schema: the columns.
        middles: the same in their own units.
        bent: those that stand by their logarithm.
    """
    found = {}
    for name, ends in middles.items():
        domain = range_of(schema.column(name).domain)
        line = Line.of(schema.column(name), bent=name in bent)
        start, apart = float(domain.minimum), float(domain.resolution)
        low, high = (line.along((each - start) / apart) for each in ends)
        found[name] = (low, high)
    return found


def lines_of(schema: Schema, bent: Sequence[str]) -> dict[int, Line]:
    """Return the lines of the columns of numbers, by their places."""
    return {
        place: Line.of(column, bent=column.name in bent)
        for place, column in enumerate(schema.columns)
        if column.ordered
    }


def _check(schema: Schema, place: int) -> None:
    column = schema.columns[place]
    if column.cardinality < 2:
        raise Refusal(
            f"Column “{column.name}” can hold one value only, so that there is nothing to model.",
            "Leave it out of the schema, and add it to the synthetic table afterwards.",
            field=column.name,
        )
    if column.ordered and not column.domain.numeric:
        raise Refusal(
            f"Column “{column.name}” holds {column.domain.words.plural}, and a regression takes "
            "plain numbers.",
            "Leave it out of the schema, or take the calibrated model of seedbased synthesis.",
            field=column.name,
        )
    if column.ordered and column.missing:
        raise Refusal(
            f"Numbers may be missing in column “{column.name}”, and a regression has no number for "
            "what is missing.",
            "Say in the schema that none is missing where that is so; or describe the column as "
            "categories, of which missing is one.",
            field=column.name,
        )
    if column.ordered:
        _ = lattice_of(column.domain)
    elif column.cardinality > MOST_VALUES:
        raise Refusal(
            f"Column “{column.name}” has {column.cardinality:,} categories; at most {MOST_VALUES} "
            "are modelled, one after the other.",
            "Group them in the schema, or take the calibrated model of seedbased synthesis.",
            field=column.name,
        )
