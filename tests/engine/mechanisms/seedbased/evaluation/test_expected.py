"""How many records are expected: right on average, and between the ends as often as is said."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample, expect_passing
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import privacy_test

TEST = privacy_test("relative-sensitivity", 50, 1.0)


def sample(scores: list[int]) -> ScoreSample:
    return ScoreSample(Omega(low=1, high=1), np.array(scores), np.zeros(len(scores), dtype=bool))


def test_the_rate_is_that_of_the_sample() -> None:
    scores = sample([0, 10, 45, 50, 55, 90] * 50)
    found = expect_passing(scores, TEST, 0.1, 1_000)
    assert found.rate == pytest.approx(scores.pass_rate(TEST, 0.1))
    assert found.records == pytest.approx(1_000 * found.rate)
    assert found.passing.low < found.rate < found.passing.high
    assert found.between.low < found.records < found.between.high


def test_the_ends_hold_in_nineteen_of_twenty_runs() -> None:
    """The sample and the run are drawn again and again from a known law."""
    rng = np.random.default_rng(11)
    scores, attempts, held, rounds = np.array([40, 49, 52, 60]), 800, 0, 2_000
    chances = sample(scores.tolist()).chances(TEST)
    for _ in range(rounds):
        drawn = sample(rng.choice(scores, 400).tolist())
        found = expect_passing(drawn, TEST, 0.0, attempts)
        run = rng.binomial(attempts, chances.mean())
        held += found.between.low <= run <= found.between.high
    assert 0.93 < held / rounds < 0.97


@pytest.mark.parametrize(("scores", "rate"), [([-(10**6)] * 20, 0.0), ([10**6] * 20, 1.0)])
def test_none_and_all_stay_within_what_can_be(scores: list[int], rate: float) -> None:
    found = expect_passing(sample(scores), TEST, 0.0, 300)
    assert found.rate == pytest.approx(rate, abs=1e-9)
    assert 0 <= found.between.low <= found.between.high <= 300
    assert 0 <= found.passing.low <= found.passing.high <= 1
