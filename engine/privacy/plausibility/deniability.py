"""The plausible-deniability test: its parameters, and the score it compares with k.

A candidate is plausibly deniable when enough records could have made it with about the same
probability as its seed (Definition 4.1; Tests 4.1 and 4.2 of the dissertation).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import field_validator

from engine.privacy.plausibility.coin import ThresholdNoise
from engine.privacy.plausibility.likelihood import LikelihoodClasses, Plausible
from engine.privacy.plausibility.threshold import NoisyThreshold, real
from engine.refusal import Refusal


class PlausibleDeniability(NoisyThreshold):
    """The first test, with Laplace noise on k.

    Attributes:
        k: how many plausible seeds a candidate needs, its own seed included.
        gamma: factor within which two likelihoods count as similar; above 1.
        epsilon0: as in `NoisyThreshold`.
    """

    noise: ClassVar[ThresholdNoise] = "laplace"

    kind: Literal["plausible-deniability"] = "plausible-deniability"
    gamma: float

    @field_validator("gamma", mode="before")
    @classmethod
    def _gamma(cls, value: Any) -> float:
        number = real(value)
        if number is None or number <= 1:
            raise Refusal(
                "γ has to be a number greater than 1.",
                "Enter the factor within which likelihoods count as similar, such as 4.",
                field="gamma",
            )
        return number

    @property
    def similarity(self) -> float:
        """The factor g in an attempt's ε0 + ln(1 + g/t): γ."""
        return self.gamma

    def scores(self, plausible: Plausible) -> npt.NDArray[np.int64]:
        """How many seeds make each candidate about as likely as its own seed does, shape (B,).

        |{d : ⌊−log_γ p_d(y)⌋ = ⌊−log_γ p_s(y)⌋}|, the seed s included; 0 if p_s(y) = 0
        (4.3). Adding or removing one record changes it by at most 1.
        """
        if not isinstance(plausible, LikelihoodClasses):
            return plausible
        buckets = np.floor(-plausible.log_likelihood / math.log(self.gamma))
        alike = (buckets == plausible.of_seed(buckets)) & np.isfinite(buckets)
        counted: npt.NDArray[np.int64] = np.where(alike, plausible.sizes, 0).sum(axis=1)
        return counted
