"""Linear classifiers by empirical risk minimisation, ordinary and private.

After Chaudhuri, Monteleoni and Sarwate, "Differentially private empirical risk minimization",
JMLR 12, 2011: Algorithm 1 (output perturbation), Algorithm 2 (objective perturbation), and the
Huber loss in place of the hinge. Records are rows x of norm at most 1 with signs y = ±1;

    J(f) = 1/n Σ ℓ(y f·x) + λ/2 ‖f‖²

This is for comparison only and is never released: no guarantee is claimed. Noise is in
floating point, minimisation stops short of the minimum, and λ is chosen on the records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special
from threadpoolctl import threadpool_limits

from understudy.core.arrays import FloatArray, IntArray
from understudy.evaluation.features import Features

_SLACK = 1e-9
_HALF_WIDTH = 0.5

_STEPS = 500
_FALL = 1e-9
_SLOPE = 1e-6


@dataclass(frozen=True)
class Loss:
    """A convex loss of the margin z = y f·x, with a slope between −1 and 0.

    Attributes:
        name: of the classifier that minimises it.
        value: ℓ(z).
        slope: ℓ'(z).
        curvature: the largest ℓ''; c of the paper.
    """

    name: str
    value: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    curvature: float


def _huber(margin: FloatArray) -> FloatArray:
    """0 above 1 + h, 1 − z below 1 − h, a parabola between."""
    inside = np.clip(1 + _HALF_WIDTH - margin, 0, 2 * _HALF_WIDTH)
    below = np.maximum(1 - _HALF_WIDTH - margin, 0)
    return np.asarray(inside**2 / (4 * _HALF_WIDTH) + below)


def _huber_slope(margin: FloatArray) -> FloatArray:
    return np.asarray(-np.clip((1 + _HALF_WIDTH - margin) / (2 * _HALF_WIDTH), 0, 1))


LOGISTIC = Loss(
    "logistic regression",
    lambda margin: np.logaddexp(0, -margin),
    lambda margin: np.asarray(-special.expit(-margin)),
    1 / 4,
)
HUBER = Loss("linear SVM", _huber, _huber_slope, 1 / (2 * _HALF_WIDTH))


@dataclass(frozen=True, eq=False)
class Risk:
    """The regularised empirical risk of several classifiers on the same records.

    Attributes:
        features: (n, d) rows of norm at most 1.
        signs: (n, K) ±1, a column for each classifier.
        loss: ℓ.
        penalty: λ, above 0.

    Raises:
        ValueError: a row has a norm above 1.
    """

    features: Features
    signs: FloatArray
    loss: Loss
    penalty: float

    def __post_init__(self) -> None:
        if (self.features.multiply(self.features)).sum(axis=1).max() > 1 + _SLACK:
            raise ValueError("a row of features has a norm above 1")

    @property
    def shape(self) -> tuple[int, int]:
        """(d, K) of the classifiers."""
        return self.features.shape[1], self.signs.shape[1]

    def least(
        self, tilt: FloatArray | None = None, extra: float = 0.0, start: FloatArray | None = None
    ) -> FloatArray:
        """(d, K) the minima of J(f) + b·f/n + Δ/2 ‖f‖², one column for each classifier.

        Args:
            tilt: (d, K) b; none without.
            extra: Δ.
            start: (d, K) where to look first; it saves time and changes nothing else.
        """
        begin = np.zeros(self.shape) if start is None else start
        tilted = np.zeros(self.shape) if tilt is None else tilt / len(self.signs)
        penalty = self.penalty + extra
        # Made once, as making it costs about as much as one step.
        across = self.features.T

        def of(flat: FloatArray) -> tuple[float, FloatArray]:
            f = flat.reshape(self.shape)
            margin = self.signs * (self.features @ f)
            value = self.loss.value(margin).sum() / len(self.signs)
            pull = across @ (self.signs * self.loss.slope(margin)) / len(self.signs)
            value += (tilted * f).sum() + penalty / 2 * (f**2).sum()
            return float(value), (pull + tilted + penalty * f).ravel()

        # The steps are too small for several threads.
        with threadpool_limits(1, user_api="blas"):
            found = optimize.minimize(
                of,
                begin.ravel(),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": _STEPS, "maxfun": 2 * _STEPS, "ftol": _FALL, "gtol": _SLOPE},
            )
        return np.asarray(found.x).reshape(self.shape)


def sensitivity(records: int, penalty: float) -> float:
    """2/(nλ): the L2 sensitivity of the minimiser to replacing one record (their Lemma 1)."""
    return 2 / (records * penalty)


def output_perturbation(
    risk: Risk, least: FloatArray, epsilon: float, random: np.random.Generator
) -> FloatArray:
    """(d, K) minimisers with noise added: Algorithm 1.

    Args:
        risk: what is minimised.
        least: (d, K) its minima.
        epsilon: of all K classifiers together; each has an equal share.
        random: where the noise comes from.
    """
    rate = epsilon / risk.shape[1] / sensitivity(len(risk.signs), risk.penalty)
    return least + noise(risk.shape, rate, random)


def objective_perturbation(
    risk: Risk, least: FloatArray, epsilon: float, random: np.random.Generator
) -> FloatArray:
    """(d, K) minimisers of a randomly perturbed objective: Algorithm 2.

    Args:
        risk: the objective before perturbation.
        least: (d, K) its minimisers, where the search starts.
        epsilon: of all K classifiers together; each has an equal share.
        random: where the noise comes from.
    """
    share = epsilon / risk.shape[1]
    rate, extra = objective_noise(len(risk.signs), risk.penalty, risk.loss.curvature, share)
    return risk.least(noise(risk.shape, rate, random), extra, start=least)


def objective_noise(
    records: int, penalty: float, curvature: float, epsilon: float
) -> tuple[float, float]:
    """Return the rate β of the noise b, and the extra penalty Δ, of Algorithm 2.

    ε' = ε − ln(1 + 2c/(nλ) + c²/(n²λ²)) and Δ = 0 where ε' is above 0; else
    Δ = c/(n(e^{ε/4} − 1)) − λ and ε' = ε/2. β = ε'/2.
    """
    left = epsilon - 2 * math.log1p(curvature / (records * penalty))
    if left > 0:
        return left / 2, 0.0
    return epsilon / 4, curvature / (records * math.expm1(epsilon / 4)) - penalty


def noise(shape: tuple[int, int], rate: float, random: np.random.Generator) -> FloatArray:
    """(d, K) columns b of density ∝ exp(−rate·‖b‖).

    Any direction is as likely as any other, and the length follows Gamma(d, 1/rate).
    """
    direction = random.standard_normal(shape)
    direction /= np.linalg.norm(direction, axis=0)
    return np.asarray(direction * random.gamma(shape[0], 1 / rate, shape[1]))


def signs_of(labels: IntArray, values: int) -> FloatArray:
    """(n, K) the signs of one classifier for two values, of one against the rest for more."""
    wanted = np.array([1]) if values == 2 else np.arange(values)
    return np.where(labels[:, None] == wanted, 1.0, -1.0)


def predict(features: Features, f: FloatArray) -> IntArray:
    """(n,) the value with the largest f·x, the smallest of equals."""
    scores: FloatArray = features @ f
    if f.shape[1] == 1:
        return np.asarray(scores[:, 0] > 0, dtype=np.int64)
    return np.asarray(scores.argmax(axis=1), dtype=np.int64)
