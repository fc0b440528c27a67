"""The curve of a draw of the parameter itself, of categories.

A record that says i instead of j takes the posterior weights of the two from (a, b) to (a − 1,
b + 1). Whatever else there is, a Dirichlet draw tells no more about it than θ_i/(θ_i + θ_j), which
is Beta(a, b) or Beta(a − 1, b + 1): the loss is ln(b/(a − 1)) + ln(θ_i/θ_j) (Zheng 2015, Lemma 6.5,
whose threshold this is).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincc

from understudy.mechanisms.imputation.curves.curve import Floats


@dataclass(frozen=True)
class PosteriorCurve:
    """The curve of a draw of the parameter.

    Attributes:
        a, b: posterior weights of the two categories under the first input; a is above 1 by less
            than it has records.
    """

    a: float
    b: float

    def forward(self, epsilons: Floats) -> Floats:
        """δ of Beta(a, b) against Beta(a − 1, b + 1)."""
        grown, back = np.exp(epsilons), np.exp(-epsilons)
        # t/(1 − t) = e^ε·(a − 1)/b, with the larger of both ends kept exact.
        end = 1 / (1 + self.b / (self.a - 1) * back)
        mine = betaincc(self.a, self.b, end)
        theirs = betaincc(self.a - 1, self.b + 1, end)
        return np.asarray(np.maximum(mine - grown * theirs, 0.0))

    def backward(self, epsilons: Floats) -> Floats:
        """δ of Beta(a − 1, b + 1) against Beta(a, b), which is the other seen in a mirror."""
        return PosteriorCurve(self.b + 1, self.a - 1).forward(epsilons)

    @property
    def largest(self) -> float:
        """Never."""
        return math.inf
