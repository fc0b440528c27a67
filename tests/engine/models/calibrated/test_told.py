from __future__ import annotations

import numpy as np
import pytest

from understudy.models.calibrated.measured import Measured
from understudy.models.calibrated.told import Measurements
from understudy.models.views import View

ALONE = (
    Measured((View(0),), np.array([-5.0, 45.0, 60.0]), 3.0),
    Measured((View(1),), np.array([70.0, 20.0]), 3.0),
)
PAIR = Measured((View(0), View(1)), np.array([-5.0, 15.0, 30.0, 15.0, 40.0, 20.0]), 4.0)
TOLD = Measurements(100.0, ALONE, (PAIR,))
"""Noisy counts that do not agree: below zero, and of 100, 90 and 115 records."""


def test_columns_are_the_nearest_shares_that_can_be() -> None:
    """By hand: all cells that stay above zero move by the same amount."""
    one, other = TOLD.distributions
    assert one == pytest.approx([0, 0.425, 0.575])
    assert other == pytest.approx([0.75, 0.25])


def test_columns_are_settled_and_pairs_stay_as_they_were_told() -> None:
    *columns, pair = TOLD.measured
    for each, before in zip(columns, ALONE, strict=True):
        assert each.settled
        assert each.counts.sum() == pytest.approx(100)
        assert (each.marginal, each.deviation) == (before.marginal, before.deviation)
    assert pair is PAIR
    assert not pair.settled
    assert not any(each.settled for each in ALONE)
