"""How well records of two tables are told apart, and how far their shares are from one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.evaluation.cells import count_flag_pairs, count_flags, pair_shares
from understudy.evaluation.classifiers import ADABOOST, BOOSTING, FOREST, LOGISTIC, TREE, Classifier
from understudy.evaluation.measure import Study, Table
from understudy.evaluation.measures.distinguishing import distinguishing_advantage
from understudy.evaluation.measures.shares import hellinger, kullback_leibler, total_variation
from understudy.table.records import Records
from understudy.table.schema import Schema

CLASSIFIERS: Final = (LOGISTIC, TREE, ADABOOST, BOOSTING, FOREST)
FORMULAS: Final = (total_variation, hellinger, kullback_leibler)
"""As the columns of Table 9.1."""


@dataclass(frozen=True)
class Advantage:
    """An advantage γ of a classifier.

    Attributes:
        value: γ.
        low, high: its interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Telling:
    """Tells tables of one schema apart.

    Attributes:
        schema: of the flags.
        seed: where the randomness of classifiers starts.
    """

    schema: Schema
    seed: int

    def apart(
        self, one: BoolArray, other: BoolArray, by: Sequence[Classifier], most: int | None = None
    ) -> tuple[Advantage, ...]:
        """γ of each classifier between two tables; half of each is learned from.

        Args:
            one, other: records; the larger table is cut to the smaller.
            by: the classifiers.
            most: cut both to this many.
        """
        held = self._records(one[:most])
        study = Study((), held, key=self.seed, seeds=held, models={}, target="", repeats=1)
        tables = [
            Table(name, "candidates", self._records(each[:most]))
            for name, each in (("one", one), ("other", other))
        ]
        found = distinguishing_advantage(study, tables[0], tables[1], by)
        return tuple(
            Advantage(part.value, part.interval.low, part.interval.high)
            for part in found.parts
            if part.interval is not None
        )

    def forest(self, one: BoolArray, other: BoolArray) -> Advantage:
        """γ of a random forest."""
        return self.apart(one, other, (FOREST,))[0]

    def _records(self, flags: BoolArray) -> Records:
        return Records(self.schema, flags.astype(np.uint16))


def distances(table: BoolArray, held_out: BoolArray) -> tuple[FloatArray, FloatArray]:
    """(3, m) and (3, pairs) the distances of `FORMULAS`, of every column and of every pair."""
    found = [
        np.stack([formula(pair_shares(of(table), of(held_out))) for formula in FORMULAS])
        for of in (count_flags, count_flag_pairs)
    ]
    return found[0], found[1]
