"""The base of both privacy tests: a threshold k with noise on it (Test 3.2)."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar

from pydantic import field_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.privacy.plausibility.coin import SMALLEST_EPSILON0, PassCoin, ThresholdNoise

LARGEST_K = 1_000_000_000


class NoisyThreshold(Frozen, what="the privacy test"):
    """A test that compares a score of the candidate with k plus noise.

    Attributes:
        kind: which test it is.
        k: the threshold.
        epsilon0: 1/ε0 is the scale of the noise on k. None is the deterministic test, which
            gives no differential privacy.
        noise: the distribution of that noise.

    Raises:
        Refusal: a value is out of range; `field` is its name.
    """

    noise: ClassVar[ThresholdNoise]

    kind: str
    k: int
    epsilon0: float | None

    @field_validator("k", mode="before")
    @classmethod
    def _k(cls, value: Any) -> int:
        number = real(value)
        if number is None or not 1 <= number <= LARGEST_K or number != int(number):
            raise Refusal(
                f"k has to be a whole number from 1 to {LARGEST_K:,}.",
                "Enter how many records must be plausible seeds of a released one, such as 50.",
                field="k",
            )
        return int(number)

    @field_validator("epsilon0", mode="before")
    @classmethod
    def _epsilon0(cls, value: Any) -> float | None:
        if value is None:
            return None
        number = real(value)
        if number is None or number < SMALLEST_EPSILON0:
            raise Refusal(
                f"ε0 has to be a number of {SMALLEST_EPSILON0} or more.",
                "Enter a positive ε0 such as 1, or leave it out for the deterministic test.",
                field="epsilon0",
            )
        return number

    @property
    def coin(self) -> PassCoin:
        """The exact coin that turns a score into a pass or a rejection."""
        return PassCoin(self.k, self.epsilon0, self.noise)


def real(value: Any) -> float | None:
    """`value` as a finite float; None if it is not a number or does not fit one."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    if isinstance(value, Integral) and abs(int(value)) > 2**53:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
