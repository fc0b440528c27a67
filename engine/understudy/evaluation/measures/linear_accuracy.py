"""Linear classifiers that learned from a table, beside private ones on real records (Table 8.4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special
from threadpoolctl import threadpool_limits

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.threads import map_at_once
from understudy.evaluation import intervals
from understudy.evaluation.classifiers import Features, unit_rows
from understudy.evaluation.measure import About, BreakdownEntry, Study, SubjectResult, sample_of
from understudy.evaluation.measures.prediction import (
    blocks_of,
    combined_interval,
    labels,
    leaving_out,
    share_interval,
    target_of,
)
from understudy.table.records import Records

# Linear classifiers by empirical risk minimisation, ordinary and private.
#
# After Chaudhuri, Monteleoni and Sarwate, "Differentially private empirical risk minimization",
# JMLR 12, 2011: Algorithm 1 (output perturbation), Algorithm 2 (objective perturbation), and the
# Huber loss in place of the hinge. Records are rows x of norm at most 1 with signs y = ±1;
#
#     J(f) = 1/n Σ ℓ(y f·x) + λ/2 ‖f‖²
#
# This is for comparison only and is never released: no guarantee is claimed. Noise is in
# floating point, minimisation stops short of the minimum, and λ is chosen on the records.

_SLACK = 1e-9
_HALF_WIDTH = 0.5

_STEPS = 500
_FALL = 1e-9
_SLOPE = 1e-6


@dataclass(frozen=True)
class Loss:
    """A convex loss of the margin z = y f·x, with a slope between −1 and 0.

    Attributes:
        name: of the classifier that minimises it.
        value: ℓ(z).
        slope: ℓ'(z).
        curvature: the largest ℓ''; c of the paper.
    """

    name: str
    value: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    curvature: float


def _huber(margin: FloatArray) -> FloatArray:
    """Return 0 above 1 + h, 1 − z below 1 − h, a parabola between."""
    inside = np.clip(1 + _HALF_WIDTH - margin, 0, 2 * _HALF_WIDTH)
    below = np.maximum(1 - _HALF_WIDTH - margin, 0)
    return np.asarray(inside**2 / (4 * _HALF_WIDTH) + below)


def _huber_slope(margin: FloatArray) -> FloatArray:
    return np.asarray(-np.clip((1 + _HALF_WIDTH - margin) / (2 * _HALF_WIDTH), 0, 1))


LOGISTIC = Loss(
    "logistic regression",
    lambda margin: np.logaddexp(0, -margin),
    lambda margin: np.asarray(-special.expit(-margin)),
    1 / 4,
)
HUBER = Loss("linear SVM", _huber, _huber_slope, 1 / (2 * _HALF_WIDTH))


@dataclass(frozen=True, eq=False)
class Risk:
    """The regularised empirical risk of several classifiers on the same records.

    Attributes:
        features: (n, d) rows of norm at most 1.
        signs: (n, K) ±1, a column for each classifier.
        loss: ℓ.
        penalty: λ, above 0.

    Raises:
        ValueError: a row has a norm above 1.
    """

    features: Features
    signs: FloatArray
    loss: Loss
    penalty: float

    def __post_init__(self) -> None:
        if (self.features.multiply(self.features)).sum(axis=1).max() > 1 + _SLACK:
            raise ValueError("a row of features has a norm above 1")

    @property
    def shape(self) -> tuple[int, int]:
        """(d, K) of the classifiers."""
        return self.features.shape[1], self.signs.shape[1]

    def least(
        self, tilt: FloatArray | None = None, extra: float = 0.0, start: FloatArray | None = None
    ) -> FloatArray:
        """Return (d, K) the minima of J(f) + b·f/n + Δ/2 ‖f‖², one column for each classifier.

        Args:
            tilt: (d, K) b; none without.
            extra: Δ.
            start: (d, K) where to look first; it saves time and changes nothing else.
        """
        begin = np.zeros(self.shape) if start is None else start
        tilted = np.zeros(self.shape) if tilt is None else tilt / len(self.signs)
        penalty = self.penalty + extra
        # Made once, as making it costs about as much as one step.
        across = self.features.T

        def of(flat: FloatArray) -> tuple[float, FloatArray]:
            f = flat.reshape(self.shape)
            margin = self.signs * (self.features @ f)
            value = self.loss.value(margin).sum() / len(self.signs)
            pull = across @ (self.signs * self.loss.slope(margin)) / len(self.signs)
            value += (tilted * f).sum() + penalty / 2 * (f**2).sum()
            return float(value), (pull + tilted + penalty * f).ravel()

        # The steps are too small for several threads.
        with threadpool_limits(1, user_api="blas"):
            found = optimize.minimize(
                of,
                begin.ravel(),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": _STEPS, "maxfun": 2 * _STEPS, "ftol": _FALL, "gtol": _SLOPE},
            )
        return np.asarray(found.x).reshape(self.shape)


def minimiser_sensitivity(records: int, penalty: float) -> float:
    """Return 2/(nλ): the L2 sensitivity of the minimiser to replacing one record (their Lemma
    1)."""
    return 2 / (records * penalty)


def output_perturbation(
    risk: Risk, least: FloatArray, epsilon: float, random: np.random.Generator
) -> FloatArray:
    """Return (d, K) minimisers with noise added: Algorithm 1.

    Args:
        risk: what is minimised.
        least: (d, K) its minima.
        epsilon: of all K classifiers together; each has an equal share.
        random: where the noise comes from.
    """
    rate = epsilon / risk.shape[1] / minimiser_sensitivity(len(risk.signs), risk.penalty)
    return least + draw_noise_columns(risk.shape, rate, random)


def objective_perturbation(
    risk: Risk, least: FloatArray, epsilon: float, random: np.random.Generator
) -> FloatArray:
    """Return (d, K) minimisers of a randomly perturbed objective: Algorithm 2.

    Args:
        risk: the objective before perturbation.
        least: (d, K) its minimisers, where the search starts.
        epsilon: of all K classifiers together; each has an equal share.
        random: where the noise comes from.
    """
    share = epsilon / risk.shape[1]
    rate, extra = objective_noise(len(risk.signs), risk.penalty, risk.loss.curvature, share)
    return risk.least(draw_noise_columns(risk.shape, rate, random), extra, start=least)


def objective_noise(
    records: int, penalty: float, curvature: float, epsilon: float
) -> tuple[float, float]:
    """Return the rate β of the noise b, and the extra penalty Δ, of Algorithm 2.

    ε' = ε − ln(1 + 2c/(nλ) + c²/(n²λ²)) and Δ = 0 where ε' is above 0; else
    Δ = c/(n(e^{ε/4} − 1)) − λ and ε' = ε/2. β = ε'/2.
    """
    left = epsilon - 2 * math.log1p(curvature / (records * penalty))
    if left > 0:
        return left / 2, 0.0
    return epsilon / 4, curvature / (records * math.expm1(epsilon / 4)) - penalty


def draw_noise_columns(
    shape: tuple[int, int], rate: float, random: np.random.Generator
) -> FloatArray:
    """Return (d, K) columns b of density ∝ exp(−rate·‖b‖).

    Any direction is as likely as any other, and the length follows Gamma(d, 1/rate).
    """
    direction = random.standard_normal(shape)
    direction /= np.linalg.norm(direction, axis=0)
    return np.asarray(direction * random.gamma(shape[0], 1 / rate, shape[1]))


def signs_of(labels: IntArray, values: int) -> FloatArray:
    """Return (n, K) the signs of one classifier for two values, of one against the rest for
    more."""
    wanted = np.array([1]) if values == 2 else np.arange(values)
    return np.where(labels[:, None] == wanted, 1.0, -1.0)


def predict(features: Features, f: FloatArray) -> IntArray:
    """Return (n,) the value with the largest f·x, the smallest of equals."""
    scores: FloatArray = features @ f
    if f.shape[1] == 1:
        return np.asarray(scores[:, 0] > 0, dtype=np.int64)
    return np.asarray(scores.argmax(axis=1), dtype=np.int64)


ORDINARY = "ordinary, on real records"
OUTPUT = "output perturbation"
OBJECTIVE = "objective perturbation"

Private = Callable[[Risk, FloatArray, float, np.random.Generator], FloatArray]

_PRIVATE: Mapping[str, Private] = {OUTPUT: output_perturbation, OBJECTIVE: objective_perturbation}
_FIFTHS = 5
_SEEDS = "all records used"

_ABOUT = About(
    key="linear-accuracy",
    name="Accuracy of linear classifiers",
    sentence=(
        "How often a logistic regression says the right value of the target for real records: "
        "one that learned from the table, beside private ones that learned from real records "
        "and could be published in its place."
    ),
    low=0.0,
    high=1.0,
    better="higher",
    group="linear",
    parts="classifier",
    source=(
        "VLDB 2017, Table 4; dissertation 2018, Table 8.4; Chaudhuri, Monteleoni and Sarwate 2011"
    ),
    headline=True,
)


@dataclass(frozen=True)
class LinearAccuracy:
    """Accuracy on the held-out records, by loss.

    As published, λ is the one with which an ordinary classifier does best: it learns from four
    fifths of the records and is tried on the last fifth. For the private methods that choice is
    itself not covered by their ε.

    The private methods, and the ordinary one they are compared with, learn from all the seeds:
    who would publish such a classifier is not held to the number of records of the tables, and
    noise matters less the more records there are. "Other real records" are the ordinary
    classifier at the number of records of the tables.

    Attributes:
        epsilon: of each private classifier, shared by its parts where the target has more than
            two values.
        penalties: the λ to choose from; the largest of equals is taken.
        losses: which classifiers; the first heads what is found.
        most_seeds: how many seeds are learned from at most.
        most_values: a target of more values is refused, as each has a classifier of its own.
        about: what it says of itself.
    """

    epsilon: float = 1.0
    penalties: tuple[float, ...] = (1e-3, 1e-4, 1e-5, 1e-6)
    losses: tuple[Loss, ...] = (LOGISTIC, HUBER)
    most_seeds: int = 100_000
    most_values: int = 10
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Ordinary and private classifiers on the seeds, then ordinary ones on every table.

        Raises:
            Refusal: the target cannot be predicted; see `target_of`.
        """
        target = target_of(study, self.most_values)
        contests = [
            _Contest(study, target, loss, self.penalties, _Labelled.of(study.held_out, target))
            for loss in self.losses
        ]
        seeds = sample_of(study.seeds, self.most_seeds, study.random("seeds of linear classifiers"))
        by_loss = map_at_once(lambda each: each.parts(seeds, self.epsilon), contests)
        return {name: _head_with_first([each[name] for each in by_loss]) for name in by_loss[0]}


def _head_with_first(parts: Sequence[BreakdownEntry]) -> SubjectResult:
    """Return what was measured, headed by the first classifier."""
    return SubjectResult(parts[0].value, parts[0].interval, tuple(parts))


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Records as a linear classifier sees them, and what they are."""

    features: Features
    truth: IntArray
    values: int

    @classmethod
    def of(cls, records: Records, target: int) -> _Labelled:
        values = records.schema.columns[target].cardinality
        return cls(unit_rows(records, target), labels(records, target), values)

    def risk(self, loss: Loss, penalty: float) -> Risk:
        """Return what a classifier that learns from these records minimises."""
        return Risk(self.features, signs_of(self.truth, self.values), loss, penalty)

    def right(self, f: FloatArray) -> BoolArray:
        """Return (records,) whether the classifier is right about each."""
        return np.asarray(predict(self.features, f) == self.truth)


@dataclass(frozen=True, eq=False)
class _Contest:
    """Classifiers of one loss, all tested on the same records."""

    study: Study
    target: int
    loss: Loss
    penalties: tuple[float, ...]
    tested: _Labelled

    def parts(self, seeds: Records, epsilon: float) -> dict[str, BreakdownEntry]:
        """Ordinary and private classifiers on the seeds, then ordinary ones on every table."""
        found = {ORDINARY: self.ordinary(_SEEDS, seeds)}
        found |= {
            name: self.private(name, method, seeds, epsilon) for name, method in _PRIVATE.items()
        }
        tables = self.study.tables
        return found | {each.name: self.ordinary(each.name, each.records) for each in tables}

    def ordinary(self, name: str, records: Records) -> BreakdownEntry:
        """Trained on records without noise."""
        penalty = self._penalty(name, records)
        whole = self._least(name, records)
        right = self.tested.right(whole)
        blocks = blocks_of(self.study, name, records)
        without = [
            self.tested.right(self._risk(each, penalty).least(start=whole)).mean()
            for each in leaving_out(records, blocks)
        ]
        interval = share_interval(right, np.array(without))
        return BreakdownEntry((self.loss.name,), float(right.mean()), interval)

    def private(self, name: str, method: Private, seeds: Records, epsilon: float) -> BreakdownEntry:
        """Return the mean over repeated private trainings on the seeds, with fresh noise each.

        Its interval is about the noise and the records it is tested on.
        """
        risk = self._risk(seeds, self._penalty(_SEEDS, seeds))
        least = self._least(_SEEDS, seeds)
        random = self.study.random(f"{name}, {self.loss.name}")
        shares = np.array(
            [
                self.tested.right(method(risk, least, epsilon, random)).mean()
                for _ in range(max(2, self.study.repeats))
            ]
        )
        value, count = float(shares.mean()), len(self.tested.truth)
        tested = intervals.clopper_pearson(round(value * count), count)
        interval = combined_interval(value, [tested, intervals.mean(shares)])
        return BreakdownEntry((self.loss.name,), value, interval)

    def _penalty(self, name: str, records: Records) -> float:
        """Return the λ with which learning from four fifths of the records does best on the
        last."""

        def choose() -> float:
            random = self.study.random(f"fifths of {name}")
            last = intervals.deal(len(records), random, _FIFTHS) == 0
            tried = _Labelled.of(records.take(last), self.target)
            most_first = sorted(self.penalties, reverse=True)
            known = records.take(~last)
            # From large to small, each from where the last one ended.
            f, shares = None, []
            for penalty in most_first:
                f = self._risk(known, penalty).least(start=f)
                shares.append(tried.right(f).mean())
            return most_first[int(np.argmax(shares))]

        return self.study.once(f"penalty of {self._purpose(name)}", choose)

    def _least(self, name: str, records: Records) -> FloatArray:
        """Return the ordinary classifier."""

        def train() -> FloatArray:
            return self._risk(records, self._penalty(name, records)).least()

        return self.study.once(f"minimum of {self._purpose(name)}", train)

    def _purpose(self, name: str) -> str:
        return f"{self.loss.name} for {self.target} on {name}, λ in {self.penalties}"

    def _risk(self, records: Records, penalty: float) -> Risk:
        return _Labelled.of(records, self.target).risk(self.loss, penalty)


MEASURE = LinearAccuracy()
