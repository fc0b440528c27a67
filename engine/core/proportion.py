"""The exact interval of a proportion."""

from __future__ import annotations

from scipy import special


def exact_ends(successes: int, trials: int, level: float) -> tuple[float, float]:
    """The ends of the interval of Clopper and Pearson (1934) for a probability, from how often it
    came about.

    Covers at least `level` whatever the probability is; [0, 1] where nothing was tried.
    """
    tail = (1 - level) / 2
    low = special.betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = (
        special.betainccinv(successes + 1, trials - successes, tail) if successes < trials else 1.0
    )
    return float(low), float(high)
