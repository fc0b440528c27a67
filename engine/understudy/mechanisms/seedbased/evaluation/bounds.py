"""Bounds on ε that attacks give, and the triangle of utility and privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measure import LEVEL, Interval
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.privacy.plausibility.likelihood import LikelihoodClasses, Plausible
from understudy.privacy.plausibility.privacy_test import PrivacyTest

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
class Profile:
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
class Bounds:
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


def bounds(
    sample: ScoreSample, test: PrivacyTest, pass_cap: float = 0.0, ts: IntArray | None = None
) -> Bounds:
    """Return every bound from one sample.

    Args:
        sample: scores of candidates, at least one.
        test: the privacy test; its k, ε0 and γ need not be those of the run.
        pass_cap: ρ.
        ts: where to take the bounds; must not be chosen by looking at the sample. Left out, it
            is `places(test)`.
    """
    found = profile(sample, test, pass_cap)
    t = places(test) if ts is None else np.unique(ts)
    passing = found.factor * test.coin.probability(t)
    counts = np.searchsorted(np.sort(found.least), t)
    ends = [clopper_pearson(int(n), len(sample), 1 - _SHARE / len(t)) for n in counts]
    high = np.array([each.high for each in ends])
    rate, within = _pass_rate(found.passing)
    lemma, scores = lemma_5_2(high, passing), at_one_t(high, passing)
    rejections, layers = 1 - within.low, every_t(high, passing, within.high)
    return Bounds(
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


def profile(sample: ScoreSample, test: PrivacyTest, pass_cap: float = 0.0) -> Profile:
    """κ(y) and q(y) of each candidate."""
    least, passing = _weighed(sample.plausible, test)
    mixed = bool(sample.untested.any()) and not bool(sample.untested.all())
    factor = 1 - pass_cap if mixed else 1.0
    return Profile(
        np.where(sample.untested, NOBODY, least),
        np.where(sample.untested, 1.0, factor * passing),
        factor,
    )


def places(test: PrivacyTest) -> IntArray:
    """Return the t that bounds are taken at: close together about k, and some down to 1."""
    scale = 1.0 if test.epsilon0 is None else 1 / test.epsilon0
    near = test.k + scale * np.arange(_FROM, _TO + _STEP / 2, _STEP)
    spread = np.geomspace(1, max(2.0, float(near[-1])), _SHOWN)
    return np.unique(np.maximum(1, np.rint(np.append(near, [*spread, test.k]))).astype(np.int64))


def alpha(beta: FloatArray, passing: FloatArray) -> FloatArray:
    """α_t: how many times rarer or commoner a candidate that scores t or more can become."""
    share = passing * (1 - beta)
    found = np.full(share.shape, np.inf)
    with np.errstate(over="ignore"):
        np.divide(1.0, share, out=found, where=share > 0)
    return found


def lemma_5_2(beta: FloatArray, passing: FloatArray) -> FloatArray:
    """Lemma 5.2, at most 1.

    Args:
        beta: (T,) β_t.
        passing: (T,) π(t), which the dissertation writes δ(t).
    """
    at = alpha(beta, passing)
    # Where α_t ≤ 2, π(t) is ½ or more.
    nearly = beta + (1 - passing) / (2 * np.maximum(passing, 0.5))
    return np.minimum(1.0, np.where(at <= 2, nearly, (at - 1) / 2))


def at_one_t(beta: FloatArray, passing: FloatArray) -> FloatArray:
    """β_t + (1−β_t)(1−π(t))."""
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


def _weighed(plausible: Plausible, test: PrivacyTest) -> tuple[IntArray, FloatArray]:
    """(B,) the lowest score of any record that can make each, and (B,) its chance of passing."""
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
    """(B, C) the score each candidate would have, had its seed been of each class, by the score
    of the test itself; −1 for a class that holds nobody or cannot make it."""
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
    """c, and where it lies, from one coin for each candidate."""
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
