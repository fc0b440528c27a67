"""What one attempt guarantees, and what makes that hold for rejections too."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from engine.privacy.budget import Budget
from engine.privacy.coin import FINEST_DELTA
from engine.refusal import Refusal

_FINEST_COIN = 2.0**-64
# The pass cap is a lower bound: a last-place error of the division must not undercut it.
_ROUNDED_UP = 1 + 2.0**-50


def plausible_deniability(*, k: int, gamma: float, epsilon0: float, t: int) -> Budget:
    """One attempt with the randomised plausible-deniability test, rejections left aside.

    Theorem 1 (VLDB 2017): ε = ε0 + ln(1 + γ/t) and δ = exp(−ε0·(k − t)), for every set of
    released records and neighbours that both have at least k seeds. δ is never stated below
    `FINEST_DELTA`, which covers the rounding of the pass coin's table.

    Args:
        gamma: 1 where all seeds that can make a candidate make it equally likely.
        t: any whole number with 1 ≤ t < k; it trades ε for δ and changes nothing in a run.

    Raises:
        Refusal: t is out of range.
    """
    if not 1 <= t < k:
        raise Refusal(
            f"t has to be a whole number from 1 to k − 1, and k is {k:,}.",
            "Choose a smaller t or a larger k." if k > 1 else "Choose k of at least 2.",
            field="t",
        )
    at = np.array([t])
    return Budget(
        float(attempt_epsilon(at, gamma=gamma, epsilon0=epsilon0)[0]),
        float(attempt_delta(at, k=k, epsilon0=epsilon0)[0]),
    )


def attempt_epsilon(
    t: npt.NDArray[np.int64], *, gamma: float, epsilon0: float
) -> npt.NDArray[np.float64]:
    """Theorem 1's ε at each t."""
    return np.asarray(epsilon0 + np.log1p(gamma / t))


def attempt_delta(t: npt.NDArray[np.int64], *, k: int, epsilon0: float) -> npt.NDArray[np.float64]:
    """Theorem 1's δ at each t."""
    return np.asarray(np.maximum(np.exp(-epsilon0 * (k - t)), FINEST_DELTA))


def pass_cap(epsilon: float, seeds_at_least: int, *, epsilon0: float) -> float:
    """The probability ρ with which a candidate that passed must be rejected all the same.

    With it, the (ε, δ) of one attempt covers the rejections as well (protocol A):
    ρ = 1/((n+1)·e^ε − n), rounded up, and never less than 2^−64, the finest coin one random
    word can flip.

    Args:
        epsilon: ε of one attempt.
        seeds_at_least: n, a public lower bound on the seeds of both neighbours.
        epsilon0: the part of ε that the noise on the threshold brings.

    Raises:
        Refusal: n < 1, or so small that 1 + 1/n > e^{ε−ε0}.
    """
    if seeds_at_least < 1:
        raise Refusal(
            "The public lower bound on the number of seeds has to be 1 or more.",
            "Enter a number of records everybody may know the table to exceed.",
            field="seeds_at_least",
        )
    rounding = 4 * math.ulp(epsilon)
    if math.log1p(1 / seeds_at_least) > epsilon - epsilon0 + rounding:
        raise Refusal(
            f"With no more than {seeds_at_least:,} seeds for certain, rejections are not "
            "covered at this ε.",
            "Raise the public lower bound on the number of seeds, or choose a smaller t.",
            field="seeds_at_least",
        )
    with np.errstate(over="ignore"):
        excess = (seeds_at_least + 1) * float(np.expm1(epsilon))
    return min(1.0, max(_FINEST_COIN, _ROUNDED_UP / (1 + excess)))
