"""Newcombe's intervals: the tables he printed, scipy for Wilson's, and how often they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from understudy.evaluation.intervals import one_group, two_groups, wilson

PAIRED = [
    # Both, the first only, the second only, neither; Newcombe (1998), Table III, method 10.
    ((36, 12, 2, 0), (0.0569, 0.3404)),
    ((20, 12, 2, 16), (0.0562, 0.3292)),
    ((18, 12, 2, 18), (0.0562, 0.3290)),
    ((36, 14, 0, 0), (0.1528, 0.4167)),
    ((35, 14, 0, 1), (0.1461, 0.4175)),
    ((18, 14, 0, 18), (0.1441, 0.3963)),
    ((2, 97, 1, 0), (0.8721, 0.9854)),
    ((1, 97, 1, 1), (0.8736, 0.9850)),
    ((0, 29, 1, 0), (0.6666, 0.9882)),
    ((2, 98, 0, 0), (0.9178, 0.9945)),
    ((1, 98, 0, 1), (0.9171, 0.9916)),
    ((0, 30, 0, 0), (0.8395, 1.0)),
    ((54, 0, 0, 0), (-0.0664, 0.0664)),
]

GROUPS = [
    # Newcombe (1998), the other paper, Table II, method 10.
    ((56, 70, 48, 80), (0.0524, 0.3339)),
    ((9, 10, 3, 10), (0.1705, 0.8090)),
    ((5, 56, 0, 29), (-0.0381, 0.1926)),
    ((10, 10, 0, 10), (0.6075, 1.0)),
]


@pytest.mark.parametrize(("counts", "ends"), PAIRED)
def test_one_group_as_printed(counts: tuple[int, ...], ends: tuple[float, float]) -> None:
    found = one_group(*counts)
    # In one row the last place that is printed is one too small.
    assert (found.low, found.high) == pytest.approx(ends, abs=1.1e-4)


@pytest.mark.parametrize(("counts", "ends"), GROUPS)
def test_two_groups_as_printed(counts: tuple[int, ...], ends: tuple[float, float]) -> None:
    found = two_groups(*counts)
    assert (found.low, found.high) == pytest.approx(ends, abs=6e-5)


@pytest.mark.parametrize(("successes", "trials"), [(0, 7), (7, 7), (3, 10), (999, 10_000)])
def test_wilson_is_scipys(successes: int, trials: int) -> None:
    ours, theirs = (
        wilson(successes, trials),
        binomtest(successes, trials).proportion_ci(method="wilson"),
    )
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_of_nothing_nothing_is_known() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0, 1)
    for found in (two_groups(0, 0, 1, 2), two_groups(1, 2, 0, 0), one_group(0, 0, 0, 0)):
        assert (found.low, found.high) == (-1, 1)


def test_they_turn_round_with_the_groups() -> None:
    one, other = two_groups(7, 20, 3, 30), two_groups(3, 30, 7, 20)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_they_hold_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    chances = np.array([0.05, 0.1, 0.03, 0.82])
    held = [
        found.low <= 0.07 <= found.high
        for counts in rng.multinomial(200, chances, 600)
        for found in [one_group(*counts.tolist())]
    ]
    assert 0.92 < np.mean(held) < 0.98
