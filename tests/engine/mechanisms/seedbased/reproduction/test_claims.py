from __future__ import annotations

import pytest

from engine.evaluation.evaluation import Evaluation
from engine.evaluation.finding import Finding, Interval, Measured
from engine.evaluation.study import MARGINALS
from engine.mechanisms.seedbased.reproduction.claims import (
    pairs_claim,
    passing_claim,
    single_claim,
    timing_claim,
)
from engine.mechanisms.seedbased.reproduction.results import Passing, Timed

KEY = "distance"


def found(marginals: tuple[float, float], *synthetic: tuple[float, float]) -> Evaluation:
    ends = {MARGINALS: marginals} | {f"ω = {at}": each for at, each in enumerate(synthetic)}
    measured = {
        name: Measured((low + high) / 2, Interval(low, high)) for name, (low, high) in ends.items()
    }
    return Evaluation((), 0, "x", (Finding(KEY, measured),))


@pytest.mark.parametrize(
    ("marginals", "synthetic", "worse"),
    [
        ((0.5, 0.6), [(0.1, 0.2), (0.3, 0.4)], True),
        ((0.5, 0.6), [(0.1, 0.2), (0.4, 0.55)], False),
        ((0.1, 0.2), [(0.3, 0.4)], False),
    ],
)
def test_clearly_worse_is_above_the_intervals_of_all_and_competitive_is_the_opposite(
    marginals: tuple[float, float], synthetic: list[tuple[float, float]], worse: bool
) -> None:
    evaluation = found(marginals, *synthetic)
    assert pairs_claim(evaluation, KEY).holds is worse
    assert single_claim(evaluation, KEY).holds is not worse


def test_nothing_measured_decides_nothing() -> None:
    for evaluation in (Evaluation((), 0, "x", ()), found((0.1, 0.2))):
        assert pairs_claim(evaluation, KEY).holds is None
        assert single_claim(evaluation, KEY).verdict == "not found out"


@pytest.mark.parametrize(("rate", "holds"), [(0.51, True), (0.5, False), (0.2, False)])
def test_more_than_half_pass(rate: float, holds: bool) -> None:
    claim = passing_claim([Passing("11", (100,), (1.0,)), Passing("5-11", (100,), (rate,))])
    assert claim.holds is holds
    assert f"{rate:.1%}" in claim.ours


def test_other_ranges_say_nothing_of_the_published_one() -> None:
    assert passing_claim([Passing("2-4", (100,), (1.0,))]).holds is None


@pytest.mark.parametrize(("seconds", "holds"), [(599.0, True), (600.0, False)])
def test_ten_thousand_records_in_ten_minutes(seconds: float, holds: bool) -> None:
    assert timing_claim([Timed(1_000, 1.0), Timed(10_000, seconds)]).holds is holds
    assert timing_claim([Timed(1_000, 1.0)]).holds is None
