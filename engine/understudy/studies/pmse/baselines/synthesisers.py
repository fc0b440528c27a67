"""Other ways to a synthetic table: with noisy sums, from a histogram, and without privacy."""

from __future__ import annotations

import math

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.studies.pmse.baselines.scaled import SENSITIVITIES, Bounds, Sums


def noisy_posterior(
    table: FloatArray, bounds: Bounds, epsilon: float, draws: int, random: np.random.Generator
) -> list[FloatArray]:
    """Noisy Bayesian posterior predictive (“DP Bayes”; Bowen and Liu 2016): Laplace noise on the
    sums, then parameters from their posterior under a flat prior, for every table anew.

    How the published one divides ε among statistics, and its priors, were not published; here all
    five sums get noise of one scale, their L1 sensitivity over ε/draws.

    Args:
        table: (n, 2).
        bounds: where it is truncated; public.
        epsilon: for all tables together.
        draws: how many tables.
        random: where chance comes from.
    """
    sums = Sums.of(bounds.inwards(table))
    scale = sum(SENSITIVITIES) * draws / epsilon
    return [
        bounds.outwards(_predicted(sums.plus(random.laplace(0, scale, 5)), random))
        for _ in range(draws)
    ]


def fitted(table: FloatArray, bounds: Bounds, epsilon: float, random: np.random.Generator) -> FloatArray:
    """Return a linear model fitted with privacy: noisy sums once, at the full ε, and a table drawn
    from the normal law that they say."""
    scale = sum(SENSITIVITIES) / epsilon
    sums = Sums.of(bounds.inwards(table)).plus(random.laplace(0, scale, 5))
    mean, covariance = sums.moments()
    return bounds.outwards(random.multivariate_normal(mean, covariance, len(table)))


def unprotected(table: FloatArray, random: np.random.Generator) -> FloatArray:
    """Without privacy: parameters from the posterior of the table itself."""
    bounds = Bounds.about(table.mean(axis=0), np.ones(2), 1.0)
    scaled = (table - bounds.middle) / bounds.half
    return bounds.outwards(_predicted(Sums.of(scaled), random))


def _predicted(sums: Sums, random: np.random.Generator) -> FloatArray:
    """(n, 2) X₁, then X₂ on X₁, each by parameters from their posterior under a flat prior."""
    n = sums.records
    mean, covariance = sums.moments()
    first = covariance[0, 0] * n / random.chisquare(n - 1)
    middle = random.normal(mean[0], math.sqrt(first / n))
    slope = covariance[0, 1] / covariance[0, 0]
    left = covariance[1, 1] - slope * covariance[0, 1]
    second = left * n / random.chisquare(n - 2)
    steep = random.normal(slope, math.sqrt(second / (n * covariance[0, 0])))
    level = random.normal(mean[1], math.sqrt(second / n))
    x = random.normal(middle, math.sqrt(first), n)
    y = level + steep * (x - mean[0]) + random.normal(0, math.sqrt(second), n)
    return np.column_stack([x, y])


def evenness(bins: int, records: int, drawn: int, epsilon: float) -> float:
    """λ, the share of even records: K/(K + n·(e^{ε/n_s} − 1)) for n_s records drawn, each of which
    costs ε/n_s (Wasserman and Zhou 2010)."""
    return bins / (bins + records * math.expm1(epsilon / drawn))


def smooth_histogram(
    table: FloatArray, bounds: Bounds, epsilon: float, a_side: int, random: np.random.Generator
) -> FloatArray:
    """(n, 2) drawn from a histogram mixed with the even law, at the full ε.

    Args:
        table: (n, 2).
        bounds: where it is truncated; public.
        epsilon: for the table.
        a_side: bins of each column, K being their square.
        random: where chance comes from.
    """
    scaled, n = bounds.inwards(table), len(table)
    bins = np.minimum(((scaled + 1) / 2 * a_side).astype(np.int64), a_side - 1)
    cells = np.bincount(bins[:, 0] * a_side + bins[:, 1], minlength=a_side**2) / n
    even = evenness(a_side**2, n, n, epsilon)
    drawn = random.choice(a_side**2, size=n, p=(1 - even) * cells + even / a_side**2)
    corner = np.column_stack(np.divmod(drawn, a_side)) + random.random((n, 2))
    return bounds.outwards(corner / a_side * 2 - 1)
