"""People who know nothing but the map."""

from __future__ import annotations

import numpy as np

from tests.engine.models.mobility.town import TOWN
from understudy.evaluation.mobility.days import MOST_AWAY, Seen, uniform_days


def test_they_are_anywhere_and_at_home_at_both_ends_of_the_day() -> None:
    days = uniform_days(TOWN, 3_000, (False, True), np.random.default_rng(1))
    assert days.cells.shape == (6_000, 72)
    assert days.weekend.tolist() == [False, True] * 3_000
    home = days.cells[:, 0]
    assert (home[::2] == home[1::2]).all()
    assert (days.cells[:, -1] == home).all()
    # Each of 12 cells is the home of 250, give or take 15.
    assert np.abs(np.bincount(home[::2], minlength=12) - 250).max() < 80
    changes = (days.cells[:, 1:] != days.cells[:, :-1]).sum(axis=1)
    assert changes.max() <= MOST_AWAY + 1
    # Of 6,000 days 857 have no stay away, and more in which all are at home.
    assert 850 - 150 < (changes == 0).sum() < 1_100
    assert Seen(days, TOWN).at.home.min() >= 0


def test_nothing_but_the_draw_tells_them_apart() -> None:
    one, other, third = (
        uniform_days(TOWN, 5, (False,), np.random.default_rng(seed)).cells for seed in (1, 1, 2)
    )
    assert (one == other).all()
    assert (one != third).any()
