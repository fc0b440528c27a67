"""The score that a candidate would have from every record that can make it, by the definitions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import World, worlds
from understudy.assurance.seedbased.one_attempt import KINDS, small_test
from understudy.mechanisms.seedbased.attempts import Synthesizer
from understudy.mechanisms.seedbased.evaluation.bounds import every_score, profile_candidates
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import (
    LikelihoodClasses,
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
    privacy_test,
)
from understudy.privacy.randomness import RandomSource


def slow_scores(
    test: PrivacyTest, sizes: list[int], logs: list[float], slack: float = 0.0
) -> list[int]:
    """⌊κ⌋ of a record of each class by the definitions, in fractions; −1 where there is none.

    The slack is added before each ⌊ ⌋.
    """
    weights = [Fraction(math.exp(log)) if log > -math.inf else Fraction(0) for log in logs]
    held = [(w, n) for w, n in zip(weights, sizes, strict=True) if n and w]
    found = []
    for weight, size, log in zip(weights, sizes, logs, strict=True):
        if not size or not weight:
            found.append(-1)
        elif isinstance(test, PlausibleDeniability):
            bucket = [_bucket(test, each, slack) for each in logs if each > -math.inf]
            alike = [n for n, each in zip(sizes, logs, strict=True) if each > -math.inf]
            own = _bucket(test, log, slack)
            found.append(sum(n for n, b in zip(alike, bucket, strict=True) if b == own))
        else:
            ms = [sum(n * v for v, n in held if v <= w) / w - 1 for w, _ in held if w >= weight]
            found.append(math.floor(max(ms) + Fraction(slack)))
    return found


def _bucket(test: PlausibleDeniability, log: float, slack: float) -> int:
    return math.floor(-log / math.log(test.gamma) + slack)


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
def test_scores_at_every_class_are_those_of_the_definition(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, (5, 4))
    logs = np.where(rng.random((5, 4)) < 0.2, -np.inf, rng.normal(-3, 2, (5, 4)))
    sizes[:, 0] += 1
    logs[:, 0] = -1.0
    classes = LikelihoodClasses(sizes, logs, np.zeros(5, dtype=np.int64))
    test = small_test(kind, 3, 1.0)
    expected = [
        slow_scores(test, *each) for each in zip(sizes.tolist(), logs.tolist(), strict=True)
    ]
    assert every_score(classes, test).tolist() == expected
    sample = ScoreSample(Omega(low=1, high=2), classes, np.zeros(5, dtype=bool))
    least = [min(score for score in row if score >= 0) for row in expected]
    assert profile_candidates(sample, test).least.tolist() == least


@given(st.integers(0, 2**32 - 1))
def test_the_lowest_relative_score_is_the_sum_over_the_largest_less_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes, logs = rng.integers(0, 9, (6, 5)), rng.normal(-3, 2, (6, 5))
    sizes[:, 2] += 1
    sample = ScoreSample(
        Omega(low=1, high=2),
        LikelihoodClasses(sizes, logs, np.full(6, 2)),
        np.zeros(6, dtype=bool),
    )
    weights = np.where(sizes > 0, np.exp(logs), 0.0)
    lowest = (sizes * weights).sum(axis=1) / weights.max(axis=1) - 1
    found = profile_candidates(sample, RelativeSensitivity(k=3, epsilon0=1.0)).least
    assert found.tolist() == np.floor(lowest + 1e-9).astype(int).tolist()


@given(worlds(most_columns=3, most_values=3, most_records=8), st.integers(0, 2**32 - 1))
def test_of_real_attempts_the_sample_says_what_every_record_does(world: World, key: int) -> None:
    """Hidden ω: each record of the table is looked at by itself."""
    columns = len(world.network.order)
    model = KeptAttributes(world.network, Omega(low=1, high=columns))
    made = Synthesizer(model, world.records)
    candidates = made.propose(0, 8, RandomSource.fixed(key))
    sample = ScoreSample.of(candidates, model)
    logs = model.log_likelihood(world.ordered, candidates.codes.T)
    for kind in KINDS:
        test = privacy_test(kind, 2, 0.7)
        found = profile_candidates(sample, test)
        for place in range(8):
            # Logarithms of what is equal may differ in their last digits.
            each = np.round(logs[:, place], 12).tolist()
            scores = slow_scores(test, [1] * len(each), each, slack=1e-9)
            if scores != slow_scores(test, [1] * len(each), each, slack=-1e-9):
                # On the edge of two scores, the last digit of a logarithm decides.
                continue
            can = [score >= 0 for score in scores]
            weights = np.exp(np.array(each)[can])
            chances = test.coin.probability(np.array(scores)[can])
            assert found.least[place] == min(score for score in scores if score >= 0)
            assert found.passing[place] == pytest.approx(weights @ chances / weights.sum())
