"""The Triangle lemma: privacy, what the test changes, and how much one record matters (Lemma 3.1).

For a candidate y, η ≥ 1 is by what factor its chance under G changes when one record leaves, α by
what factor a test changes its chance, and e^ε by what factor its chance of being released changes
when that record leaves. From G(D) to G(D′) one can go by way of F(D) and F(D′), so η ≤ α²·e^ε.
With γ = (α−1)/(α+1), by which somebody can at most tell y before the test from y after it,

    ε ≥ ln η − 2 ln((1+γ)/(1−γ)).

Whoever wants a small ε and little change needs candidates that no single record matters to. That
is what a test sees to, by turning the others away.

*What η is where the test lets pass.* Let S = Σ_s p_s(y) over n records, and κ(y) ≥ t the lowest
score of the records that can make y. A record d with p = p_d(y) leaves S − p of n − 1, so that

    G(D)/G(D′) = (n−1)/n · (1 + p/(S−p))  and  G(D′)/G(D) = n/(n−1) · (1 − p/S) ≤ n/(n−1).

* Relative sensitivity: κ(y) = S/max p − 1 ≥ t, so S − p ≥ t·p and η ≤ 1 + 1/t. As S ≤ n·max p,
  t ≤ n−1, which takes care of the other ratio.
* Plausible deniability counts d itself: t − 1 others make y at least p/γ likely, so S − p ≥
  (t−1)·p/γ and η ≤ 1 + γ/(t−1); γ counts as 1 where all of them make it as likely. t ≤ n takes
  care of the other ratio. At t = 1 nothing bounds η.

*A run's own place.* ε of one attempt is ε0 + ln(1 + g/t′) with a t′ < k that only the proof knows
(g = 1, or γ). We take t ≥ k, so that η ≤ 1 + 1/t < 1 + 1/t′ in the one case, and η ≤ 1 + γ/(t−1) ≤
1 + γ/t′ in the other, and ln η < ε whatever γ is: the place is always in the feasible region. α is
that of bounds.py, for the run's own table and what is released of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.mechanisms.seedbased.evaluation.bounds import Bounds
from understudy.privacy.plausibility.privacy_test import PrivacyTest


@dataclass(frozen=True)
class Place:
    """Where a run stands between privacy, change and influence, for candidates of high score.

    Attributes:
        t: the score that they have at least.
        share: how many of all candidates they are, at least.
        eta: η, by what factor one record can change the chance of such a candidate.
        alpha: α, by what factor the test can; infinite where nothing is known.
        gamma: γ of α, 0 to 1.
        epsilon: ε of one attempt.
    """

    t: int
    share: float
    eta: float
    alpha: float
    gamma: float
    epsilon: float

    @property
    def feasible(self) -> bool:
        """Whether Lemma 3.1 allows it."""
        return self.epsilon >= float(least_epsilon(self.eta, np.array([self.gamma]))[0])


def least_epsilon(eta: float, gamma: FloatArray) -> FloatArray:
    """Return the smallest ε that Lemma 3.1 leaves, at each γ; 0 where it asks for none.

    Args:
        eta: η, 1 or more.
        gamma: 0 to 1.
    """
    with np.errstate(divide="ignore"):
        asked = math.log(eta) - 2 * (np.log1p(gamma) - np.log1p(-gamma))
    return np.maximum(0.0, asked)


def eta_at(test: PrivacyTest, t: int, equal_likelihood: bool) -> float:
    """Return the largest η of a candidate that scores t or more; infinite where there is none.

    Args:
        test: the privacy test.
        t: 1 or more.
        equal_likelihood: whether all records that can make a candidate make it as likely.
    """
    if test.kind == "relative-sensitivity":
        return 1 + 1 / t
    return 1 + (1.0 if equal_likelihood else test.similarity) / (t - 1) if t > 1 else math.inf


def place(found: Bounds, test: PrivacyTest, equal_likelihood: bool, epsilon: float) -> Place:
    """Return the run's own place, at the t from k on where the test changes least.

    Args:
        found: the bounds of this test.
        test: the privacy test.
        equal_likelihood: as in `eta_at`.
        epsilon: ε of one attempt.
    """
    from_k = np.flatnonzero((found.t >= test.k) & (found.t > 1))
    at = int(from_k[found.alpha[from_k].argmin()])
    t, alpha = int(found.t[at]), float(found.alpha[at])
    return Place(
        t=t,
        share=1 - float(found.beta_high[at]),
        eta=eta_at(test, t, equal_likelihood),
        alpha=alpha,
        gamma=1 - 2 / (alpha + 1),
        epsilon=epsilon,
    )
