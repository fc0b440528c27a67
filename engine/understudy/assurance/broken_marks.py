"""Learners of the calibrated model that pay more for what is marked, broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass

from understudy.assurance.broken_learners import broken_as
from understudy.assurance.marked import shipped
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.learner import CalibratedLearner, Measurements
from understudy.models.calibrated.measurement import measure
from understudy.models.calibrated.selection import attributes
from understudy.models.count_tables import Counted
from understudy.models.marks import MARKED, Importance, Places
from understudy.models.views import Marginal
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.table.records import Records


@dataclass(frozen=True)
class _Uncharged(CalibratedLearner):
    """Measures what is marked with the part of the round, beside what that was divided among."""

    def _run_round(
        self,
        rows: Counted,
        model: Particles,
        told: Measurements,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Measurements:
        found = super()._run_round(rows, model, told, asked, noise)
        marked = tuple(each for each in asked if self.importance.of(attributes(each)) > 1)
        measure(rows, marked, [1.0] * len(marked), self.of_a_round, noise)
        return found


@dataclass(frozen=True)
class _Generous(CalibratedLearner):
    """Gives a round as many times its share as the heaviest mark weighs."""

    @property
    def of_a_round(self) -> Allowance:
        usual = super().of_a_round
        heaviest = max(self.importance.above.values(), default=1.0)
        return Allowance(usual.amount * heaviest, usual.currency)


def uncharged(budget: Budget, importance: Importance, records: Records) -> CalibratedLearner:
    """Measures what is marked, and does not charge it."""
    return broken_as(_Uncharged, shipped(budget, importance, records))


def generous(budget: Budget, importance: Importance, records: Records) -> CalibratedLearner:
    """Spends more where something is marked."""
    return broken_as(_Generous, shipped(budget, importance, records))


def weighing(budget: Budget, importance: Importance, records: Records) -> CalibratedLearner:
    """Takes the weights from the records: a pair weighs more the more often both coins agree."""
    codes = records.codes
    weights: dict[Places, float] = {
        pair: MARKED + float((codes[:, pair[0]] == codes[:, pair[1]]).sum())
        for pair in ((0, 1), (0, 2), (1, 2))
    }
    return shipped(budget, Importance({**importance.above, **weights}), records)
