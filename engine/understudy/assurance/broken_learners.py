"""Learners of the calibrated model, broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeVar

from understudy.assurance.calibrated import shipped
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.learner import CalibratedLearner, LearnedModel, Measurements
from understudy.models.count_tables import Counted
from understudy.models.views import Marginal
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

Broken = TypeVar("Broken", bound=CalibratedLearner)


@dataclass(frozen=True)
class _Twice(CalibratedLearner):
    """Measures twice in each round for the price of once, and forgets the first time."""

    def _run_round(
        self,
        rows: Counted,
        model: Particles,
        told: Measurements,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Measurements:
        super()._run_round(rows, model, told, asked, noise)
        return super()._run_round(rows, model, told, asked, noise)


@dataclass(frozen=True)
class _Peeking(CalibratedLearner):
    """Divides each round by what columns come to without noise."""

    def _run_round(
        self,
        rows: Counted,
        model: Particles,
        told: Measurements,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Measurements:
        counts = rows.tables([each.marginal for each in told.alone])
        exact = tuple(
            replace(each, counts=table.astype(float))
            for each, table in zip(told.alone, counts, strict=True)
        )
        return super()._run_round(rows, model, replace(told, alone=exact), asked, noise)


@dataclass(frozen=True)
class _Counting(CalibratedLearner):
    """Lets made-up records stand for as many as there are."""

    count: int = 1

    def _draw_records(
        self, network: BayesianNetwork, known: float, source: RandomSource, times: float
    ) -> Particles:
        return super()._draw_records(network, float(self.count), source, times)


@dataclass(frozen=True)
class _Knowing(CalibratedLearner):
    """Asks for the number of records, and goes by the exact one."""

    def _count_records(self, rows: Counted, noise: Noise) -> float:
        super()._count_records(rows, noise)
        return float(len(rows))


@dataclass(frozen=True)
class _Deciding(CalibratedLearner):
    """Decides by the exact number of records whether pairs are asked about."""

    count: int = 1

    def asked(self, records: float) -> tuple[Marginal, ...]:
        return super().asked(float(self.count))


@dataclass(frozen=True)
class _Regretting(CalibratedLearner):
    """Asks for columns in the currency of pairs before it turns to the other."""

    def _learn_columns(self, rows: Counted, noise: Noise) -> LearnedModel:
        self._measure_columns(rows, self.allowance.part(self.spend.alone), noise)
        return super()._learn_columns(rows, noise)


def twice(budget: Budget, records: Records) -> CalibratedLearner:
    """Spends the share of the rounds twice."""
    return _broken(_Twice, budget, records)


def peeking(budget: Budget, records: Records) -> CalibratedLearner:
    """Looks at columns without noise when it divides a round."""
    return _broken(_Peeking, budget, records)


def counting(budget: Budget, records: Records) -> CalibratedLearner:
    """Looks at the number of records."""
    return replace(_broken(_Counting, budget, records), count=len(records))


def knowing(budget: Budget, records: Records) -> CalibratedLearner:
    """Looks at the number of records when it chooses the currency."""
    return _broken(_Knowing, budget, records)


def deciding(budget: Budget, records: Records) -> CalibratedLearner:
    """Look at the number of records when deciding whether to ask about pairs."""
    return replace(_broken(_Deciding, budget, records), count=len(records))


def regretting(budget: Budget, records: Records) -> CalibratedLearner:
    """Pays in both currencies."""
    return _broken(_Regretting, budget, records)


def _broken(kind: type[Broken], budget: Budget, records: Records) -> Broken:
    """Return the learner as it is shipped, broken so."""
    return broken_as(kind, shipped(budget, records))


def broken_as(kind: type[Broken], whole: CalibratedLearner) -> Broken:
    """Return a learner, broken so, with all that it was given."""
    return kind(**{each.name: getattr(whole, each.name) for each in fields(whole)})
