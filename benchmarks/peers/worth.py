"""What a table of made records is worth, held against real ones by the measures of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.peers.tables import Bench
from understudy.core.arrays import IntArray
from understudy.evaluation.classifiers import FOREST, TREE, Classifier
from understudy.evaluation.comparison import distances
from understudy.evaluation.measure import Study, Table, sample_of
from understudy.evaluation.measures.distinguishing import distinguishing_advantage, held_out_table
from understudy.evaluation.measures.prediction import labels
from understudy.table.records import Records

VERSION = 1
"""Raised where figures come out otherwise than before, so that kept ones are not used again."""

_KEY = 2013

Figures = Mapping[str, float]
"""By their keys in `ABOUT`."""

ABOUT: Mapping[str, str] = {
    "single_median": "tv1 med",
    "single_most": "tv1 max",
    "pair_median": "tv2 med",
    "pair_most": "tv2 max",
    "accuracy": "RF acc",
    "agreement": "RF agree",
    "forest": "dist RF",
    "tree": "dist tree",
}
"""Every figure, and how its column is headed.

Total variation to the held-out records, of single attributes and of all pairs; the accuracy of a
random forest that learned from the table, and how often it says the same as one that learned from
other reals; and how often a forest, or a tree, rightly says which of the table and the other reals
a record is from.
"""


@dataclass(frozen=True, eq=False)
class Judge:
    """Judges tables beside the same real records, with the same randomness.

    Attributes:
        bench: the real records.
        reference: (held-out,) what the forest says that learned from the other reals.
    """

    bench: Bench
    reference: IntArray

    @classmethod
    def of(cls, bench: Bench) -> Judge:
        """The judge of this table, whose reference is trained here."""
        return cls(bench, _predicted(bench, bench.others))

    def other_reals(self) -> Figures:
        """What other real records are worth.

        They are told from the held-out ones, and what is learned from them agrees with what is
        learned from as many records that the methods learn from: the same ones, if few.
        """
        bench = self.bench
        others = sample_of(bench.learned, bench.made, np.random.default_rng(_KEY))
        same = _agreeing(_predicted(bench, others), self.reference)
        figures = self._figures(bench.others, self.reference, bench.held_out)
        return {**figures, "agreement": same}

    def made(self, records: Records) -> Figures:
        """What made records are worth. They are told from the other reals."""
        return self._figures(records, _predicted(self.bench, records), self.bench.others)

    def _figures(self, records: Records, predicted: IntArray, reals: Records) -> Figures:
        bench = self.bench
        found = distances(records, bench.held_out)
        truth = labels(bench.held_out, bench.schema.index(bench.target))
        apart = _told_apart(bench, records, reals)
        return {
            "single_median": found.typical_column,
            "single_most": float(np.max(found.single)),
            "pair_median": found.typical_pair,
            "pair_most": found.farthest_pair,
            "accuracy": float((predicted == truth).mean()),
            "agreement": _agreeing(predicted, self.reference),
            "forest": apart[FOREST.name],
            "tree": apart[TREE.name],
        }


def _study(bench: Bench, reals: Records) -> Study:
    """A study in which `reals` are what made records are told from."""
    return Study((), reals, bench.learned, {}, bench.target, 2, key=_KEY)


def _predicted(bench: Bench, records: Records) -> IntArray:
    """(held-out,) the target, as a forest says it that learned from these records."""
    target = bench.schema.index(bench.target)
    seed = int(_study(bench, records).random(f"training {FOREST.name}").integers(2**31))
    answer = FOREST.learn(records, labels(records, target), seed, target)
    return answer(bench.held_out)


def _agreeing(one: IntArray, other: IntArray) -> float:
    return float((one == other).mean())


def _told_apart(bench: Bench, records: Records, reals: Records) -> Mapping[str, float]:
    """The share of right answers, by classifier; equal numbers, half of them learned from."""
    study = _study(bench, reals)
    players: tuple[Classifier, ...] = (FOREST, TREE)
    measured = distinguishing_advantage(
        study, held_out_table(study), Table("made", "synthetic", records), players
    )
    return {part.of[0]: 0.5 + part.value / 2 for part in measured.parts}
