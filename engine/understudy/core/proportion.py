"""The exact confidence interval of a proportion (Clopper and Pearson 1934)."""

from __future__ import annotations

from scipy import special


def exact_interval(successes: int, trials: int, level: float) -> tuple[float, float]:
    """Return the ends of Clopper and Pearson's interval for the probability of success.

    It covers at least `level` whatever the probability is; [0, 1] for no trials.
    """
    tail = (1 - level) / 2
    low = special.betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = (
        special.betainccinv(successes + 1, trials - successes, tail) if successes < trials else 1.0
    )
    return float(low), float(high)
