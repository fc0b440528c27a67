"""The pass cap: rejecting some candidates that passed, so that rejections are covered too."""

from __future__ import annotations

import math

import numpy as np

from understudy.core.refusal import Refusal

_FINEST_COIN = 2.0**-64
# ρ is rounded up, so that an error in the last place of the division cannot make it too small.
_ROUNDED_UP = 1 + 2.0**-50


def pass_cap(epsilon: float, seeds_at_least: int, *, epsilon0: float) -> float:
    """ρ, the probability with which a candidate that passed must be rejected all the same.

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
