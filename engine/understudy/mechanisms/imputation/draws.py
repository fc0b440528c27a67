"""Exact draws: of the lattice, from the urn, and of tables.

Rows from one draw of the parameter are a Pólya urn: each row is drawn with chances in proportion to
the posterior weights, after which its cell weighs one more. Rows each from a draw of its own are
drawn from the weights as they are. Weights are whole numbers of 1/q, so every chance is a quotient
of whole numbers, and what is drawn has exactly the law that the curves are computed for.

Means and rows of a Gaussian model are drawn as whole numbers of a fine public lattice.

The sum of whole steps over the records is a whole number, and so is the mean of the posterior in
units of 1/(2·(qn + P)·F) steps, where the prior counts for P/q records. Noise is discrete Gaussian
in these units (OpenDP, in exact integer arithmetic), F being such that every deviation is at least
2^30 of them. Only then is a number rounded to the steps of its column, which tells nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.accounting import FINE, Drawing
from understudy.mechanisms.imputation.parts import Histogram, Mean, Part
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.domain import range_of
from understudy.table.records import Records
from understudy.table.schema import Schema

_MOST = 1 << 60
_FAR = 40.0
"""So many deviations from its centre nothing is drawn, except for a chance below e^{−800}."""


@dataclass(frozen=True)
class ColumnLattice:
    """The lattice of a column, around the middle of its bounds.

    Attributes:
        part: the column and its model.
        per_step: U, units in one step of the column.
        per_sum: by how many units the centre moves where twice the sum moves by one.
    """

    part: Mean
    per_step: int
    per_sum: int

    @classmethod
    def of(cls, part: Mean) -> ColumnLattice:
        """Return the lattice of a part.

        Raises:
            Refusal: the numbers would not fit 64 bits.
        """
        ones, prior = part.prior.denominator, part.prior.numerator
        base = 2 * (ones * part.records + prior)
        finer = 1
        while part.model.deviation * base * finer < FINE and base * finer < _MOST:
            finer *= 2
        made = cls(part, base * finer, ones * finer)
        if part.steps * made.per_step + _FAR * (made.row + made.mean) >= _MOST:
            raise Refusal(
                "The values of a column are too many for its deviation and the number of records.",
                "Give it a coarser step, or a prior with fewer decimals.",
                field="deviations",
            )
        return made

    @property
    def mean(self) -> float:
        """The deviation of a draw of the mean, in units."""
        return self.part.model.deviation * self.per_step

    @property
    def row(self) -> float:
        """The deviation of a row around its mean, in units."""
        return self.part.deviation * self.per_step

    @property
    def own_row(self) -> float:
        """The deviation of a row from a draw of its own, in units."""
        return math.hypot(self.row, self.mean)

    def centre(self, total: int) -> int:
        """Return the mean of the posterior, from the sum of the places of all records.
        Confidential."""
        return self.per_sum * (2 * total - self.part.records * self.part.steps)

    def around(
        self, centres: IntArray, scale: float, noise: Noise, *, conditioned: bool
    ) -> IntArray:
        """Return numbers around each centre, where asked again and again until within the
        bounds."""
        found = noise.gaussians(centres, scale)
        while conditioned:
            outside = np.flatnonzero(2 * np.abs(found) > self.part.steps * self.per_step)
            if not outside.size:
                break
            found[outside] = noise.gaussians(centres[outside], scale)
        return found

    def places(self, numbers: IntArray) -> IntArray:
        """Return the nearest place of each number in its column, a half going up; the nearest bound
        for those beyond."""
        doubled = 2 * self.per_step
        found = (2 * numbers + self.per_step * (self.part.steps + 1)) // doubled
        return np.asarray(np.clip(found, 0, self.part.steps))

    def value(self, number: int) -> float:
        """Return a number in the unit of the column."""
        steps = number / self.per_step + self.part.steps / 2
        return float(self.part.minimum) + steps * float(self.part.step)


@dataclass(frozen=True, eq=False)
class Urn:
    """Posterior weights.

    Attributes:
        weights: (cells,) of each, in parts; at least one is above 0.
        one: how many parts one record weighs.
    """

    weights: IntArray
    one: int

    def rows(self, count: int, source: RandomSource, *, one_draw: bool) -> IntArray:
        """Return (count,) the cell of each row."""
        up_to = np.cumsum(self.weights)
        if not one_draw:
            return np.searchsorted(up_to, source.below(int(up_to[-1]), count), side="right")
        total = int(up_to[-1])
        parts = below(total + self.one * np.arange(count, dtype=np.int64), source)
        fresh = parts < total
        # A part beyond the first total belongs to an earlier row, whose cell is drawn again.
        before = np.where(fresh, np.arange(count), (parts - total) // self.one)
        while True:
            further = before[before]
            if np.array_equal(further, before):
                break
            before = further
        cells = np.searchsorted(up_to, np.where(fresh, parts, 0), side="right")
        return np.asarray(cells[before])


def below(bounds: IntArray, source: RandomSource) -> IntArray:
    """Return (n,) a whole number for each bound, exactly uniform over 0 … bound − 1."""
    sizes = bounds.astype(np.uint64)
    # 2^64 mod bound; words in the last, incomplete round are drawn again.
    over = (np.uint64(0) - sizes) % sizes
    words = source.words(len(sizes)).copy()
    again = np.flatnonzero(words > ~over)
    while again.size:
        words[again] = source.words(again.size)
        again = again[words[again] > ~over[again]]
    return (words % sizes).astype(np.int64)


RESOLUTION: Final = 100_000
"""A draw of shares is released as those of so many rows drawn from it."""


@dataclass(frozen=True)
class Sampler:
    """What is drawn, and with what.

    Attributes:
        plan: what was decided.
        parts: of the plan.
        source: for categories.
        noise: for numbers.
    """

    plan: ImputationPlan
    parts: Sequence[Part]
    source: RandomSource
    noise: Noise

    def tables(self, places: IntArray) -> Iterator[IntArray]:
        """Yield (rows, columns) places of every column of the schema, table after table; of a
        column that is not released, 0.

        Args:
            places: (n, columns) of the records that are used. Confidential.
        """
        posteriors = [self._posterior(part, places) for part in self.parts]
        for _ in range(self.plan.copies):
            table = np.zeros((self.plan.rows, places.shape[1]), dtype=np.int64)
            for part, found in zip(self.parts, posteriors, strict=True):
                if isinstance(part, Histogram):
                    self._categories(part, found, table)
                else:
                    table[:, part.column] = self._numbers(part, int(found))
            yield table

    def _posterior(self, part: Part, places: IntArray) -> Any:
        if isinstance(part, Histogram):
            return counts(part, places)
        return int(places[:, part.column].sum())

    def _categories(self, part: Histogram, found: IntArray, table: IntArray) -> None:
        """Fill in the columns of a histogram."""
        groups = _mix_digits(table[:, part.given], part.given_sizes)
        cells = np.zeros(len(table), dtype=np.int64)
        one_draw = Drawing.of(self.plan).drawn.rows != 1
        for group in np.unique(groups):
            rows = np.flatnonzero(groups == group)
            urn = self.urn(part, found[group])
            cells[rows] = urn.rows(len(rows), self.source, one_draw=one_draw)
        for place, digit in zip(part.columns, _apart(cells, part.sizes), strict=True):
            table[:, place] = digit

    def urn(self, part: Histogram, counted: IntArray) -> Urn:
        ones = part.alpha.denominator
        prior = part.alpha - (1 if self.plan.release == "rows-from-mode" else 0)
        return Urn(ones * counted + int(prior * ones), ones)

    def _numbers(self, part: Mean, total: int) -> IntArray:
        lattice, again = ColumnLattice.of(part), self.plan.conditioned
        centre = np.full(self.plan.rows, lattice.centre(total), dtype=np.int64)
        if self.plan.release in ("rows-from-mode", "rows-from-own-draws"):
            mode = self.plan.release == "rows-from-mode"
            scale = lattice.row if mode else lattice.own_row
            return lattice.places(lattice.around(centre, scale, self.noise, conditioned=again))
        drawn = lattice.around(centre[:1], lattice.mean, self.noise, conditioned=again)
        rows = np.full(self.plan.rows, drawn[0], dtype=np.int64)
        return lattice.places(lattice.around(rows, lattice.row, self.noise, conditioned=False))

    def parameters(self, places: IntArray, schema: Schema) -> list[dict[str, Any]]:
        """Return what is released of each part: shares of cells, or a mean."""
        return [self._parameter(part, self._posterior(part, places), schema) for part in self.parts]

    def _parameter(self, part: Part, found: Any, schema: Schema) -> dict[str, Any]:
        if isinstance(part, Mean):
            return {"column": schema.names[part.column], "mean": self._mean(part, found)}
        names = [schema.names[place] for place in part.columns]
        texts = [schema.columns[place].texts for place in part.columns]
        digits = _apart(np.arange(part.count), part.sizes)
        cells = [
            [text[int(each)] for text, each in zip(texts, cell, strict=True)]
            for cell in np.array(digits).T
        ]
        shares = [self._shares(part, group) for group in self._add_noise(part, found)]
        said: dict[str, Any] = {"columns": names, "cells": cells}
        if not part.given:
            return {**said, "shares": shares[0]}
        given = _apart(np.arange(part.groups), part.given_sizes)
        others = [
            [
                schema.columns[place].texts[int(each)]
                for place, each in zip(part.given, row, strict=True)
            ]
            for row in np.array(given).T
        ]
        return {
            **said,
            "given": [schema.names[place] for place in part.given],
            "groups": [{"of": of, "shares": each} for of, each in zip(others, shares, strict=True)],
        }

    def _add_noise(self, part: Histogram, found: IntArray) -> IntArray:
        if self.plan.release != "noised-mode":
            return found
        share = self.plan.epsilon / len(self.parts)
        if part.count == 2 and not part.given:
            ones = self.noise.integers(found[:, :1], 1 / share)
            return np.concatenate([ones, part.records - ones], axis=1)
        return self.noise.integers(found, 2 / share)

    def _shares(self, part: Histogram, counted: IntArray) -> list[float]:
        if self.plan.release == "noised-mode":
            weights = np.maximum(counted + max(float(part.alpha) - 1, 0.0), 0.0)
            if not weights.sum():
                weights = np.ones(part.count)
            return [round(float(each), 6) for each in weights / weights.sum()]
        drawn = self.urn(part, counted).rows(RESOLUTION, self.source, one_draw=True)
        return [each / RESOLUTION for each in np.bincount(drawn, minlength=part.count).tolist()]

    def _mean(self, part: Mean, total: int) -> float:
        lattice = ColumnLattice.of(part)
        if self.plan.release == "noised-mode":
            scale = part.steps * len(self.parts) / self.plan.epsilon
            noisy = self.noise.integers(np.array([total], dtype=np.int64), scale)
            held = min(max(int(noisy[0]), 0), part.steps * part.records)
            number = lattice.centre(held)
        else:
            again = self.plan.conditioned
            centre = np.array([lattice.centre(total)], dtype=np.int64)
            number = int(lattice.around(centre, lattice.mean, self.noise, conditioned=again)[0])
        # To a thousandth of what the draw is uncertain by: the rest is noise alone.
        unit = part.model.deviation * float(part.step)
        return float(f"{lattice.value(number):.{_digits(unit)}f}")


def _digits(deviation: float) -> int:
    """Return decimals that a number of this deviation is written with."""
    return int(max(0, min(15, 3 - np.floor(np.log10(deviation)))))


def counts(part: Histogram, places: IntArray) -> IntArray:
    """Return (groups, cells) how many records there are in each. Confidential."""
    cells = _mix_digits(places[:, part.columns], part.sizes)
    groups = _mix_digits(places[:, part.given], part.given_sizes)
    found = np.bincount(groups * part.count + cells, minlength=part.groups * part.count)
    return found.reshape(part.groups, part.count).astype(np.int64)


def value_places(records: Records) -> IntArray:
    """Return (n, columns) the code of every value, and of measured columns the place of its
    number."""
    places = records.codes.astype(np.int64)
    for number, place in enumerate(records.schema.measured_places):
        column = records.schema.columns[place]
        if records.numbers is None:
            continue
        given = records.numbers[:, number]
        if not np.isnan(given).any():
            places[:, place] = range_of(column.domain).lattice.places(given)
    return places


def _mix_digits(digits: IntArray, sizes: Sequence[int]) -> IntArray:
    """Return (n,) rows of digits as one number each, the first digit the most."""
    found = np.zeros(len(digits), dtype=np.int64)
    for digit, size in zip(digits.T, sizes, strict=True):
        found = found * size + digit
    return found


def _apart(numbers: IntArray, sizes: Sequence[int]) -> list[IntArray]:
    """Return the digits of numbers, the first the most."""
    found: list[IntArray] = []
    for size in reversed(sizes):
        found.append(numbers % size)
        numbers = numbers // size
    return found[::-1]
