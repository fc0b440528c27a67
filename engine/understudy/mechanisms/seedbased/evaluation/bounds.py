"""Bounds on ε that attacks give, and the triangle of utility and privacy.

G draws a seed and proposes a candidate y; F tests it besides. With q(y) the chance that y, whoever
made it, passes, and c = E_G[q], what is released follows P̃_F(y) = P_G(y)·q(y)/c. The distance
SD(P_G, P̃_F) is how much more often any statement can hold of a released record than of a candidate.

*The pass cap cancels.* Turning every candidate away with probability ρ makes q into (1−ρ)q and c
into (1−ρ)c, and P̃_F stays what it was: a pass cap makes a table shorter, not different. Only where
ω is announced and some candidates pass untested, ρ falls on the others alone; then their q, and
π(t) below, carry the factor 1−ρ, and the law is that of ω and y together. What is said of both
holds for y alone.

*The scores that count.* π(x) is the chance of passing with a score of x. Let κ(y) be the lowest
score of y among the records that can make it, and β_t = P_G{κ(y) < t}. Outside of those candidates
every seed passes with π(t) or more, so q(y) ≥ π(t) and c ≥ (1−β_t)·π(t), and

    P̃_F(y)/P_G(y) = q(y)/c  lies in  [π(t), α_t],   α_t = 1/(π(t)(1−β_t))        (Obs 5.1, 5.2)

with at most α_t, and at least 0, for the others. Four bounds on the distance follow, at every t:

* Lemma 5.2: β_t + (1−π(t))/(2π(t)) if α_t ≤ 2, (α_t − 1)/2 otherwise.
* β_t + (1−β_t)(1−π(t)), as SD = Σ (P_G − P̃_F)⁺ and P_G − P̃_F ≤ (1−π(t))·P_G outside of them.
* 1 − c, the share that is rejected, as q/c ≥ q. It is never above the one before; both stand in
  for one another where only scores or only passes are counted.
* Every t at once: SD = E_G[(1 − q/c)⁺] ≤ E_G[(1 − π(κ)/c)⁺], and with t_1 < t_2 < … and the falling
  weights w_0 = 1, w_j = (1 − π(t_j)/c)⁺, that is at most Σ_j β_{t_j}·(w_{j−1} − w_j) + w_last.
  It rises with every β and with c. At a fixed ω all seeds of y score alike, q = π(κ), and nothing
  is lost but what lies between one t and the next.

*What is not known exactly.* β_t and c are estimated from a sample of candidates. The bounds take
the upper ends for β, by Clopper and Pearson, and the end for c, by Clopper and Pearson from coins
that are flipped for this only, that makes each larger. The level of 1 − `LEVEL` is divided: half of
it over every t that is looked at (Bonferroni; which they are depends on the test alone), half for
c. So all bounds at all t hold together at `LEVEL`, and so does the smallest of them. The values
shown beside the ends are averages over the coin (Rao–Blackwell), not flips of it.

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
from typing import Literal

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measure import LEVEL, Interval
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, Plausible, PrivacyTest

Kind = Literal["lemma", "scores", "rejections", "layers"]
"""Which bound: Lemma 5.2, the other one at a t, the share rejected, or every t at once."""

NOBODY = np.iinfo(np.int64).max
"""Stands for the score of a candidate that passes untested: above every threshold."""

_STEP, _FROM, _TO = 0.1, -8.0, 12.0
"""The t that are looked at, in units of the noise on k, counted from k."""

_SHOWN = 24
"""How many more of them are spread from 1 to the last."""

_SHARE = (1 - LEVEL) / 2
"""How much of what may fail is allowed to β at every t, and how much to c."""

_COINS = 0x5EED
"""Where the coins for c start: the same sample has the same interval every time."""


@dataclass(frozen=True, eq=False)
class _Profile:
    """What a test makes of each of B candidates, whichever record it came from. Internal.

    Attributes:
        least: (B,) κ(y), the lowest score among the records that can make it; `NOBODY` for one
            that passes untested.
        passing: (B,) q(y), the chance that it passes, its seed being any that can make it in
            proportion to how likely it does.
        factor: by which every π(t) is lowered: 1 − ρ where some candidates pass untested and the
            others do not, 1 otherwise.
    """

    least: IntArray
    passing: FloatArray
    factor: float


@dataclass(frozen=True)
class Best:
    """The smallest of the bounds.

    Attributes:
        value: SD(P_G, P̃_F) is at most this, at `LEVEL`.
        kind: which bound it is.
        t: where it is taken; None for those that are not of one t.
    """

    value: float
    kind: Kind
    t: int | None


@dataclass(frozen=True, eq=False)
class DeniabilityBounds:
    """How far apart candidates and released records can be, from a sample of candidates. Internal.

    Attributes:
        candidates: how many were looked at.
        t: (T,) the scores at which the bounds are taken, ascending.
        passing: (T,) π(t).
        beta: (T,) the share of candidates with a lower score for one of their records.
        beta_low, beta_high: (T,) where that share lies, for all t at once.
        alpha: (T,) α_t at the upper end of β; infinite where that is 1.
        lemma, scores: (T,) Lemma 5.2 and the other bound, at the upper end of β, at most 1.
        rejections, layers: the two bounds that are not of one t.
        pass_rate: c, without the pass cap where that cancels.
        pass_rate_within: where c lies.
        distance: SD(P_G, P̃_F) as the sample has it; an estimate, where the bounds are not.
        best: the smallest of all the bounds.
    """

    candidates: int
    t: IntArray
    passing: FloatArray
    beta: FloatArray
    beta_low: FloatArray
    beta_high: FloatArray
    alpha: FloatArray
    lemma: FloatArray
    scores: FloatArray
    rejections: float
    layers: float
    pass_rate: float
    pass_rate_within: Interval
    distance: float
    best: Best


def list_bounds(
    sample: ScoreSample, test: PrivacyTest, pass_cap: float = 0.0, ts: IntArray | None = None
) -> DeniabilityBounds:
    """Return every bound from one sample.

    Args:
        sample: scores of candidates, at least one.
        test: the privacy test; its k, ε0 and γ need not be those of the run.
        pass_cap: ρ.
        ts: where to take the bounds; must not be chosen by looking at the sample. Left out, it
            is `places(test)`.
    """
    found = profile_candidates(sample, test, pass_cap)
    t = bound_places(test) if ts is None else np.unique(ts)
    passing = found.factor * test.coin.probability(t)
    counts = np.searchsorted(np.sort(found.least), t)
    ends = [clopper_pearson(int(n), len(sample), 1 - _SHARE / len(t)) for n in counts]
    high = np.array([each.high for each in ends])
    rate, within = _pass_rate(found.passing)
    lemma, scores = lemma_5_2(high, passing), at_one_t(high, passing)
    rejections, layers = 1 - within.low, every_t(high, passing, within.high)
    return DeniabilityBounds(
        candidates=len(sample),
        t=t,
        passing=passing,
        beta=counts / len(sample),
        beta_low=np.array([each.low for each in ends]),
        beta_high=high,
        alpha=alpha(high, passing),
        lemma=lemma,
        scores=scores,
        rejections=rejections,
        layers=layers,
        pass_rate=rate,
        pass_rate_within=within,
        distance=float(np.maximum(0, 1 - found.passing / rate).mean()) if rate > 0 else 1.0,
        best=_best(t, lemma, scores, rejections, layers),
    )


def profile_candidates(sample: ScoreSample, test: PrivacyTest, pass_cap: float = 0.0) -> _Profile:
    """Return κ(y) and q(y) of each candidate."""
    least, passing = _weigh_candidates(sample.plausible, test)
    mixed = bool(sample.untested.any()) and not bool(sample.untested.all())
    factor = 1 - pass_cap if mixed else 1.0
    return _Profile(
        np.where(sample.untested, NOBODY, least),
        np.where(sample.untested, 1.0, factor * passing),
        factor,
    )


def bound_places(test: PrivacyTest) -> IntArray:
    """Return the t that bounds are taken at: close together about k, and some down to 1."""
    scale = 1.0 if test.epsilon0 is None else 1 / test.epsilon0
    near = test.k + scale * np.arange(_FROM, _TO + _STEP / 2, _STEP)
    spread = np.geomspace(1, max(2.0, float(near[-1])), _SHOWN)
    return np.unique(np.maximum(1, np.rint(np.append(near, [*spread, test.k]))).astype(np.int64))


def alpha(beta: FloatArray, passing: FloatArray) -> FloatArray:
    """Return α_t: how many times rarer or commoner a candidate that scores t or more can become."""
    share = passing * (1 - beta)
    found = np.full(share.shape, np.inf)
    with np.errstate(over="ignore"):
        np.divide(1.0, share, out=found, where=share > 0)
    return found


def lemma_5_2(beta: FloatArray, passing: FloatArray) -> FloatArray:
    """Return Lemma 5.2, at most 1.

    Args:
        beta: (T,) β_t.
        passing: (T,) π(t), which the dissertation writes δ(t).
    """
    at = alpha(beta, passing)
    # Where α_t ≤ 2, π(t) is ½ or more.
    nearly = beta + (1 - passing) / (2 * np.maximum(passing, 0.5))
    return np.minimum(1.0, np.where(at <= 2, nearly, (at - 1) / 2))


def at_one_t(beta: FloatArray, passing: FloatArray) -> FloatArray:
    """Return β_t + (1−β_t)(1−π(t))."""
    return beta + (1 - beta) * (1 - passing)


def every_t(beta: FloatArray, passing: FloatArray, pass_rate: float) -> float:
    """Return the bound that takes every t at once.

    Args:
        beta, passing: (T,) β_t and π(t), t ascending.
        pass_rate: c, or more.
    """
    if not len(beta) or pass_rate <= 0:
        return 1.0
    weights = np.concatenate([[1.0], np.maximum(0, 1 - passing / pass_rate)])
    return min(1.0, float(beta @ -np.diff(weights) + weights[-1]))


def _weigh_candidates(plausible: Plausible, test: PrivacyTest) -> tuple[IntArray, FloatArray]:
    """Return (B,) the lowest score of any record that can make each, and (B,) its chance of
    passing."""
    if not isinstance(plausible, LikelihoodClasses):
        # All records that can make it make it as likely, and so score alike.
        alike = test.scores(plausible)
        return alike, test.coin.probability(alike)
    scored = every_score(plausible, test)
    can = scored >= 0
    least: IntArray = np.where(can, scored, NOBODY).min(axis=1)
    logs = np.where(can, plausible.log_likelihood, -np.inf)
    weights = np.where(can, plausible.sizes * np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    chances = np.where(can, test.coin.probability(scored), 0.0)
    return least, (weights * chances).sum(axis=1) / weights.sum(axis=1)


def every_score(classes: LikelihoodClasses, test: PrivacyTest) -> IntArray:
    """Return (B, C) the score each candidate would have, had its seed been of each class, by the
    score of the test itself; −1 for a class that holds nobody or cannot make it."""
    can = (classes.sizes > 0) & np.isfinite(classes.log_likelihood)
    scored = np.full(can.shape, -1, dtype=np.int64)
    for place in range(can.shape[1]):
        rows = np.flatnonzero(can[:, place])
        if rows.size:
            seeds = LikelihoodClasses(
                classes.sizes[rows],
                classes.log_likelihood[rows],
                np.full(rows.size, place, dtype=np.int64),
            )
            scored[rows, place] = test.scores(seeds)
    return scored


def _pass_rate(passing: FloatArray) -> tuple[float, Interval]:
    """Return c, and where it lies, from one coin for each candidate."""
    passed = np.random.default_rng(_COINS).random(len(passing)) < passing
    return float(passing.mean()), clopper_pearson(int(passed.sum()), len(passing), 1 - _SHARE)


def _best(
    t: IntArray, lemma: FloatArray, scores: FloatArray, rejections: float, layers: float
) -> Best:
    found: list[Best] = [Best(rejections, "rejections", None), Best(layers, "layers", None)]
    at_t: tuple[tuple[Kind, FloatArray], ...] = (("lemma", lemma), ("scores", scores))
    for kind, values in at_t:
        place = int(values.argmin())
        found.append(Best(float(values[place]), kind, int(t[place])))
    return min(found, key=lambda each: each.value)


@dataclass(frozen=True)
class BoundPlace:
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
        return self.epsilon >= float(lemma_epsilon(self.eta, np.array([self.gamma]))[0])


def lemma_epsilon(eta: float, gamma: FloatArray) -> FloatArray:
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


def place(
    found: DeniabilityBounds, test: PrivacyTest, equal_likelihood: bool, epsilon: float
) -> BoundPlace:
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
    return BoundPlace(
        t=t,
        share=1 - float(found.beta_high[at]),
        eta=eta_at(test, t, equal_likelihood),
        alpha=alpha,
        gamma=1 - 2 / (alpha + 1),
        epsilon=epsilon,
    )
