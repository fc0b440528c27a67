"""The published rule of thumb for parameters (dissertation §4.3, equation 4.6), for comparison."""

from __future__ import annotations

import math

from scipy.optimize import brentq

from understudy.privacy.plausibility.coin import SMALLEST_EPSILON0


def published_k(epsilon: float, delta: float, count: int, similarity: float) -> int | None:
    """k by the rule k = 2t with advanced composition, rejections ignored.

    With λ̃ = ln(1/δ) + ln(m + 1) and ε0 = λ̃/t, one record has ε_t = (λ̃ + g)/t; t is the
    smallest with ε_t·√(2mλ̃) + m·ε_t·(e^{ε_t} − 1) ≤ ε. None where its ε0 is smaller than a coin is
    built for.

    Args:
        epsilon, delta: the target for `count` records.
        similarity: g, as in `Unit`.
    """
    spread = math.log(1 / delta) + math.log(count + 1)

    def over(each: float) -> float:
        return each * math.sqrt(2 * count * spread) + count * each * math.expm1(each) - epsilon

    high = epsilon / math.sqrt(2 * count * spread)
    each = float(brentq(over, 0.0, high, xtol=high * 1e-14))
    t = math.ceil((spread + similarity) / each)
    return 2 * t if spread / t >= SMALLEST_EPSILON0 else None
