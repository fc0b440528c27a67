"""Conditional tables under rules: no value is drawn that leads to a record that cannot be.

Of the values that a mask leaves, each has its own weight, divided by that of all that are left (W).
Mask and W are functions of the record's own earlier columns, so the probability of a candidate
depends on its seed as it does without rules.

If few enough combinations of earlier columns decide the mask, the table is written out with a row
for each of them (`WrittenTable`): what is left is drawn as any row is, and its weights out of 2^48
are what likelihoods are computed from. Else a value is drawn from the whole row, and once more
among those that are left if it is none of them: w(v) + (1 − W)·w(v)/W = w(v)/W.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.models.bayesnet.families import Family
from understudy.models.categorical import WHOLE, ConditionalTable, integer_weights
from understudy.models.sequential import Columns
from understudy.privacy.randomness import RandomSource
from understudy.table.rules.masks import Mask
from understudy.table.rules.relation import number_rows

_MOST_WRITTEN: Final = 1 << 20
"""Cells of a table that is written out."""
_MOST_KEPT: Final = 1 << 21
"""Divisors that are kept of one column."""
_BLOCK: Final = 1 << 22
_SCALINGS: Final = 100
"""How many times kinds are scaled at most."""
_SCALED: Final = 1e-4
"""What their shares may be off by in sum."""


@dataclass(frozen=True, eq=False)
class WrittenTable:
    """A conditional table with a row for each combination of what a column depends on.

    Attributes:
        places: of each column that it depends on, what each code adds to the number of the row.
        table: the rows; what a mask forbids has no weight.
    """

    places: Mapping[int, IntArray]
    table: ConditionalTable

    @classmethod
    def of(cls, family: Family, table: ConditionalTable, mask: Mask) -> WrittenTable:
        """Return the table of a family under a mask."""
        grid, combinations = _list_kinds(mask)
        allowed = mask.of(grid)
        weights = np.where(allowed, table.weights[:, None, :], 0)
        weights = np.where(weights.any(axis=2, keepdims=True), weights, allowed)
        rows = integer_weights(weights.reshape(-1, table.cardinality).astype(np.float64))
        places = {
            parent: place * combinations
            for parent, place in zip(family.parents, family.places, strict=True)
        }
        for column, place in mask.strides().items():
            places[column] = places.get(column, 0) + place
        return cls(places, ConditionalTable(rows))

    def rows(self, columns: Columns, count: int) -> IntArray:
        """Return (count,) the row of each record, for columns of codes in schema order."""
        parts = (
            np.take(place, columns[column], mode="clip") for column, place in self.places.items()
        )
        total = next(parts, None)
        if total is None:
            return np.zeros(count, dtype=np.int64)
        for part in parts:
            total += part
        return total


def _list_kinds(mask: Mask) -> tuple[list[CodeArray], int]:
    """Return columns of codes in which each combination of kinds that a mask looks at stands once,
    in the order of their numbers, and how many there are."""
    firsts = {place: np.unique(mask.kinds[place], return_index=True)[1] for place in mask.scope}
    shape = [len(firsts[place]) for place in mask.scope]
    count = math.prod(shape)
    nothing = np.zeros(count, dtype=np.uint16)
    columns: list[CodeArray] = [nothing] * (1 + max((*mask.scope, mask.column)))
    numbers = np.unravel_index(np.arange(count), shape) if shape else ()
    for place, kind in zip(mask.scope, numbers, strict=True):
        columns[place] = firsts[place][kind].astype(np.uint16)
    return columns, count


def weigh_kinds(mask: Mask, columns: Columns, records: FloatArray) -> FloatArray:
    """Return (kinds,) weights of the kinds of a column's values such that records show them as
    often as these do, if each gets one that its earlier columns leave, in proportion to them.

    They are the scales of kinds in a matrix of records and kinds, 1 where a kind is left, once its
    rows are scaled to what records weigh and its columns to what kinds do (Sinkhorn 1967).

    Args:
        mask: of the column.
        columns: (n,) codes in schema order.
        records: (n,) what each record weighs.
    """
    kinds = mask.kinds[mask.column]
    numbers = np.zeros(len(records), dtype=np.int64)
    for column, place in mask.strides().items():
        numbers += np.take(place, columns[column])
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    left = mask.find_kinds([column[first] for column in columns])
    rows = number_rows(np.packbits(left, axis=1))
    left = left[np.unique(rows, return_index=True)[1]].astype(np.float64)
    whole = records.sum()
    each = np.bincount(rows[inverse], records) / whole
    shown = np.bincount(kinds[columns[mask.column]], records, left.shape[1]) / whole
    weights = shown.copy()
    for _ in range(_SCALINGS):
        wholes = left @ weights
        now = weights * (np.divide(each, wholes, out=np.zeros_like(each), where=wholes > 0) @ left)
        weights *= np.divide(shown, now, out=np.ones_like(now), where=now > 0)
        if float(np.abs(now - shown).sum()) < _SCALED:
            break
    return np.asarray(weights)


@dataclass(frozen=True, eq=False)
class RuledTable:
    """The conditional table of one column, and the mask on it.

    Attributes:
        family: the column and its parents.
        table: the conditional distributions.
        mask: which values earlier columns leave.
    """

    family: Family
    table: ConditionalTable
    mask: Mask

    @cached_property
    def _written(self) -> WrittenTable | None:
        """The table written out; None if it has too many cells."""
        if self.table.weights.size * self.mask.combinations > _MOST_WRITTEN:
            return None
        return WrittenTable.of(self.family, self.table, self.mask)

    @cached_property
    def _log_wholes(self) -> FloatArray | None:
        """(configurations · combinations,) ln W where it is known, NaN elsewhere; None if there are
        too many."""
        many = self.table.configurations * self.mask.combinations
        return np.full(many, np.nan) if many <= _MOST_KEPT else None

    def draw(self, columns: Columns, source: RandomSource, *, spread: bool = False) -> CodeArray:
        """Return a code for each record, given its earlier columns.

        Args:
            columns: codes in schema order, those before this one as they are.
            source: randomness.
            spread: whether codes are drawn by stratified sampling; see `ConditionalTable.spread`.
        """
        if self._written is not None:
            table = self._written.table
            rows = self._written.rows(columns, len(columns[self.family.child]))
            return table.spread(rows, source) if spread else table.draw(rows, source)
        configuration = self.family.configuration(columns)
        draw = self.table.spread if spread else self.table.draw
        return self._redraw_strays(configuration, columns, draw(configuration, source), source)

    def log_likelihood(self, columns: Columns) -> FloatArray:
        """Return ln Pr{code | earlier columns} of the column; −inf where it cannot happen."""
        values = columns[self.family.child]
        if self._written is not None:
            return self._written.table.log_likelihood(
                self._written.rows(columns, len(values)), values
            )
        configuration = self.family.configuration(columns)
        logs = self.table.log_likelihood(configuration, values)
        wholes = self._find_log_wholes(configuration, columns)
        nothing = np.flatnonzero(wholes == -np.inf)
        wholes[nothing] = 0.0
        found = logs - wholes
        if len(nothing):
            left = self.mask.of([column[nothing] for column in columns])
            found[nothing] = -np.log(left.sum(axis=1))
        return np.where(self._fits(columns, values), found, -np.inf)

    def _redraw_strays(
        self, configuration: IntArray, columns: Columns, codes: CodeArray, source: RandomSource
    ) -> CodeArray:
        """Return the codes, those that the mask forbids drawn once more from what it leaves."""
        strays = np.flatnonzero(~self.mask.allows(columns, codes))
        if not len(strays):
            return codes
        codes = codes.copy()
        step = max(1, _BLOCK // self.table.cardinality)
        for start in range(0, len(strays), step):
            some = strays[start : start + step]
            left = self.mask.of([column[some] for column in columns])
            codes[some] = self.table.draw_within(configuration[some], left, source)
        return codes

    def _fits(self, columns: Columns, values: CodeArray) -> BoolArray:
        """Return whether each value is left, all of them where nothing is."""
        fits = self.mask.allows(columns, values)
        strays = np.flatnonzero(~fits)
        if len(strays):
            left = self.mask.of([column[strays] for column in columns])
            fits[strays] = left[np.arange(len(strays)), values[strays]]
        return fits

    def _find_log_wholes(self, configuration: IntArray, columns: Columns) -> FloatArray:
        """Return ln W of each record; −inf where what is left has no weight."""
        known = self._log_wholes
        if known is None:
            return self._compute(configuration, columns)
        keys = configuration * self.mask.combinations
        for column, place in self.mask.strides().items():
            keys += np.take(place, columns[column])
        found = known[keys]
        (missing,) = np.nonzero(np.isnan(found))
        if len(missing):
            distinct, first = np.unique(keys[missing], return_index=True)
            rows = missing[first]
            some = [column[rows] for column in columns]
            known[distinct] = self._compute(configuration[rows], some)
            found = known[keys]
        return np.asarray(found)

    def _compute(self, configuration: IntArray, columns: Columns) -> FloatArray:
        found = np.empty(len(configuration))
        step = max(1, _BLOCK // self.table.cardinality)
        for start in range(0, len(configuration), step):
            some = slice(start, start + step)
            left = self.mask.of([column[some] for column in columns])
            whole = self.table.whole_within(configuration[some], left)
            with np.errstate(divide="ignore"):
                found[some] = np.log(whole / float(WHOLE))
        return found
