"""Checks of training a network: how far one record moves it, and what its noise costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.real_runs import Asked
from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.models.latent.features import S
from understudy.models.latent.moments import entries
from understudy.models.latent.networks.autoencoder import FINE, UNIT, Layer, Network, NetworkShape
from understudy.models.latent.networks.training import clipped_sum
from understudy.models.latent.networks.variational import (
    Variational,
    count_flags,
    plan_network,
    with_law,
)
from understudy.privacy.accounting.loss_laws import Sampled, step_divergence
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

Summing = Callable[[tuple[Layer, ...], float, int], IntArray]
"""As `clipped_sum`."""
Measuring = Callable[[Network, CodeArray, float, Noise, RandomSource], Variational]
"""As `with_law`."""

_PART = "Training a network"
_PAGE = "docs/latent.md"
_SHAPE = NetworkShape(5, 4, 2)
_TABLES = 40
_BOUND = 1 << 36
_CLIP = 0.5
_RHO = 0.02


def list_checks() -> tuple[Check, ...]:
    """Return sums of slopes, the law of codes, and what both cost."""
    return (
        Check(
            _PART,
            "how far one record moves a sum of slopes",
            "one record more moves the sum by a whole vector no longer than the bound",
            _PAGE,
            measure_move,
        ),
        Check(
            _PART,
            "how far one record moves the moments of codes",
            "their squared distance, over 2σ² of the noise, is at most ρ",
            _PAGE,
            codes_moved,
        ),
        Check(
            _PART,
            "how far one record moves counts of flags",
            "their squared distance, over 2σ² of the noise, is at most ρ",
            _PAGE,
            shares_moved,
        ),
        Check(
            _PART,
            "what the law of codes looks at",
            "the same noisy answers give the same law, whatever the records are",
            _PAGE,
            looked_at,
        ),
        Check(
            _PART,
            "what a step costs",
            "exact Rényi divergences of discrete noise on a Poisson sample, both ways, are at most "
            "the accountant’s",
            "Mironov, Talwar and Zhang 2019, Section 3.3",
            step_cost,
        ),
        Check(
            _PART,
            "what all of it costs",
            "steps, moments of codes and counts of flags together stay within the budget",
            _PAGE,
            _within,
        ),
    )


def list_mutants() -> Iterator[Check]:
    """Training that is broken in the ways that would matter."""
    sums: tuple[tuple[str, str, Summing], ...] = (
        ("a record unclipped", "slopes are added as long as they are", skip_clipping),
        ("divided by the true sample", "the sum is divided by how many were taken", by_the_sample),
        ("the divergence of the batch", "the published penalty, of the batch’s mean", of_the_batch),
    )
    for name, what, broken in sums:
        yield Check.mutant(f"network, {name}", what, partial(measure_move, summing=broken))
    yield Check.mutant(
        "network, codes not paid for",
        "the law of codes from exact moments",
        partial(looked_at, measuring=exact_law),
    )
    yield Check.mutant(
        "network, half the noise",
        "noise of half the σ in every step",
        partial(step_cost, drawn=0.5),
    )


def measure_move(effort: Effort, summing: Summing = clipped_sum) -> MeasuredValue:
    """Return how far sums of neighbours are apart, in bounds."""
    total = NOTHING
    for network, numbers, draw in _tables(effort, 1):
        normals = _normals(draw, len(numbers))
        both = [
            summing(
                network.slopes(numbers[first:].astype(np.float64), normals[first:], 0.5),
                _CLIP,
                _BOUND,
            )
            for first in (0, 1)
        ]
        # Halves of the bound squared are beyond 64 bits, so lengths are taken in whole numbers.
        apart = math.isqrt(sum(int(each) ** 2 for each in (both[0] - both[1]).tolist()))
        total |= MeasuredValue(1, apart / _BOUND, f"{len(numbers)} records")
    return total


def codes_moved(effort: Effort) -> MeasuredValue:
    """Return how much ρ the moments of codes cost, over what is paid."""
    total = NOTHING
    for network, numbers, _ in _tables(effort, 2):
        answers = [_Fixed(), _Fixed()]
        for answer, table in zip(answers, (numbers, numbers[:-1]), strict=True):
            with_law(network, table, _RHO, answer, RandomSource.fixed(effort.seed))
        total |= MeasuredValue(1, _cost(answers) / _RHO, f"{len(numbers)} records")
    return total


def shares_moved(effort: Effort) -> MeasuredValue:
    """Return how much ρ counts of flags cost, over what is paid."""
    total = NOTHING
    for _, numbers, _ in _tables(effort, 4):
        numbers[0] |= UNIT * (len(numbers) % 2)
        answers = [_Fixed(), _Fixed()]
        for answer, table in zip(answers, (numbers, numbers[1:]), strict=True):
            count_flags(table > 0, _RHO, answer)
        total |= MeasuredValue(1, _cost(answers) / _RHO, f"{len(numbers)} records")
    return total


def _cost(answers: list[_Fixed]) -> float:
    """Return the ρ by which what two were asked is apart."""
    (more, scale), (fewer, _) = (each.asked[0] for each in answers)
    return float(((more - fewer).astype(np.float64) ** 2).sum()) / (2 * scale**2)


def looked_at(effort: Effort, measuring: Measuring = with_law) -> MeasuredValue:
    """Return whether the law differs between neighbours who get the same noisy answers."""
    total = NOTHING
    for network, numbers, _ in _tables(effort, 3):
        source = RandomSource.fixed(effort.seed)
        more, fewer = (
            measuring(network, table, _RHO, _Fixed(), source) for table in (numbers, numbers[1:])
        )
        same = (more.middle == fewer.middle).all() and (more.root == fewer.root).all()
        total |= MeasuredValue(1, 0.0 if same else math.inf, f"{len(numbers)} records")
    return total


def step_cost(_: Effort, drawn: float = 1.0) -> MeasuredValue:
    """Divergences of a step by its law, over the accountant's."""
    total = NOTHING
    places = np.arange(-400, 401)
    for sigma in (0.8, 2.0, 5.0):
        for shift in (1, 3):
            spread = sigma * drawn
            base, other = (-((places - at) ** 2.0) / (2 * spread**2) for at in (0, shift))
            base, other = base - logsumexp(base), other - logsumexp(other)
            for rate in (0.01, 0.3):
                mixed = np.logaddexp(math.log1p(-rate) + base, math.log(rate) + other)
                for order in (2, 4, 8):
                    found = max(_divergence(order, mixed, base), _divergence(order, base, mixed))
                    claimed = step_divergence(order, rate, sigma / shift)
                    # The sums are near 1, and what lies above it loses the last places of a double.
                    found = (found - 1e-14) / (1 + 1e-9)
                    total |= MeasuredValue(1, found / claimed, f"σ = {sigma:g}, q = {rate:g}")
    return total


def skip_clipping(layers: tuple[Layer, ...], clip: float, bound: int) -> IntArray:
    """Return a mutant of `clipped_sum` that cuts nothing."""
    unit = bound / (clip * UNIT * FINE)
    sums = [
        np.concatenate([each.inputs.T @ each.by_sums, each.by_sums.sum(axis=0)[None] * UNIT])
        for each in layers
    ]
    return np.concatenate([np.rint(each * unit).astype(np.int64).ravel() for each in sums])


def by_the_sample(layers: tuple[Layer, ...], clip: float, bound: int) -> IntArray:
    """Return a mutant that divides by the sample's own size instead of a public forty."""
    taken = max(1, len(layers[0].inputs))
    return np.asarray(clipped_sum(layers, clip, bound) * 40 // taken)


def of_the_batch(layers: tuple[Layer, ...], clip: float, bound: int) -> IntArray:
    """Return a mutant with the published autoencoder's penalty: of the batch's mean of codes, so
    that every record's slope moves with every other record."""
    batch = layers[2].inputs.mean(axis=0) * (FINE // UNIT) if len(layers[2].inputs) else 0.0
    law = layers[1].by_sums.copy()
    law[:, : _SHAPE.width] += 30 * batch
    penalised = (layers[0], Layer(layers[1].inputs, law), *layers[2:])
    return clipped_sum(penalised, clip, bound)


def exact_law(
    network: Network, numbers: CodeArray, rho: float, noise: Noise, source: RandomSource
) -> Variational:
    """Return a mutant of `with_law` that asks for no noise."""
    return with_law(network, numbers, rho, _Exact(source), source)


class _Fixed(Noise):
    """Answers every question with the same numbers, and keeps what was asked."""

    def __init__(self) -> None:
        super().__init__(RandomSource.fixed(0))
        self.asked: list[tuple[IntArray, float]] = []

    def gaussians(self, values: IntArray, scale: float) -> IntArray:
        """Ascending numbers."""
        self.asked.append((values, scale))
        return np.arange(values.size, dtype=np.int64) + (1 << 24)


class _Exact(Noise):
    """Adds nothing."""

    def gaussians(self, values: IntArray, scale: float) -> IntArray:
        """Return the values as they are."""
        return values


def _tables(effort: Effort, stream: int) -> Iterator[tuple[Network, CodeArray, RandomInputs]]:
    """Yield random networks, from nearly none to steep, with random records and many equal ones."""
    draw = RandomInputs(effort.seed + 20 + stream)
    for turn in range(effort.of(_TABLES)):
        steep = (1, 4, 30)[turn % 3]
        weights = np.array(draw.several(-1000, 1000, _SHAPE.weights)) * (steep / 1000)
        rows = draw.whole(2, 12)
        columns = [draw.several(0, 1, rows) for _ in range(_SHAPE.columns)]
        numbers = np.column_stack(columns).astype(np.uint16) * UNIT
        if turn % 4 == 0:
            numbers[1:] = numbers[1]
        yield Network.of(_SHAPE, np.asarray(weights)), numbers, draw


def _normals(draw: RandomInputs, rows: int) -> FloatArray:
    columns = [draw.several(-2 * UNIT, 2 * UNIT, rows) for _ in range(_SHAPE.width)]
    return np.column_stack(columns).astype(np.float64)


def _divergence(order: int, one: FloatArray, other: FloatArray) -> float:
    """Return Rényi's, of laws in logarithms."""
    return float(logsumexp(order * one + (1 - order) * other)) / (order - 1)


def _within(_: Effort) -> MeasuredValue:
    total = NOTHING
    for records, budget in ((60_000, Budget(1.0, 1e-9)), (400_000, Budget(0.5, 1e-10))):
        found = plan_network(42, records, budget).cost
        spent = max(found.epsilon / budget.epsilon, found.delta / budget.delta)
        total |= MeasuredValue(1, spent, f"{records:,} records")
    return total


_MISS: Final = 1e-9
"""The chance that a sound run takes a record in more or fewer steps than is let pass."""
LEAST: Final[Mapping[str, float]] = {
    "a step": 0.9,
    "codes at their bound": 0.999,
    "shares": 0.999,
    "all": 0.999,
}
"""No code of a small network is as far out as the noise on their moments is for."""


@dataclass(frozen=True)
class NetworkSteps:
    """What is said of a training.

    Attributes:
        rate, steps, multiplier: of its steps.
        codes, shares: ρ of the moments of codes, and of the counts of flags.
        width: how many numbers a code has.
        paid: what all of it costs.
    """

    rate: float
    steps: int
    multiplier: float
    codes: float
    shares: float
    width: int
    paid: Budget

    def measure_cost(self, one: Asked, other: Asked) -> Mapping[str, float]:
        """Return what each part costs, over what is claimed of it.

        A step in which a record is taken costs 1/2z², z the multiplier; in how many it is taken is
        counted. What all of that adds up to with chance beforehand is for the accountant to say.
        """
        if len(one) != self.steps + 2:
            return {"steps": math.inf}
        each = np.array([first.cost(second) for first, second in zip(one, other, strict=True)])
        taken = int((each[: self.steps] > 0).sum())
        furthest = one[self.steps].at_most(S**2 * math.sqrt(entries(self.width)))
        added_up = Sampled(self.rate, self.steps, self.multiplier, self.codes + self.shares)
        return {
            "a step": float(each[: self.steps].max()) * 2 * self.multiplier**2,
            "taken": taken / float(binom.isf(_MISS, self.steps, self.rate)),
            "not taken": (self.steps - taken) / float(binom.isf(_MISS, self.steps, 1 - self.rate)),
            "codes": float(each[self.steps]) / self.codes,
            "codes at their bound": furthest / self.codes,
            "shares": float(each[self.steps + 1]) / self.shares,
            "all": added_up.cost(self.paid.delta).epsilon / self.paid.epsilon,
        }
