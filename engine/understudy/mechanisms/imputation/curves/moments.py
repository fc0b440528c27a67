"""Bounds by moments of the privacy loss: to tell tables that cannot be the worst, and for a δ too
small for convolutions in double precision.

For any λ > 1, δ(ε) ≤ e^{K(λ) − (λ−1)ε}·(1 − 1/λ)^{λ−1}/λ with K(λ) = ln E e^{(λ−1)L}, and the K of
independent draws add up (Canonne, Kamath and Steinke 2020, Proposition 12). Of a draw of the
parameter, of a row and of a Gaussian both K have closed forms; of counts they are sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from understudy.mechanisms.imputation.curves.atoms import AtomsCurve
from understudy.mechanisms.imputation.curves.curve import Curve, Floats, delta_at, epsilon_at

_LAMBDAS: Floats = 1 + np.geomspace(0.05, 2000, 60)
_LEFT: Floats = (_LAMBDAS - 1) * np.log1p(-1 / _LAMBDAS) - np.log(_LAMBDAS)


@dataclass(frozen=True)
class Figure:
    """What is asked of a curve: ε at a δ, or δ at an ε.

    Attributes:
        at: the δ, or the ε.
        epsilon: whether ε is asked for.
    """

    at: float
    epsilon: bool

    def of(self, curve: Curve) -> float:
        """Return the figure of a curve."""
        return epsilon_at(curve, self.at) if self.epsilon else delta_at(curve, self.at)

    def bound(self, logs: Floats) -> float:
        """No less than the figure of a curve with these K at `_LAMBDAS`."""
        rising = _LAMBDAS - 1
        if self.epsilon:
            found = (logs + _LEFT - math.log(self.at)) / rising
            return max(0.0, float(np.min(found)))
        return min(1.0, float(np.exp(np.min(logs + _LEFT - rising * self.at))))


def of_parameter(a: float, b: float) -> Floats:
    """K of a draw of the parameter for the pair (a, b), the larger of both ways; infinite where
    there is none."""
    return np.maximum(_beta(a, b), _beta(b + 1, a - 1))


def _beta(a: float, b: float) -> Floats:
    rising = _LAMBDAS - 1
    fits = rising < b
    down = np.where(fits, b - rising, 1.0)
    logs = gammaln(a + rising) - gammaln(a) + gammaln(down) - gammaln(b)
    logs = logs + rising * (math.log(b) - math.log(a - 1))
    return np.asarray(np.where(fits, logs, np.inf))


def of_row(a: float, b: float, rest: float) -> Floats:
    """K of one row with a draw of its own for the pair (a, b | r), the larger of both ways."""
    total = a + b + rest
    return np.maximum(_row(a, a - 1, b, b + 1, total), _row(a - 1, a, b + 1, b, total))


def _row(a: float, other_a: float, b: float, other_b: float, total: float) -> Floats:
    # ln(1 + Σ (p·(p/q)^{λ−1} − p)), which is next to 0 for a single row.
    rising = _LAMBDAS - 1
    with np.errstate(over="ignore"):
        more = a * np.expm1(rising * math.log(a / other_a))
        less = b * np.expm1(rising * math.log(b / other_b))
    return np.asarray(np.log1p((more + less) / total))


def of_counts(curve: AtomsCurve) -> Floats:
    """K of counts, the larger of both ways; what is not listed counts as the largest loss."""
    ways = ((curve.log_chance, curve.loss), (curve.log_chance - curve.loss, -curve.loss))
    found = np.maximum(*(_summed(*way) for way in ways))
    if curve.left_out > 0:
        rest = math.log(curve.left_out) + (_LAMBDAS - 1) * curve.largest
        found = np.logaddexp(found, rest)
    return np.asarray(found)


def _summed(log_chance: Floats, loss: Floats) -> Floats:
    """ln Σ chance·e^{(λ−1)·loss} at each λ, one after the other: all at once fill the memory."""
    found = np.empty(len(_LAMBDAS))
    logs = np.empty(len(loss))
    for place, rising in enumerate(_LAMBDAS - 1):
        np.multiply(loss, rising, out=logs)
        logs += log_chance
        most = logs.max()
        logs -= most
        found[place] = most + math.log(np.exp(logs, out=logs).sum())
    return found


def of_gaussian(ratio: float) -> Floats:
    """K of a Gaussian mechanism, and of a discrete Gaussian one whose shift is a whole number of
    steps (Canonne, Kamath and Steinke 2020, Proposition 5)."""
    return np.asarray(_LAMBDAS * (_LAMBDAS - 1) * ratio**2 / 2)


def of_pure(epsilon: float) -> Floats:
    """K of randomised response, than which nothing of this ε without a δ tells more."""
    more = _LAMBDAS * epsilon
    return np.asarray(np.logaddexp(more, (1 - _LAMBDAS) * epsilon) - np.logaddexp(epsilon, 0.0))
