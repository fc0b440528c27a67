"""The t of Theorem 1 that makes a composition's ε smallest.

A larger t has a smaller ε and a larger δ, so at a target δ for N attempts only t up to some
last one are open. Under sequential composition that last one is best. Advanced composition
spends what is left of the target, δ − N·δ_t, on a smaller ε, and may prefer a t a little lower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.privacy.coin import FINEST_DELTA
from engine.privacy.composition import advanced_epsilon
from engine.privacy.guarantee import attempt_delta, attempt_epsilon

# Where N·δ_t is under e^−38 of the target, subtracting it in floating point changes nothing.
_NEGLIGIBLE = 38
_OVERFLOW = 700


@dataclass(frozen=True)
class EveryT:
    """Theorem 1 for one randomised test, at every t.

    Attributes:
        k, epsilon0: of the test.
        gamma: of the test, or 1 where likelihoods are equal.
    """

    k: int
    gamma: float
    epsilon0: float

    def epsilon(self, t: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """ε of one attempt."""
        return attempt_epsilon(t, gamma=self.gamma, epsilon0=self.epsilon0)

    def delta(self, t: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """δ of one attempt."""
        return attempt_delta(t, k=self.k, epsilon0=self.epsilon0)

    def meets(self, t: int, attempts: int, delta: float) -> bool:
        """Whether N attempts at this t stay within the target δ."""
        return attempts * float(self.delta(np.array(t))) <= delta

    def last(self, attempts: int, delta: float) -> int:
        """The largest t < k that meets the target; 0 if none does."""
        if attempts * FINEST_DELTA > delta:
            return 0
        # One above what the logarithm says, as it may fall on either side of an integer.
        guess = math.floor(self.k - math.log(attempts / delta) / self.epsilon0) + 1
        t = max(0, min(self.k - 1, guess))
        while t > 0 and not self.meets(t, attempts, delta):
            t -= 1
        return t

    def best(self, attempts: int, delta: float) -> int:
        """The t with the smallest total ε, whichever composition gives it; 0 if none does."""
        last = self.last(attempts, delta)
        if last == 0:
            return 0
        t = np.arange(self._lowest(last, attempts, delta), last + 1)
        total = self._advanced(t, attempts, delta)
        chosen = int(np.argmin(total))
        summed = attempts * float(self.epsilon(t[-1]))
        return last if summed <= total[chosen] else int(t[chosen])

    def smallest_k(self, t: int, attempts: int, delta: float) -> int:
        """The smallest k at which this t meets the target, which must be one that some k can."""
        gap = max(1, math.ceil(math.log(attempts / delta) / self.epsilon0) - 1)
        while not EveryT(t + gap, self.gamma, self.epsilon0).meets(t, attempts, delta):
            gap += 1
        return t + gap

    def _advanced(
        self, t: npt.NDArray[np.int64], attempts: int, delta: float
    ) -> npt.NDArray[np.float64]:
        slack = delta - attempts * self.delta(t)
        return advanced_epsilon(self.epsilon(t), float(attempts), slack)

    def _lowest(self, last: int, attempts: int, delta: float) -> int:
        """A t below which advanced composition does no better than at some t from it on."""
        # Further down the slack is δ itself to the last bit, and ε only grows.
        flat = max(1, last - math.ceil(_NEGLIGIBLE / self.epsilon0))
        # No t costs less than ε_t times this, which has the whole of δ to spare and the
        # smallest e^ε − 1; so one good t bounds the ε_t worth looking at.
        ends = np.array([max(1, last - math.ceil(1 / self.epsilon0)), last])
        least = self.epsilon(ends)[1]
        good = float(self._advanced(ends[:1], attempts, delta)[0])
        per_epsilon = float(advanced_epsilon(least, attempts, np.float64(delta)) / least)
        above_epsilon0 = good / per_epsilon - self.epsilon0
        if not 0 < above_epsilon0 < _OVERFLOW:
            return flat
        return min(last, max(flat, math.floor(self.gamma / math.expm1(above_epsilon0)) - 1))
