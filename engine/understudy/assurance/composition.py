"""Composition theorems against mechanisms that attain their (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import product

import numpy as np
from scipy.special import gammaln

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.random_inputs import RandomInputs
from understudy.core.arrays import FloatArray
from understudy.privacy.accounting import composition
from understudy.privacy.accounting.composition import optimal_mixed
from understudy.privacy.budget import Budget

_PART = "Composition"
_RUNS = 400
_MOST = 6
_ATTAINED = 1e-6
_SMALLEST_DELTA = 1e-6
_TIMES = (10, 100, 1_000, 10_000)
_LOGS = 1e-9
"""What logarithms of factorials may lose."""


def list_checks() -> tuple[Check, ...]:
    """Return the sum, advanced and optimal composition, and runs of different kinds."""
    return (
        _check("the sum", "(mε, mδ)", "Theorem 2.1, Bindschaedler 2018", _sum),
        _check(
            "advanced composition",
            "ε′ = ε√(2m ln(1/δ″)) + mε(e^ε − 1), δ′ = mδ + δ″",
            "Theorem 2.2, Bindschaedler 2018",
            _compose_advanced,
        ),
        _check(
            "optimal composition",
            "δ′ = 1 − (1 − δ)^m (1 − Δ(ε′))",
            "Theorem 3.3, Kairouz, Oh and Viswanath 2015",
            _optimal,
        ),
        _check(
            "optimal composition, attained",
            "no smaller δ′ holds: the coins come within 10^−6 of it",
            "Theorem 3.3, Kairouz, Oh and Viswanath 2015",
            _optimal_attained,
        ),
        Check(
            _PART,
            "many uses, all compositions",
            "up to 10,000 uses of an (ε, δ): the sum, advanced and optimal composition",
            "as above",
            _many_uses,
        ),
        Check(
            _PART,
            "runs of different kinds",
            "the total of runs with an (ε, δ) each of their own",
            "Theorem 1.5, Murtagh and Vadhan 2016",
            lambda effort: _worst(_different(effort), _mix_laws),
        ),
    )


def extreme_coin(budget: Budget) -> FloatArray:
    """Return the coin that spends all of a budget, shape (2, 4): its law on either neighbour."""
    truth = 1 / (1 + math.exp(-budget.epsilon))
    kept = (1 - budget.delta) * np.array([truth, 1 - truth])
    return np.array([[budget.delta, *kept, 0.0], [0.0, *kept[::-1], budget.delta]])


def product_law(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the joint law of two independent mechanisms, (2, Y) and (2, Z) to (2, Y·Z)."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)


def repeated_divergence(budget: Budget, times: int, total: float) -> float:
    """Return the divergence at ε′ = `total` of so many coins, counted by how many of them lie.

    Written out without the composition that it is to be held against: C(m, ℓ) outcomes with ℓ
    lies have probability e^{(m−ℓ)ε} and e^{ℓε} under either neighbour, over (1 + e^ε)^m.
    """
    lies = np.arange(times + 1)
    ways = gammaln(times + 1) - gammaln(lies + 1) - gammaln(times - lies + 1)
    ways -= times * math.log1p(math.exp(-budget.epsilon))
    one = np.exp(ways - lies * budget.epsilon)
    other = np.exp(ways - lies[::-1] * budget.epsilon)
    kept = times * math.log1p(-budget.delta)
    return -math.expm1(kept) + math.exp(kept) * float(hockey_stick(one, other, total))


Runs = tuple[Budget, ...]
Claims = Callable[[Runs, FloatArray], Iterator[float]]


def _check(name: str, claim: str, source: str, claims: Claims) -> Check:
    return Check(_PART, name, claim, source, lambda effort: _worst(_equal(effort), claims))


def _equal(effort: Effort) -> Iterator[Runs]:
    draw = RandomInputs(effort.seed + 5)
    for _ in range(effort.of(_RUNS)):
        yield (_budget(draw),) * draw.whole(1, _MOST)


def _different(effort: Effort) -> Iterator[Runs]:
    draw = RandomInputs(effort.seed + 6)
    for _ in range(effort.of(_RUNS // 4)):
        yield tuple(_budget(draw) for _ in range(draw.whole(2, _MOST)))


def _budget(draw: RandomInputs) -> Budget:
    return Budget(
        draw.one_of((0.01, 0.1, 0.5, 1.0, 2.5)) * (0.5 + float(draw.uniforms(1)[0])),
        draw.one_of((0.0, _SMALLEST_DELTA, 1e-3, 0.05)),
    )


def _worst(tried: Iterable[Runs], claims: Claims) -> MeasuredValue:
    total = NOTHING
    for runs in tried:
        law = reduce(product_law, (extreme_coin(each) for each in runs))
        for found in claims(runs, law):
            total |= MeasuredValue(
                1, found, ", ".join(f"({e.epsilon:.3g}, {e.delta:g})" for e in runs)
            )
    return total


def _over(law: FloatArray, stated: Budget) -> float:
    return float(over(hockey_stick(law[0], law[1], stated.epsilon), stated.delta))


def _sum(runs: Runs, law: FloatArray) -> Iterator[float]:
    yield _over(law, composition.sequential(runs[0], len(runs)))


def _compose_advanced(runs: Runs, law: FloatArray) -> Iterator[float]:
    for slack in (1e-6, 1e-3, 0.1):
        yield _over(law, composition.compose_advanced(runs[0], len(runs), slack))


def _optimal(runs: Runs, law: FloatArray) -> Iterator[float]:
    for target in _targets(runs):
        stated = composition.optimal(runs[0], len(runs), target)
        if stated.bounded:
            yield _over(law, stated)


def _optimal_attained(runs: Runs, law: FloatArray) -> Iterator[float]:
    for target in _targets(runs):
        stated = composition.optimal(runs[0], len(runs), target)
        if stated.bounded and stated.epsilon > 0 and stated.delta > 0:
            yield abs(_over(law, stated) - 1) / _ATTAINED


def _mix_laws(runs: Runs, law: FloatArray) -> Iterator[float]:
    for target in _targets(runs):
        stated = optimal_mixed(runs, target)
        if stated.bounded:
            yield _over(law, stated)


def _many_uses(_: Effort) -> MeasuredValue:
    total = NOTHING
    for times, epsilon, delta in product(_TIMES, (1e-3, 0.02, 0.3), (0.0, 1e-9)):
        budget = Budget(epsilon, delta)
        for slack in (1e-9, 1e-4):
            for stated in (
                composition.sequential(budget, times) + Budget(0.0, slack),
                composition.compose_advanced(budget, times, slack),
                composition.optimal(budget, times, times * delta + slack),
            ):
                found = (
                    repeated_divergence(budget, times, stated.epsilon) / stated.delta / (1 + _LOGS)
                )
                total |= MeasuredValue(1, found, f"{times} uses of ({epsilon:g}, {delta:g})")
    return total


def _targets(runs: Runs) -> Iterator[float]:
    """Yield a little, and a lot, more δ than the runs use up, and no more at all."""
    alone = 1 - math.prod(1 - each.delta for each in runs)
    for more in (0.0, 1e-6, 1e-3, 0.1):
        if alone + more > 0:
            yield alone + more
