"""Checks of parallel composition, amplification by sampling, and attempts without a seed.

The mechanisms are noisy counts, written out: the count of the records in a part, with two-sided
geometric noise, cut off at both ends so that few outcomes remain; and, with probability δ, the
count itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise, product

import numpy as np

from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.composition import extreme_coin
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.seedbased.one_attempt import (
    ATTRIBUTES,
    OMEGAS,
    UNIVERSE,
    attempt_chances,
    network,
)
from understudy.core.arrays import FloatArray
from understudy.mechanisms.seedbased.attempts import Candidates, Decision
from understudy.privacy.accounting import composition
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity

_PART = "Parts of a table"
_TRIED = 60
_MOST_RECORDS = 4


def list_checks() -> tuple[Check, ...]:
    """Disjoint parts, amplification by sampling, and attempts that keep nothing of a seed."""
    return (
        Check(
            _PART,
            "parts assigned by coins",
            "(max ε_i, max δ_i) for two parts, both released; each record is in one of them, by "
            "a coin of its own",
            GUARANTEE,
            lambda effort: _parts(effort, shared=False),
        ),
        Check(
            _PART,
            "a secret sample, between populations",
            "ε′ = ln(1 + p(e^ε − 1)), δ′ = pδ; each member of a population is in the table with "
            "probability p",
            GUARANTEE,
            _sample_population,
        ),
        Check(
            _PART,
            "a secret sample, between tables",
            "(ε, δ) as without it: that a table is a sample hides nothing of who is in it",
            GUARANTEE,
            lambda effort: _tables(effort, lambda budget, _: budget),
        ),
        Check(
            _PART,
            "attempts with ω = m",
            "(0, 0): what they release is the same whatever the seeds are",
            GUARANTEE,
            _seedless,
        ),
        Check(
            _PART,
            "attempts that are composed",
            "all whose ω is below m, and no others",
            GUARANTEE,
            _compose_attempts,
        ),
    )


def shared_parts(effort: Effort) -> MeasuredValue:
    """As if the parts were disjoint, though every record is in both."""
    return _parts(effort, shared=True)


def amplified_for_tables(effort: Effort) -> MeasuredValue:
    """Return the figure between populations, stated between tables."""
    return _tables(effort, composition.amplified_by_sampling)


def count_laws(budget: Budget, most: int) -> FloatArray:
    """Return the laws of a noisy count of 0 … `most` records, shape (1 + most, Y)."""
    ends = np.arange(-2, most + 3)
    noisy = np.exp(-budget.epsilon * np.abs(ends - np.arange(most + 1)[:, None]))
    outer = 1 / (1 - math.exp(-budget.epsilon))
    noisy[:, [0, -1]] *= outer
    noisy /= noisy.sum(axis=1, keepdims=True)
    return np.column_stack([(1 - budget.delta) * noisy, budget.delta * np.eye(most + 1)])


def _parts(effort: Effort, *, shared: bool) -> MeasuredValue:
    draw = RandomInputs(effort.seed + 7)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        first, second = _budget(draw), _budget(draw)
        share = draw.one_of((0.1, 0.5, 0.9))
        stated = composition.parallel(first, second)
        laws = [count_laws(each, _MOST_RECORDS + 1) for each in (first, second)]
        for records in range(_MOST_RECORDS + 1):
            one, more = (
                _everyone(laws, size) if shared else _assign_records(laws, size, share)
                for size in (records, records + 1)
            )
            found = over(hockey_stick(one, more, stated.epsilon), stated.delta)
            at = f"{records} records, {_words(first)} and {_words(second)}, coin {share:g}"
            total |= MeasuredValue(1, float(found), at)
    return total


def _assign_records(laws: list[FloatArray], records: int, share: float) -> FloatArray:
    """Return the joint law of both counts, every assignment of the records written out."""
    joint = np.zeros((laws[0].shape[1], laws[1].shape[1]))
    for parts in product((0, 1), repeat=records):
        second = sum(parts)
        chance = share ** (records - second) * (1 - share) ** second
        joint += chance * np.outer(laws[0][records - second], laws[1][second])
    return joint.ravel()


def _everyone(laws: list[FloatArray], records: int) -> FloatArray:
    return np.outer(laws[0][records], laws[1][records]).ravel()


def _sample_population(effort: Effort) -> MeasuredValue:
    """Return one member more in a population, of which every sample is written out."""
    draw = RandomInputs(effort.seed + 8)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        budget, chance = _budget(draw), draw.one_of((0.01, 0.3, 0.9))
        stated = composition.amplified_by_sampling(budget, chance)
        for one, more in _populations(budget, chance):
            found = over(hockey_stick(one, more, stated.epsilon), stated.delta)
            total |= MeasuredValue(1, float(found), f"{_words(budget)}, p = {chance:g}")
    return total


def _tables(effort: Effort, state: Callable[[Budget, float], Budget]) -> MeasuredValue:
    """Return one record more in the sample itself, whatever population it was drawn from."""
    draw = RandomInputs(effort.seed + 8)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        budget, chance = _budget(draw), draw.one_of((0.01, 0.3, 0.9))
        stated, law = state(budget, chance), count_laws(budget, _MOST_RECORDS + 1)
        without, within = extreme_coin(budget)
        pairs: list[tuple[FloatArray, FloatArray]] = [(without, within), *pairwise(law)]
        for one, more in pairs:
            found = over(hockey_stick(one, more, stated.epsilon), stated.delta)
            total |= MeasuredValue(1, float(found), f"{_words(budget)}, p = {chance:g}")
    return total


def _populations(budget: Budget, chance: float) -> Iterator[tuple[FloatArray, FloatArray]]:
    # The coin that spends the budget in full shows whether the member is in the sample.
    without, within = extreme_coin(budget)
    yield without, (1 - chance) * without + chance * within
    law = count_laws(budget, _MOST_RECORDS + 1)
    for size in range(_MOST_RECORDS + 1):
        yield _sample(law, size, chance), _sample(law, size + 1, chance)


def _sample(law: FloatArray, population: int, chance: float) -> FloatArray:
    drawn = [
        math.comb(population, size) * chance**size * (1 - chance) ** (population - size)
        for size in range(population + 1)
    ]
    return np.asarray(drawn) @ law[: population + 1]


def _seedless(effort: Effort) -> MeasuredValue:
    """Return the law of an attempt that keeps nothing, its decision the shipped one."""
    draw = RandomInputs(effort.seed + 9)
    decision = Decision(RelativeSensitivity(k=50, epsilon0=1.0), pass_cap=0.5)
    codes = UNIVERSE.T
    everything = np.full(len(UNIVERSE), ATTRIBUTES)
    alone = np.zeros(len(UNIVERSE), dtype=np.int64)
    total = NOTHING
    for _ in range(effort.of(_TRIED)):
        made = attempt_chances(network(draw), (ATTRIBUTES,))[0]
        candidates = Candidates(codes, everything, np.arange(len(UNIVERSE)), alone)
        passed = decision.passes(candidates, ATTRIBUTES, True, draw.source)
        one, more = draw.table(len(UNIVERSE), 1), draw.table(len(UNIVERSE), 1)
        outcomes = np.column_stack([made * passed, (made * ~passed).sum(axis=1)])
        apart = hockey_stick(one / one.sum() @ outcomes, more / more.sum() @ outcomes, 0.0)
        total |= MeasuredValue(1, float(over(apart, 0.0)))
    return total


def _compose_attempts(_: Effort) -> MeasuredValue:
    """Return the attempts that look at a seed, counted one by one, over those that are composed."""
    total = NOTHING
    for omega, attempts in product(OMEGAS, range(9)):
        drawn = omega.sequence(0, attempts, RandomInputs(0).source)
        looking = attempts if not omega.per_attempt else int((drawn < ATTRIBUTES).sum())
        stated = omega.seed_attempts(attempts, ATTRIBUTES)
        found = looking / stated if stated else math.inf if looking else 0.0
        total |= MeasuredValue(1, found, f"ω = {omega}, {attempts} attempts")
    return total


def _budget(draw: RandomInputs) -> Budget:
    return Budget(draw.one_of((0.1, 0.5, 1.0, 2.0)), draw.one_of((0.0, 1e-6, 0.01)))


def _words(budget: Budget) -> str:
    return f"({budget.epsilon:g}, {budget.delta:g})"
