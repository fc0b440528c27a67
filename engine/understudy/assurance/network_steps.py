"""What the training of a network costs one record, step by step, against what is said of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import binom

from understudy.assurance.real_runs import Asked
from understudy.models.latent.features import S
from understudy.models.latent.moments import entries
from understudy.privacy.accounting.loss_laws import Sampled
from understudy.privacy.budget import Budget

_MISS: Final = 1e-9
"""The chance that a sound run takes a record in more or fewer steps than is let pass."""
LEAST: Final[Mapping[str, float]] = {
    "a step": 0.9,
    "codes at their bound": 0.999,
    "shares": 0.999,
    "all": 0.999,
}
"""No code of a small network is as far out as the noise on their moments is for."""


@dataclass(frozen=True)
class NetworkSteps:
    """What is said of a training.

    Attributes:
        rate, steps, multiplier: of its steps.
        codes, shares: ρ of the moments of codes, and of the counts of flags.
        width: how many numbers a code has.
        paid: what all of it costs.
    """

    rate: float
    steps: int
    multiplier: float
    codes: float
    shares: float
    width: int
    paid: Budget

    def measure_cost(self, one: Asked, other: Asked) -> Mapping[str, float]:
        """Return what each part costs, over what is claimed of it.

        A step in which a record is taken costs 1/2z², z the multiplier; in how many it is taken is
        counted. What all of that adds up to with chance beforehand is for the accountant to say.
        """
        if len(one) != self.steps + 2:
            return {"steps": math.inf}
        each = np.array([first.cost(second) for first, second in zip(one, other, strict=True)])
        taken = int((each[: self.steps] > 0).sum())
        furthest = one[self.steps].at_most(S**2 * math.sqrt(entries(self.width)))
        added_up = Sampled(self.rate, self.steps, self.multiplier, self.codes + self.shares)
        return {
            "a step": float(each[: self.steps].max()) * 2 * self.multiplier**2,
            "taken": taken / float(binom.isf(_MISS, self.steps, self.rate)),
            "not taken": (self.steps - taken) / float(binom.isf(_MISS, self.steps, 1 - self.rate)),
            "codes": float(each[self.steps]) / self.codes,
            "codes at their bound": furthest / self.codes,
            "shares": float(each[self.steps + 1]) / self.shares,
            "all": added_up.cost(self.paid.delta).epsilon / self.paid.epsilon,
        }
