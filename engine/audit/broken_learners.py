"""Learners of the calibrated model, broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass

from engine.audit.calibrated import shipped
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.calibrated.learner import CalibratedLearner
from engine.models.calibrated.measured import Measured
from engine.models.calibrated.misfit import Misfit
from engine.models.calibrated.particles import Particles
from engine.models.counted import Counted
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.records import Records


@dataclass(frozen=True)
class _Twice(CalibratedLearner):
    """Measures pairs twice for the price of once, and forgets the first time."""

    def _pairs(
        self, rows: Counted, model: Particles, known: float, noise: Noise
    ) -> tuple[Misfit, tuple[Measured, ...]]:
        super()._pairs(rows, model, known, noise)
        return super()._pairs(rows, model, known, noise)


@dataclass(frozen=True)
class _Counting(CalibratedLearner):
    """Lets made-up records stand for as many as there are."""

    count: int = 1

    def _drawn(
        self, network: BayesianNetwork, known: float, source: RandomSource, times: float = 1.0
    ) -> Particles:
        return super()._drawn(network, float(self.count), source, times)


def twice(budget: Budget, records: Records) -> CalibratedLearner:
    """Spends the share of the pairs twice."""
    one = shipped(budget, records)
    return _Twice(one.schema, one.budget, one.allowance, one.spend, one.steps, one.fewest)


def counting(budget: Budget, records: Records) -> CalibratedLearner:
    """Looks at the number of records."""
    one = shipped(budget, records)
    return _Counting(
        one.schema, one.budget, one.allowance, one.spend, one.steps, one.fewest, count=len(records)
    )
