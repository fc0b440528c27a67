"""How many records a run will come to, from a sample of candidates. Internal."""

from __future__ import annotations

import math
from dataclasses import dataclass

from understudy.evaluation.measure import Interval
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.privacy.plausibility.privacy_test import PrivacyTest

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


def expected(sample: ScoreSample, test: PrivacyTest, pass_cap: float, attempts: int) -> Expected:
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
