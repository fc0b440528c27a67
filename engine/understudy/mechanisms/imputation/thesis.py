"""The bounds as they are printed in the source, and exact figures beside them.

Zheng 2015 states its bounds for two categories and for Gaussian means; several are off by a
constant. Where a printed bound would promise more than holds, using it is unsafe; where it asks for
more than is needed, it is only strict. Orders of growth (O, Ω) have no constants there, and are no
figures.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from understudy.mechanisms.imputation.curves.gaussian import Gaussian, GaussianCurve, largest_ratio
from understudy.mechanisms.imputation.parts import Mean, Part
from understudy.mechanisms.imputation.plan import ReleaseType

FLAT: Final = 1e-12
"""A prior that counts for next to no records, as good as none."""


def noised_mode_of_two(records: int, alpha: float, beta: float) -> float:
    """True ε over the printed one, of Corollary 6.2."""
    total = records + alpha + beta
    return total / (total - 2)


def noised_mode_of_a_mean(records: int, prior: float) -> float:
    """True ε over the printed one, of Corollary 7.3: the mean moves by 2Rw/n, and not by R/n."""
    return 2 * Gaussian(1.0, 1.0, prior, records).weight


def printed_range(
    release: ReleaseType, records: int, rows: int, epsilon: float, delta: float
) -> float:
    """Return the largest R/σ that is printed for an (ε, δ): Theorem 7.8 for one draw and its rows,
    the better of Theorem 7.15 and Corollary 7.16 for rows from the mode or from draws of their
    own."""
    if release in ("posterior-draw", "rows-from-one-draw"):
        return epsilon * math.sqrt(records) / math.sqrt(2 * math.log(1 / delta))
    return max(
        printed_few(records, rows, epsilon, delta), printed_many(records, rows, epsilon, delta)
    )


def printed_few(records: int, rows: int, epsilon: float, delta: float) -> float:
    """R/σ of Theorem 7.15."""
    return records * epsilon / (2 * rows * math.sqrt(2 * math.log(rows / delta)))


def printed_many(records: int, rows: int, epsilon: float, delta: float) -> float:
    """R/σ of Corollary 7.16."""
    return math.sqrt(epsilon * records / (4 * math.sqrt(2 * rows * math.log(1 / delta))))


def exact_range(
    release: ReleaseType, records: int, rows: int, epsilon: float, delta: float, prior: float = FLAT
) -> float:
    """Return the largest R/σ with which an (ε, δ) holds."""
    return largest_ratio(epsilon, delta) / _ratio_of(release, Gaussian(1, 1, prior, records), rows)


def _ratio_of(release: ReleaseType, model: Gaussian, rows: int) -> float:
    if release == "posterior-draw":
        return model.drawn(1, math.inf)
    if release == "rows-from-one-draw":
        return model.drawn(1, rows)
    return model.from_mode(rows) if release == "rows-from-mode" else model.drawn(rows, 1)


def delta_of_range(
    release: ReleaseType, radius: float, records: int, rows: int, epsilon: float
) -> float:
    """Return the true δ at an R/σ, without a prior."""
    ratio = _ratio_of(release, Gaussian(radius, 1.0, FLAT, records), rows)
    return float(GaussianCurve(ratio).forward(np.array([epsilon]))[0])


def printed_delta(release: ReleaseType, part: Part, epsilon: float) -> float | None:
    """δ at an ε that follows from a printed bound: Theorem 7.8 for means, Lemma 6.5 for a draw of
    the parameter of two categories; None where none is printed with its constants."""
    if isinstance(part, Mean):
        if release not in ("posterior-draw", "rows-from-one-draw"):
            return None
        return math.exp(-part.records * (epsilon * part.deviation / part.model.radius) ** 2 / 2)
    if release in ("posterior-draw", "rows-from-one-draw") and part.count == 2 and not part.given:
        return tail_bound(float(part.alpha), part.records, epsilon)
    return None


def printed_strength(release: ReleaseType, cells: int, rows: int, epsilon: float) -> float | None:
    """α that is printed for ε without a δ (Theorems 6.9 to 6.13, Corollaries 6.21 and 6.22); None
    where there is none."""
    if release == "rows-from-one-draw":
        return 1 + rows / math.expm1(epsilon) if cells == 2 else 2 * rows / epsilon
    if release not in ("rows-from-mode", "rows-from-own-draws"):
        return None
    if cells > 2:
        return 1 + 1 / math.expm1(epsilon / (2 * rows))
    return (2 if release == "rows-from-mode" else 1) + 1 / math.expm1(epsilon / rows)


def exact_strength(release: ReleaseType, rows: int, epsilon: float) -> float | None:
    """Return the smallest α with ε and no δ; None where there is none."""
    if release == "rows-from-one-draw":
        return rows / math.expm1(epsilon)
    if release not in ("rows-from-mode", "rows-from-own-draws"):
        return None
    return (1 if release == "rows-from-mode" else 0) + 1 / math.expm1(epsilon / rows)


def tail_bound(alpha: float, records: int, epsilon: float) -> float:
    """δ by Lemma 6.5, whose proof asks that no unlikely θ is drawn at all."""
    from scipy.special import betainc, betaincc

    # It is largest where one of the two is rare.
    ones = np.unique(np.concatenate([np.arange(1, min(records, 50) + 1),
                                     np.geomspace(1, records, 200).astype(int)]))  # fmt: skip
    a, b = ones + alpha, records - ones + alpha
    high = math.exp(epsilon) * (a - 1) / (b + math.exp(epsilon) * (a - 1))
    low = a / (a + math.exp(epsilon) * (b - 1))
    return float(np.max(betaincc(a, b, high) + betainc(a, b, low)))


def average_case(records: int, share: float, epsilon: float) -> float:
    """δ by which the count of a yes-or-no column gives away one record among random others.

    Every other record is a yes with the same chance, by itself; nothing is drawn. That is
    Bin(n − 1, θ) with one more, or without.

    Args:
        records: n, this record included.
        share: θ.
        epsilon: ε.
    """
    from scipy.stats import binom

    counts = np.arange(records + 1)
    less, more = binom.pmf(counts, records - 1, share), binom.pmf(counts - 1, records - 1, share)
    grown = math.exp(epsilon)
    both = (np.maximum(more - grown * less, 0).sum(), np.maximum(less - grown * more, 0).sum())
    return float(max(both))
