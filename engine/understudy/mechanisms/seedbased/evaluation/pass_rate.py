"""Pass rates: measured on candidates, and expected from the plan.

Scores are kept and the noisy threshold is averaged over, not drawn (Rao–Blackwell), so a
what-if costs an average of a table and nothing is generated again.

At a fixed ω a candidate has as many plausible seeds as there are seeds with its copied values. Let
these have N combinations, let there be n seeds, and let j be such that N·(j−1) < n. Then not every
combination has fewer than j seeds, so N−1 of them have at most, of j−1 each at most: a seed that is
drawn by chance is one of j or more alike with probability 1 − (N−1)·(j−1)/n or more, however the
seeds are spread. So a candidate passes with probability

    max over j of (1 − (N−1)·(j−1)/n) · (1 − ρ) · P(the test passes | j plausible seeds)

at least, as more of them never make it pass more rarely. More seeds than n only help.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from understudy.evaluation.measure import Interval
from understudy.mechanisms.seedbased.attempts import Candidates, Synthesizer
from understudy.mechanisms.seedbased.learners import learner_of
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, Plausible, PrivacyTest
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

Arrays = Mapping[str, AnyArray]


@dataclass(frozen=True)
class ScoreSample:
    """What a test looks at, for a sample of candidates of one ω. Internal.

    Attributes:
        omega: the ω the candidates were proposed with.
        plausible: as in `Candidates`.
        untested: (B,) candidates that kept nothing and pass without a test.
    """

    omega: Omega
    plausible: Plausible
    untested: BoolArray

    @classmethod
    def draw(cls, synthesizer: Synthesizer, count: int, source: RandomSource) -> ScoreSample:
        """Propose `count` candidates and keep their scores only."""
        return cls.of(synthesizer.propose(0, count, source), synthesizer.model)

    @classmethod
    def of(cls, candidates: Candidates, model: KeptAttributes) -> ScoreSample:
        """Return the scores of candidates of this model."""
        untested = (candidates.omegas == model.attributes) & model.omega.per_attempt
        return cls(model.omega, candidates.plausible, untested)

    def is_of(self, omega: Omega) -> bool:
        """Return whether it is of this ω; of one number there is one reading."""
        ours = self.omega
        same = (ours.low, ours.high) == (omega.low, omega.high)
        return same and ours.per_attempt == omega.per_attempt

    def __len__(self) -> int:
        return len(self.untested)

    def scores(self, test: PrivacyTest) -> IntArray:
        """Return (B,) the score of each candidate under this test."""
        return test.scores(self.plausible)

    def chances(
        self,
        test: PrivacyTest,
        pass_cap: float = 0.0,
        scores: IntArray | None = None,
    ) -> FloatArray:
        """Return (B,) the probability with which each candidate is released; their mean is the pass
        rate.

        Args:
            test: either test.
            pass_cap: ρ.
            scores: those of the test, where they are known; k and ε0 do not change them.
        """
        known = self.scores(test) if scores is None else scores
        return np.where(self.untested, 1.0, (1 - pass_cap) * test.coin.probability(known))

    def pass_rate(self, test: PrivacyTest, pass_cap: float = 0.0) -> float:
        """Return the expected share of attempts that are released, in [0, 1]."""
        return float(self.curve(test, np.array([test.k]), pass_cap)[0])

    def curve(self, test: PrivacyTest, ks: IntArray, pass_cap: float = 0.0) -> FloatArray:
        """Return (len(ks),) the expected pass rate at each k, the rest of the test as given."""
        tested = self.scores(test)[~self.untested]
        free = float(self.untested.mean())
        if not len(tested):
            return np.ones(len(ks))
        values, counts = np.unique(tested, return_counts=True)
        coins = [PassCoin(int(k), test.epsilon0, test.noise) for k in ks]
        rates = np.array([coin.probability(values) @ counts for coin in coins]) / len(tested)
        return free + (1 - free) * (1 - pass_cap) * rates

    def arrays(self) -> Arrays:
        """Return the sample as named arrays, for a file; `from_arrays` is the way back."""
        shared: dict[str, AnyArray] = {
            "omega": np.array([self.omega.low, self.omega.high, self.omega.reading == "hidden"]),
            "untested": self.untested,
        }
        if isinstance(self.plausible, LikelihoodClasses):
            return shared | {
                "sizes": self.plausible.sizes,
                "log_likelihood": self.plausible.log_likelihood,
                "seed_class": self.plausible.seed_class,
            }
        return shared | {"count": self.plausible}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> ScoreSample:
        """Return a sample that `arrays` wrote."""
        low, high, hidden = (int(value) for value in arrays["omega"])
        omega = Omega(low=low, high=high, reading="hidden" if hidden else "announced")
        plausible: Plausible
        if "count" in arrays:
            plausible = arrays["count"].astype(np.int64)
        else:
            plausible = LikelihoodClasses(
                sizes=arrays["sizes"].astype(np.int64),
                log_likelihood=arrays["log_likelihood"].astype(np.float64),
                seed_class=arrays["seed_class"].astype(np.int64),
            )
        return cls(omega, plausible, arrays["untested"].astype(bool))


_QUANTILE = 1.959963984540054


@dataclass(frozen=True)
class Expected:
    """What a run will come to.

    Attributes:
        rate: the expected share of attempts that pass, 0 to 1.
        passing: where it lies in 19 of 20 samples like this one.
        records: the expected number of records released by so many attempts.
        between: where the number of a run lies in 19 of 20 runs: the sample is only a sample, and
            every attempt is a coin of its own.
    """

    rate: float
    passing: Interval
    records: float
    between: Interval


def expect_passing(
    sample: ScoreSample, test: PrivacyTest, pass_cap: float, attempts: int
) -> Expected:
    """Return what so many attempts come to.

    Args:
        sample: candidates, at least 2.
        test: with k and ε0.
        pass_cap: ρ.
        attempts: how many are made.
    """
    chances = sample.chances(test, pass_cap)
    rate = float(chances.mean())
    error = float(chances.std(ddof=1)) / math.sqrt(len(chances))
    spread = math.sqrt(attempts * rate * (1 - rate) + (attempts * error) ** 2)
    return Expected(
        rate,
        _around(rate, error, 1.0),
        attempts * rate,
        _around(attempts * rate, spread, attempts),
    )


def _around(value: float, error: float, most: float) -> Interval:
    half = _QUANTILE * error
    return Interval(max(0.0, value - half), min(most, value + half))


TELLING: Final = 0.001
"""The least share that says something."""

_TRIED: Final = 400
"""How many j are looked at; each gives a bound, so none of them is needed."""


def surely_passing(plan: Plan, schema: Schema, made: Promise, ks: IntArray) -> FloatArray | None:
    """Return the share of candidates that passes at least, for each k, the rest of the test as
    given.

    It counts on the columns that come first as a rule (`Learner.most_prefixes`), and on the seeds
    that are certain.

    Args:
        plan: with seeds.
        schema: what it was made for.
        made: what it promises.
        ks: (K,) each 1 or more.

    Returns:
        (K,) shares from 0 to 1; None where ω is a range, or nothing can be said.
    """
    if not plan.omega.is_fixed:
        return None
    kept = len(schema) - plan.omega.high
    prefixes = learner_of(plan.model.kind).most_prefixes(schema, kept)
    found = at_least(plan.test, ks, prefixes, plan.seeds_at_least, made.pass_cap)
    return found if found.max() >= TELLING else None


def at_least(
    test: PrivacyTest, ks: IntArray, prefixes: int, seeds: int, pass_cap: float
) -> FloatArray:
    """Return (K,) the share that passes at least, for each k.

    Args:
        test: either test; its own k is not looked at.
        ks: (K,) each 1 or more.
        prefixes: N, how many combinations the copied values have at most.
        seeds: n, how many seeds there are at least.
        pass_cap: ρ.
    """
    most = (seeds - 1) // prefixes + 1
    j = np.unique(np.geomspace(1, most, _TRIED).round().astype(np.int64))
    holding = 1 - (prefixes - 1) * (j - 1) / seeds
    scores = test.scores(j)
    coins = (PassCoin(int(k), test.epsilon0, test.noise) for k in ks)
    return np.array([(1 - pass_cap) * (holding * coin.probability(scores)).max() for coin in coins])
