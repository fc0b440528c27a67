"""The plausible-deniability test: its parameters, and the score it compares with k.

A candidate is plausibly deniable when enough records could have made it with about the same
probability as its seed (Definition 4.1; Tests 4.1 and 4.2 of the dissertation).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from engine.privacy.coin import SMALLEST_EPSILON0, PassCoin
from engine.refusal import Refusal

LARGEST_K = 1_000_000_000


class PlausibleDeniability(BaseModel):
    """Parameters of the test.

    Attributes:
        k: how many plausible seeds a candidate needs, its own seed included.
        gamma: factor within which two likelihoods count as similar; above 1.
        epsilon0: 1/ε0 is the scale of the Laplace noise on k. None is the deterministic test,
            which gives no differential privacy.

    Raises:
        pydantic.ValidationError: a value is out of range; each message is a plain sentence.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["plausible-deniability"] = "plausible-deniability"
    k: int
    gamma: float
    epsilon0: float | None

    @field_validator("k", mode="before")
    @classmethod
    def _k(cls, value: Any) -> int:
        number = _real(value)
        if number is None or not 1 <= number <= LARGEST_K or number != int(number):
            raise Refusal(
                f"k has to be a whole number from 1 to {LARGEST_K:,}.",
                "Enter how many records must be plausible seeds of a released one, such as 50.",
                field="k",
            )
        return int(number)

    @field_validator("gamma", mode="before")
    @classmethod
    def _gamma(cls, value: Any) -> float:
        number = _real(value)
        if number is None or number <= 1:
            raise Refusal(
                "γ has to be a number greater than 1.",
                "Enter the factor within which likelihoods count as similar, such as 4.",
                field="gamma",
            )
        return number

    @field_validator("epsilon0", mode="before")
    @classmethod
    def _epsilon0(cls, value: Any) -> float | None:
        if value is None:
            return None
        number = _real(value)
        if number is None or number < SMALLEST_EPSILON0:
            raise Refusal(
                f"ε0 has to be a number of {SMALLEST_EPSILON0} or more.",
                "Enter a positive ε0 such as 1, or leave it out for the deterministic test.",
                field="epsilon0",
            )
        return number

    @property
    def coin(self) -> PassCoin:
        """What turns a score into a pass or a rejection."""
        return PassCoin(self.k, self.epsilon0)


def plausible_deniability_test(
    k: int, gamma: float, epsilon0: float | None
) -> PlausibleDeniability:
    """The test with these parameters.

    Raises:
        Refusal: one of them is out of range; `field` is "k", "gamma" or "epsilon0".
    """
    try:
        return PlausibleDeniability(k=k, gamma=gamma, epsilon0=epsilon0)
    except ValidationError as error:
        raise error.errors()[0]["ctx"]["error"] from None


@dataclass(frozen=True)
class LikelihoodClasses:
    """For a batch of B candidates, the seeds that can make each, grouped by equal likelihood.

    A seed outside every class makes the candidate with probability 0. The likelihood of a
    class must be one deterministic function of class and candidate, the seed's own included:
    never of the class sizes, nor accumulated while proposing.

    Attributes:
        sizes: how many seeds each class holds, shape (B, C).
        log_likelihood: natural logarithm of the probability with which each of those seeds
            makes the candidate, shape (B, C); −∞ for 0.
        seed_class: the class that holds the candidate's own seed, shape (B,).

    Raises:
        ValueError: the shapes disagree.
    """

    sizes: npt.NDArray[np.int64]
    log_likelihood: npt.NDArray[np.float64]
    seed_class: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        batch = self.seed_class.shape
        if self.sizes.shape != self.log_likelihood.shape or self.sizes.shape[:-1] != batch:
            raise ValueError("sizes and log_likelihood need shape (B, C), and seed_class (B,)")


def score(test: PlausibleDeniability, classes: LikelihoodClasses) -> npt.NDArray[np.int64]:
    """How many seeds make each candidate about as likely as its own seed does, shape (B,).

    |{d : ⌊−log_γ p_d(y)⌋ = ⌊−log_γ p_s(y)⌋}|, the seed s included; 0 if p_s(y) = 0. Adding or
    removing one record changes it by at most 1.
    """
    buckets = _bucket(classes.log_likelihood, test.gamma)
    own = np.take_along_axis(buckets, classes.seed_class[:, None], axis=1)
    alike = (buckets == own) & np.isfinite(buckets)
    counted: npt.NDArray[np.int64] = np.where(alike, classes.sizes, 0).sum(axis=1)
    return counted


def _bucket(log_likelihood: npt.NDArray[np.float64], gamma: float) -> npt.NDArray[np.float64]:
    return np.floor(-log_likelihood / math.log(gamma))


def _real(value: Any) -> float | None:
    """`value` as a finite float; None if it is no number, or none that fits."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    if isinstance(value, Integral) and abs(int(value)) > 2**53:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
