"""Conditional tables under rules: no value is drawn that leads to a record that cannot be.

Of the values that a mask leaves, each has its own weight, divided by that of all that are left (W).
A value is drawn from the whole row, and once more among those that are left if it is none of them:
w(v) + (1 − W)·w(v)/W = w(v)/W. Mask and W are functions of the record's own earlier columns, so the
probability of a candidate depends on its seed as it does without rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.models.categorical import WHOLE, ConditionalTable
from understudy.models.sequential import Columns
from understudy.privacy.randomness import RandomSource
from understudy.table.rules.masks import Mask

_MOST_KEPT = 1 << 18
"""Divisors that are kept of one column."""
_BLOCK = 1 << 22


@dataclass(eq=False)
class RuledTable:
    """The conditional table of one column, and the mask on it.

    Attributes:
        table: the conditional distributions.
        mask: which values earlier columns leave.
    """

    table: ConditionalTable
    mask: Mask
    _known: tuple[IntArray, FloatArray] = field(
        default_factory=lambda: (np.zeros(0, dtype=np.int64), np.zeros(0))
    )

    def redraw_strays(
        self, configuration: IntArray, columns: Columns, codes: CodeArray, source: RandomSource
    ) -> CodeArray:
        """Return the codes, those that the mask forbids drawn once more from what it leaves.

        Args:
            configuration: (n,) of the parents.
            columns: (n,) codes of each column, those before this one as they are.
            codes: (n,) drawn from the table.
        """
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

    def log_likelihood(self, configuration: IntArray, columns: Columns) -> FloatArray:
        """Return ln Pr{code | earlier columns} of the column; −inf where it cannot happen."""
        values = columns[self.mask.column]
        logs = self.table.log_likelihood(configuration, values)
        wholes = self._log_wholes(configuration, columns)
        nothing = np.flatnonzero(wholes == -np.inf)
        wholes[nothing] = 0.0
        found = logs - wholes
        if len(nothing):
            left = self.mask.of([column[nothing] for column in columns])
            found[nothing] = -np.log(left.sum(axis=1))
        return np.where(self._fits(columns, values), found, -np.inf)

    def _fits(self, columns: Columns, values: CodeArray) -> BoolArray:
        """Return whether each value is left, all of them where nothing is."""
        fits = self.mask.allows(columns, values)
        strays = np.flatnonzero(~fits)
        if len(strays):
            left = self.mask.of([column[strays] for column in columns])
            fits[strays] = left[np.arange(len(strays)), values[strays]]
        return fits

    def _log_wholes(self, configuration: IntArray, columns: Columns) -> FloatArray:
        """Return ln W of each record; −inf where what is left has no weight."""
        keys = self.mask.keys(configuration, self.table.configurations, columns)
        if keys is None:
            return self._compute(configuration, columns)
        distinct, first, which = np.unique(keys, return_index=True, return_inverse=True)
        known, logs = self._known
        rows = first[~np.isin(distinct, known, assume_unique=True)]
        if len(rows):
            if len(known) + len(rows) > _MOST_KEPT:
                known, logs, rows = known[:0], logs[:0], first
            added = self._compute(configuration[rows], [column[rows] for column in columns])
            every = np.concatenate([known, keys[rows]])
            order = np.argsort(every)
            known, logs = every[order], np.concatenate([logs, added])[order]
            self._known = known, logs
        return np.asarray(logs[np.searchsorted(known, distinct)][which.reshape(-1)])

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
