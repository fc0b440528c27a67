"""Learners of the calibrated model, broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.audit.calibrated import shipped
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.calibrated.learner import CalibratedLearner, Told
from engine.models.calibrated.particles import Particles
from engine.models.counted import Counted
from engine.models.views import Marginal
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.records import Records


@dataclass(frozen=True)
class _Twice(CalibratedLearner):
    """Measures twice in each round for the price of once, and forgets the first time."""

    def _round(
        self,
        rows: Counted,
        model: Particles,
        told: Told,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Told:
        super()._round(rows, model, told, asked, noise)
        return super()._round(rows, model, told, asked, noise)


@dataclass(frozen=True)
class _Peeking(CalibratedLearner):
    """Divides each round by what columns come to without noise."""

    def _round(
        self,
        rows: Counted,
        model: Particles,
        told: Told,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Told:
        counts = rows.tables([each.marginal for each in told.alone])
        exact = tuple(
            replace(each, counts=table.astype(float))
            for each, table in zip(told.alone, counts, strict=True)
        )
        return super()._round(rows, model, replace(told, alone=exact), asked, noise)


@dataclass(frozen=True)
class _Counting(CalibratedLearner):
    """Lets made-up records stand for as many as there are."""

    count: int = 1

    def _drawn(
        self, network: BayesianNetwork, known: float, source: RandomSource, times: float
    ) -> Particles:
        return super()._drawn(network, float(self.count), source, times)


def twice(budget: Budget, records: Records) -> CalibratedLearner:
    """Spends the share of the rounds twice."""
    one = shipped(budget, records)
    return _Twice(one.schema, one.budget, one.allowance, one.spend, one.steps, one.fewest)


def peeking(budget: Budget, records: Records) -> CalibratedLearner:
    """Looks at columns without noise when it divides a round."""
    one = shipped(budget, records)
    return _Peeking(one.schema, one.budget, one.allowance, one.spend, one.steps, one.fewest)


def counting(budget: Budget, records: Records) -> CalibratedLearner:
    """Looks at the number of records."""
    one = shipped(budget, records)
    return _Counting(
        one.schema, one.budget, one.allowance, one.spend, one.steps, one.fewest, count=len(records)
    )
