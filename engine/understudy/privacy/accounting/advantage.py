"""How much better than by a coin anybody tells two inputs apart, from what Gaussian noise releases.

Somebody guesses which of two neighbouring inputs a release was made from. The best guess is right
with probability (1 + TV)/2 where both are equally likely beforehand, so its advantage over a coin
is TV, the total variation of the two laws of the release.

**Continuous noise.** Coordinate k is shifted by μ_k and has noise of deviation s_k. By the Neyman
and Pearson lemma TV = 2Φ(‖μ/s‖/2) − 1 (Dong, Roth and Su 2022, for μ/s of one coordinate).

**Discrete noise.** Let y be normal about an integer m with deviation s, and x an integer drawn with
weights exp(−(x − y)²/2r²). By Poisson's summation the sum of these weights is r√(2π)·(1 ± η) for
any y, where η = 2·Σ_{j ≥ 1} exp(−2π²r²j²). So x has each value with the chance that the discrete
Gaussian about m with variance s² + r² gives it, up to a factor of (1 + η)/(1 − η) at most (Peikert
2010, Theorem 3.1, is the general statement). For r = 4, η is below 1e-136. So discrete noise of
deviations σ_k is what follows from continuous noise of variances σ_k² − r², and its TV is at most
that of the latter, up to the number of coordinates times 4η, which is below 1e-100 for as many as a
computer can hold. If Σ μ_k²/2σ_k² ≤ ρ, then ‖μ/s‖² ≤ 2ρ/(1 − r²/σ²) with the least σ, whence

    TV ≤ 2Φ(√(ρ′/2)) − 1,  ρ′ = ρ/(1 − r²/σ²).
"""

from __future__ import annotations

import math
from typing import Final

SMOOTHING: Final = 4.0
"""r above, in units of the noise."""


def advantage(rho: float, least: float) -> float:
    """Return the most by which anybody's guess whether one person is in a table beats a coin, 0 to
    1.

    Args:
        rho: Σ μ²/2σ² over all that is released, at most, for one person.
        least: the least deviation of the discrete Gaussians, in units of what they are added to.
    """
    left = 1 - (SMOOTHING / least) ** 2 if least > SMOOTHING else 0.0
    return math.erf(math.sqrt(rho / left) / 2) if left > 0 else 1.0
