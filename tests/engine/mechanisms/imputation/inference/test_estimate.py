"""Intervals that know of the prior hold the truth as often as they say; the published do not."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.mechanisms.imputation.outputs import Rows, share
from understudy.studies.imputation.coverage import RULES, simulate_coverage

OURS, NAIVE, PARTLY, FULLY = RULES
_OTHERS = pytest.mark.thorough("test_ours_hold_the_truth_as_often_as_they_say")


@pytest.mark.parametrize(
    ("truth", "cells", "alpha", "rows"),
    [
        (0.3, 2, 8.0, Rows(1000, 1, 1000)),
        pytest.param(0.05, 6, 20.0, Rows(1000, 1, 1000), marks=_OTHERS),
        (0.3, 2, 22.0, Rows(1000, 1000, 1)),
        (0.1, 3, 23.0, Rows(1000, None, 500)),
        pytest.param(0.1, 4, 15.0, Rows(500, 5, 200), marks=_OTHERS),
        (0.6, 2, 15.0, Rows(500, 5, 200)),
    ],
)
def test_ours_hold_the_truth_as_often_as_they_say(
    truth: float, cells: int, alpha: float, rows: Rows
) -> None:
    found = simulate_coverage(truth, cells, alpha, rows, times=1500, seed=2)
    assert 0.935 <= found[OURS].held <= 0.975


def test_the_published_rules_fail_under_a_strong_prior() -> None:
    """Five tables of 1000 rows from 500 records, four cells of 30: the prior moves the centre."""
    found = simulate_coverage(0.02, 4, 30.0, Rows(500, 5, 1000), times=400, seed=2)
    assert found[OURS].held >= 0.93
    assert max(found[rule].held for rule in (NAIVE, PARTLY, FULLY)) < 0.5


def test_the_interval_is_all_shares_that_do_not_differ_too_much() -> None:
    rows, made = Rows(400, 3, 100), share(0.2, 3, 9.0, Rows(400, 3, 100), 0.95)
    total = 400 + 27
    for p in (made.low, made.high):
        theta = (400 * p + 9) / total
        variance = 400 * p * (1 - p) / total**2
        variance += theta * (1 - theta) * (1 / (3 * (total + 1)) + total / (total + 1) / rows.total)
        assert abs(0.2 - theta) == pytest.approx(1.959964 * variance**0.5, rel=1e-6)
    assert made.low < made.estimate < made.high
    assert np.isfinite([made.low, made.high]).all()


@pytest.mark.parametrize("found", [0.0, 1.0])
def test_at_the_ends_it_stays_a_share(found: float) -> None:
    made = share(found, 2, 30.0, Rows(100, 1, 50), 0.95)
    assert 0 <= made.low <= made.estimate <= made.high <= 1
