"""Intervals that know what the draw has added, and the published ones that do not.

Rows of M draws, s of each, from a posterior under a strong prior vary for three reasons: the
records are a sample of people, the parameter was drawn, and the rows were drawn from it. With
A = n + kα,

    E[share]  = θ(p) = (n·p + α)/A
    Var[share] = (n/A)²·p(1 − p)/n + θ(1 − θ)·(1/(M(A + 1)) + A/((A + 1)·M·s))

where the first is the sampling, exactly, and the rest is at θ(p), of which the mean over samples is
never more. The interval is all p that lie within z deviations: the roots of a quadratic (Wilson
1927 for the sampling alone). Rubin's rules for imputed tables leave out that the prior moves the
centre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri, stdtrit

from understudy.core.arrays import FloatArray


@dataclass(frozen=True)
class Rows:
    """How rows came about.

    Attributes:
        records: n.
        draws: M, draws of the parameter; None where there was none, from the mode.
        rows: of each.
    """

    records: int
    draws: int | None
    rows: int

    @property
    def total(self) -> int:
        """All rows."""
        return (self.draws or 1) * self.rows


@dataclass(frozen=True)
class Interval:
    """An estimate with an interval around it."""

    estimate: float
    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Return whether a value lies in it."""
        return self.low <= value <= self.high


def share(found: float, cells: int, alpha: float, rows: Rows, confidence: float) -> Interval:
    """Return the share of a cell among people, from its share of the rows.

    Args:
        found: the share of all rows.
        cells: k.
        alpha: of the prior, less 1 where rows are from the mode.
        rows: how they came about.
        confidence: such as 0.95.
    """
    n, total = rows.records, rows.records + cells * alpha
    slope, start = n / total, alpha / total
    between = 0.0 if rows.draws is None else 1 / (rows.draws * (total + 1))
    within = (1 if rows.draws is None else total / (total + 1)) / rows.total
    z2 = _z(confidence) ** 2
    sampling, drawn = slope**2 / n, between + within
    # (found − θ)² ≤ z²·(sampling·p(1−p) + drawn·θ(1−θ)), θ = start + slope·p.
    square = slope**2 + z2 * (sampling + drawn * slope**2)
    line = -2 * slope * (found - start) - z2 * (sampling + drawn * slope * (1 - 2 * start))
    rest = (found - start) ** 2 - z2 * drawn * start * (1 - start)
    root = math.sqrt(max(line * line - 4 * square * rest, 0.0))
    low, high = (-line - root) / (2 * square), (-line + root) / (2 * square)
    centre = min(max((found - start) / slope, 0.0), 1.0)
    return Interval(centre, min(max(low, 0.0), centre), max(min(high, 1.0), centre))


def mean(found: float, weight: float, variance: float, confidence: float) -> Interval:
    """Return the mean among people, from that of the rows, both from the middle of the bounds.

    Args:
        found: of the rows.
        weight: w, what the records weigh in the posterior; above 0.
        variance: of `found`, sampling included.
        confidence: such as 0.95.
    """
    reach = _z(confidence) * math.sqrt(variance) / weight
    return Interval(found / weight, found / weight - reach, found / weight + reach)


def naive(found: float, rows: int, confidence: float) -> Interval:
    """As if the rows were records."""
    reach = _z(confidence) * math.sqrt(max(found * (1 - found), 0.0) / rows)
    return Interval(found, found - reach, found + reach)


def partly_synthetic(shares: FloatArray, rows: int, confidence: float) -> Interval:
    """Reiter's rule (2003) for partly synthetic tables: T = ū + b/M."""
    centre, between, inside = _moments(shares, rows)
    return _interval(centre, inside + between / len(shares), confidence, len(shares), inside)


def fully_synthetic(shares: FloatArray, rows: int, confidence: float) -> Interval:
    """Return the rule of Raghunathan, Reiter and Rubin (2003) for fully synthetic tables:
    T = (1 + 1/M)·b − ū, and ū instead where that is not above 0."""
    centre, between, inside = _moments(shares, rows)
    whole = (1 + 1 / len(shares)) * between - inside
    return _interval(centre, whole if whole > 0 else inside, confidence, len(shares), inside)


def _moments(shares: FloatArray, rows: int) -> tuple[float, float, float]:
    centre = float(shares.mean())
    between = float(shares.var(ddof=1)) if len(shares) > 1 else 0.0
    return centre, between, float((shares * (1 - shares)).mean() / rows)


def _interval(
    centre: float, variance: float, confidence: float, tables: int, inside: float
) -> Interval:
    spread = max(variance - inside, 0.0)
    freedom = (tables - 1) * (1 + inside / spread) ** 2 if spread > 0 else math.inf
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    reach = quantile * math.sqrt(max(variance, 0.0))
    return Interval(centre, centre - reach, centre + reach)


def _z(confidence: float) -> float:
    return float(ndtri((1 + confidence) / 2))
