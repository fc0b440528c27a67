"""Models of flags and numbers, each learned with noise, and how many flags count.

Of simulated people, each of m flags is a one by itself with chance μ/m, so they have μ on average.
Of a record with K ones, min(K, c) are counted, each as likely; so a share p = μ/m comes out as
p·E min(K, c)/E K. Noise on a share, which is measured twice beside a noisy number of records, is
σ(c)·√(1/2 + p²)/n. The mean distance is that of a normal number with this mean and deviation from
0. Real people's flags come together more, so that more of them have many: then a larger c is worth
more than it is here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from scipy.special import bdtrc, ndtr

from understudy.core.arrays import CodeArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.latent.plan import LatentPlan, ModelKind
from understudy.mechanisms.mechanism import Arrays
from understudy.models.latent.factors import Factors
from understudy.models.latent.features import Features, S
from understudy.models.latent.foreseen import records_for_relations
from understudy.models.latent.moments import (
    NoisyMoments,
    OnesBudget,
    choose_most_ones,
    entries,
    measure_sums,
)
from understudy.models.latent.networks import variational
from understudy.models.latent.networks.variational import Variational
from understudy.models.latent.principal import Principal
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.accounting.guarantee import record_delta
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema


class _Drawn(Protocol):
    """A model that was learned: rows without any seed."""

    def draw(self, count: int, source: RandomSource) -> CodeArray:
        """Return (count, m) codes of as many records, in the order of the schema."""
        ...

    def arrays(self) -> Arrays:
        """Return all that it is made of."""
        ...


class _Learner(Protocol):
    """Learns one kind of model under a plan."""

    def cost(self, plan: LatentPlan, schema: Schema, budget: Budget) -> Budget:
        """Return what learning costs one record, at most the budget.

        Raises:
            Refusal: noise would leave nothing.
        """
        ...

    def native(self, plan: LatentPlan, schema: Schema, budget: Budget) -> Mapping[str, float]:
        """Return the figures that the cost follows from."""
        ...

    def learn(
        self, plan: LatentPlan, records: Records, budget: Budget, noise: Noise, source: RandomSource
    ) -> _Drawn:
        """Learn from the only records that it may look at."""
        ...

    def restore(self, schema: Schema, arrays: Arrays) -> _Drawn:
        """Return the model that gave these arrays."""
        ...


@dataclass(frozen=True)
class SumsQuery:
    """What is asked for factors and directions: sums of products, under one budget.

    Attributes:
        features: what the columns are.
        most: how many entries of a record are other than 0 at most.
        allowance: what is spent, in its currency.
    """

    features: Features
    most: int
    allowance: Allowance

    @classmethod
    def of(cls, plan: LatentPlan, schema: Schema, budget: Budget) -> SumsQuery:
        """Return the question of a plan that spends at most `budget`."""
        features = Features.of(schema)
        most = features.not_zero(plan.most_ones)
        return cls(features, most, Allowance.of(budget, entries(most)))

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on each sum, in units of S²."""
        many = entries(self.most)
        return self.allowance.deviation_of(S**2 * many, S**2 * math.sqrt(many))

    def answer(
        self, plan: LatentPlan, records: Records, noise: Noise, source: RandomSource
    ) -> NoisyMoments:
        """Return the noisy moments of these records; `source` says which ones above the most go."""
        vectors = self.features.vectors(records.codes, plan.most_ones, source)
        noisy = measure_sums(vectors, self.allowance, noise, self.most)
        return NoisyMoments.of(noisy, self.features.ones, self.deviation)


@dataclass(frozen=True, eq=False)
class AsRecords:
    """A model of flags and numbers, whose rows are codes of a schema.

    Attributes:
        features: what the columns are.
        model: it.
    """

    features: Features
    model: Factors | Principal

    def draw(self, count: int, source: RandomSource) -> CodeArray:
        """Return (count, m) codes."""
        return self.features.codes(*self.model.draw(count, source, self.features.exclusive))

    def arrays(self) -> Arrays:
        """Return all that the model is made of."""
        return self.model.arrays()


@dataclass(frozen=True)
class OfMoments:
    """A model that follows from noisy second moments.

    Attributes:
        model: which.
    """

    model: type[Factors] | type[Principal]

    def cost(self, plan: LatentPlan, schema: Schema, budget: Budget) -> Budget:
        """Return all of the budget; no δ where ε is divided."""
        asked = SumsQuery.of(plan, schema, _of_sums(plan, budget))
        if plan.public_records is not None:
            needed = records_for_relations(asked.deviation) / (1 - plan.held_out)
            if plan.public_records < needed:
                raise _refuse_noise(math.ceil(needed))
        # What is chosen may have its sums paid for in another currency than the most there may be.
        pure = asked.allowance.currency == "epsilon" and not plan.choose_ones
        return Budget(budget.epsilon) if pure else budget

    def native(self, plan: LatentPlan, schema: Schema, budget: Budget) -> Mapping[str, float]:
        """Return ρ, or nothing where ε is divided; how many entries of a record count, and σ of a
        sum."""
        asked = SumsQuery.of(plan, schema, _of_sums(plan, budget))
        told = {"entries": float(asked.most), "sigma": asked.deviation / S**2}
        if plan.choose_ones:
            told["epsilon_of_ones"] = OnesBudget.of(budget).count.epsilon
        return (
            {"rho": asked.allowance.amount, **told} if asked.allowance.currency == "rho" else told
        )

    def learn(
        self, plan: LatentPlan, records: Records, budget: Budget, noise: Noise, source: RandomSource
    ) -> _Drawn:
        """Measure the sums, and work the model out from them."""
        if plan.choose_ones:
            bits = records.codes[:, Features.of(records.schema).flags]
            part = OnesBudget.of(budget).count
            found = choose_most_ones(bits, min(plan.most_ones, bits.shape[1]), part, noise)
            plan = plan.model_copy(update={"most_ones": found})
        asked = SumsQuery.of(plan, records.schema, _of_sums(plan, budget))
        moments = asked.answer(plan, records, noise, source)
        return AsRecords(asked.features, self.model.fit(moments, plan.width))

    def restore(self, schema: Schema, arrays: Arrays) -> _Drawn:
        """Return the model that gave these arrays."""
        return AsRecords(Features.of(schema), self.model.restore(arrays))


def _of_sums(plan: LatentPlan, budget: Budget) -> Budget:
    """Return what the sums may cost."""
    return OnesBudget.of(budget).rest if plan.choose_ones else budget


@dataclass(frozen=True, eq=False)
class _OfFlags:
    """A network of flags, whose rows are codes of a schema.

    Attributes:
        network: it.
    """

    network: Variational

    def draw(self, count: int, source: RandomSource) -> CodeArray:
        """Return (count, m) codes."""
        return self.network.draw(count, source).astype(np.uint16)

    def arrays(self) -> Arrays:
        """Return all that the network is made of."""
        return self.network.arrays()


class _OfNetwork:
    """A variational autoencoder, trained with noise."""

    def cost(self, plan: LatentPlan, schema: Schema, budget: Budget) -> Budget:
        """Return what training, the codes and the shares cost together."""
        return _plan_network(plan, len(schema), budget).cost

    def native(self, plan: LatentPlan, schema: Schema, budget: Budget) -> Mapping[str, float]:
        """Return how it is trained."""
        found = _plan_network(plan, len(schema), budget)
        return {
            "rate": found.training.rate,
            "steps": float(found.training.steps),
            "noise_multiplier": found.multiplier,
            "rho_of_codes": found.rho,
            "rho_of_shares": found.rho_shares,
            "hidden": float(found.training.shape.hidden),
            "width": float(found.training.shape.width),
        }

    def learn(
        self, plan: LatentPlan, records: Records, budget: Budget, noise: Noise, source: RandomSource
    ) -> _Drawn:
        """Train it, and measure its codes and the shares."""
        found = _plan_network(plan, len(records.schema), budget)
        flags = records.codes.astype(np.bool_)
        return _OfFlags(variational.learn_network(flags, found, noise, source))

    def restore(self, schema: Schema, arrays: Arrays) -> _Drawn:
        """Return the model that gave these arrays."""
        return _OfFlags(Variational.restore(arrays))


LEARNERS: Final[Mapping[ModelKind, _Learner]] = {
    "factors": OfMoments(Factors),
    "principal": OfMoments(Principal),
    "variational": _OfNetwork(),
}


def _plan_network(plan: LatentPlan, columns: int, budget: Budget) -> variational.Planned:
    if plan.public_records is None:
        raise Refusal(
            "How a network is trained follows from how many records there are, and nobody said how "
            "many are publicly known.",
            "Say about how many records the table is publicly known to have.",
            field="public_records",
        )
    learned_from = max(1, round((1 - plan.held_out) * plan.public_records))
    return variational.plan_network(columns, learned_from, budget)


def _refuse_noise(needed: int) -> Refusal:
    return Refusal(
        "Of so few records noise would hide every relation between two columns: its deviation is "
        f"larger than any of them can be. At this ε a record, that takes {needed:,} records.",
        f"Take a table of {needed:,} records or more, choose a larger ε, count fewer flags of a "
        "record, or take a model of the columns by themselves.",
        field="epsilon",
    )


MEANS: Final = (1, 4, 12)
"""How many flags simulated people have on average."""
MOST: Final = 40
"""No more flags are tried than this, or than there are."""


def list_tried(schema: Schema) -> range:
    """Return the numbers of flags that are tried."""
    return range(1, min(MOST, len(Features.of(schema).flags)) + 1)


def means(schema: Schema) -> tuple[int, ...]:
    """Return the means that so many flags leave room for."""
    return tuple(each for each in MEANS if 2 * each <= len(Features.of(schema).flags))


def off(plan: LatentPlan, schema: Schema, mean: int) -> tuple[float, ...]:
    """Return how far off a share is on average, for each number of flags that is tried.

    Args:
        plan: of which ε, δ and the public number of records are looked at.
        schema: the columns.
        mean: how many flags people have on average.
    """
    share = mean / len(Features.of(schema).flags)
    return estimate_errors(plan, schema, share, list_tried(schema))


def estimate_errors(
    plan: LatentPlan, schema: Schema, share: float, counts: Sequence[int]
) -> tuple[float, ...]:
    """Return how far off a flag's share is on average, for each number of flags that is counted.

    Args:
        plan, schema: as of `off`.
        share: of ones of every flag, each by itself.
        counts: the numbers that are asked for.
    """
    assert plan.public_records is not None
    records = (1 - plan.held_out) * plan.public_records
    lost = share * (1 - compute_kept_share(len(Features.of(schema).flags), share, counts))
    deviations = np.array([_deviation(plan, schema, each) for each in counts])
    noise = deviations * math.sqrt(0.5 + share**2) / records
    return tuple(float(each) for each in _fold_normal(lost, noise))


def best(plan: LatentPlan, schema: Schema, mean: int) -> int:
    """Return the number of flags with which a share is least off."""
    found = off(plan, schema, mean)
    return list_tried(schema)[found.index(min(found))]


def compute_kept_share(flags: int, share: float, counts: Sequence[int]) -> FloatArray:
    """Return E min(K, c)/E K for each c, K being binomial: the sum of Pr{K > j} over j < c."""
    upto = np.cumsum(bdtrc(np.arange(flags), flags, share))
    return np.asarray(upto[np.asarray(counts) - 1] / (flags * share))


def _deviation(plan: LatentPlan, schema: Schema, count: int) -> float:
    """Return the deviation of the noise on a sum, in records, if so many flags are counted."""

    def total_at(delta: float) -> Budget:
        return Budget(plan.epsilon, delta)

    budget = total_at(record_delta(total_at, plan.records_per_person, plan.delta))
    other = plan.model_copy(update={"most_ones": count})
    return SumsQuery.of(other, schema, budget).deviation / S**2


def _fold_normal(mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return the mean absolute value of a normal number."""
    ratio = mean / deviation
    density = np.exp(-(ratio**2) / 2) * math.sqrt(2 / math.pi)
    return np.asarray(deviation * density + mean * (2 * ndtr(ratio) - 1))
