"""Curves of a guarantee: the total ε against the number of units, (ε, δ) of one unit against t,
and the advantage over a coin against noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

import understudy.privacy.accounting.composition as compose
from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import check_count, check_t
from understudy.privacy.accounting.unit import (
    Unit,
    best_t,
    meets,
    total_epsilon_at,
    unit_delta,
    unit_epsilon,
)
from understudy.privacy.budget import Budget

# The total ε against the number of units, and (ε, δ) of one unit against t.


@dataclass(frozen=True)
class Growth:
    """ε against the number of units at a fixed total δ; NaN where nothing is guaranteed.

    Attributes:
        count: the numbers of units, as asked.
        t: the t of an account of so many units; 0 where no t meets the δ.
        sequential, advanced, optimal: ε of each composition at that t.
    """

    count: IntArray
    t: IntArray
    sequential: FloatArray
    advanced: FloatArray
    optimal: FloatArray

    @property
    def total(self) -> FloatArray:
        """The smallest of them."""
        return np.fmin(np.fmin(self.sequential, self.advanced), self.optimal)


def grow_guarantee(figures: Account, counts: npt.ArrayLike, *, t: int | None = None) -> Growth:
    """Return the guarantee for one record that an account would state for other numbers of units.

    Args:
        figures: an account; only the number of units is varied.
        counts: whole numbers of 1 or more, shape (P,).
        t: to state all of them at this t, not at the best one of each.

    Raises:
        Refusal: a number is out of range.
    """
    units = np.asarray(counts, dtype=np.int64).ravel()
    for extreme in (units.min(initial=1), units.max(initial=1)):
        check_count(extreme, figures.protocol)
    if t is not None:
        check_t(t, figures.test.k)
    unit, delta = figures.unit, figures.record_delta
    rows = np.full((3, units.size), math.nan)
    chosen = np.zeros(units.size, dtype=np.int64)
    if unit is None:
        return Growth(units, chosen, *rows)
    for place, many in enumerate(units.tolist()):
        at = best_t(unit, many, delta) if t is None else t
        if at == 0 or not meets(unit, at, many, delta):
            continue
        chosen[place] = at
        rows[:, place] = _totals(unit, at, many, delta)
    return Growth(units, chosen, *rows)


def _totals(unit: Unit, t: int, count: int, delta: float) -> tuple[float, float, float]:
    """Return ε by each composition; NaN where advanced composition is left no δ."""
    each = Budget(unit_epsilon(unit, t), unit_delta(unit, t))
    slack = delta - count * each.delta
    advanced = compose.compose_advanced(each, count, slack).epsilon if slack > 0 else math.nan
    return count * each.epsilon, advanced, total_epsilon_at(unit, t, count, delta)


def unit_tradeoff(
    figures: Account, *, points: int = 1000
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return (t, ε, δ) of one unit for every t from 1 to k − 1, or for `points` evenly spaced t.

    All three are empty for the deterministic test, and where k = 1.
    """
    unit = figures.unit
    if unit is None or unit.k == 1:
        return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    t = np.unique(np.linspace(1, unit.k - 1, min(points, unit.k - 1)).round().astype(np.int64))
    return t, unit.epsilon(t), unit.delta(t)


# How much better than by a coin anybody tells two inputs apart, from what Gaussian noise releases.
#
# Somebody guesses which of two neighbouring inputs a release was made from. The best guess is right
# with probability (1 + TV)/2 where both are equally likely beforehand, so its advantage over a coin
# is TV, the total variation of the two laws of the release.
#
# **Continuous noise.** Coordinate k is shifted by μ_k and has noise of deviation s_k. By the Neyman
# and Pearson lemma TV = 2Φ(‖μ/s‖/2) − 1 (Dong, Roth and Su 2022, for μ/s of one coordinate).
#
# **Discrete noise.** Let y be normal about an integer m with deviation s, and x an integer drawn
# with weights exp(−(x − y)²/2r²). By Poisson's summation the sum of these weights is r√(2π)·(1 ± η)
# for any y, where η = 2·Σ_{j ≥ 1} exp(−2π²r²j²). So x has each value with the chance that the
# discrete Gaussian about m with variance s² + r² gives it, up to a factor of (1 + η)/(1 − η) at
# most (Peikert 2010, Theorem 3.1, is the general statement). For r = 4, η is below 1e-136. So
# discrete noise of deviations σ_k is what follows from continuous noise of variances σ_k² − r², and
# its TV is at most that of the latter, up to the number of coordinates times 4η, which is below
# 1e-100 for as many as a computer can hold. If Σ μ_k²/2σ_k² ≤ ρ, then ‖μ/s‖² ≤ 2ρ/(1 − r²/σ²) with
# the least σ, whence
#
#     TV ≤ 2Φ(√(ρ′/2)) − 1,  ρ′ = ρ/(1 − r²/σ²).

SMOOTHING: Final = 4.0
"""r above, in units of the noise."""


def guess_advantage(rho: float, least: float) -> float:
    """Return the most by which anybody's guess whether one person is in a table beats a coin, 0 to
    1.

    Args:
        rho: Σ μ²/2σ² over all that is released, at most, for one person.
        least: the least deviation of the discrete Gaussians, in units of what they are added to.
    """
    left = 1 - (SMOOTHING / least) ** 2 if least > SMOOTHING else 0.0
    return math.erf(math.sqrt(rho / left) / 2) if left > 0 else 1.0
