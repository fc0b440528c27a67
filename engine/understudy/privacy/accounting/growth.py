"""The total ε against the number of units, and (ε, δ) of one unit against t."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import understudy.privacy.accounting.composition as compose
from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.best_t import (
    best_t,
    delta_at,
    epsilon_at,
    meets,
    total_epsilon_at,
)
from understudy.privacy.accounting.checks import check_count, check_t
from understudy.privacy.accounting.unit import Unit
from understudy.privacy.budget import Budget


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


def growth(figures: Account, counts: npt.ArrayLike, *, t: int | None = None) -> Growth:
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
    """ε by each composition; NaN where advanced composition is left no δ."""
    each = Budget(epsilon_at(unit, t), delta_at(unit, t))
    slack = delta - count * each.delta
    advanced = compose.advanced(each, count, slack).epsilon if slack > 0 else math.nan
    return count * each.epsilon, advanced, total_epsilon_at(unit, t, count, delta)


def tradeoff(figures: Account, *, points: int = 1000) -> tuple[IntArray, FloatArray, FloatArray]:
    """(t, ε, δ) of one unit for every t from 1 to k − 1, or for `points` evenly spaced t.

    All three are empty for the deterministic test, and where k = 1.
    """
    unit = figures.unit
    if unit is None or unit.k == 1:
        return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    t = np.unique(np.linspace(1, unit.k - 1, min(points, unit.k - 1)).round().astype(np.int64))
    return t, unit.epsilon(t), unit.delta(t)
