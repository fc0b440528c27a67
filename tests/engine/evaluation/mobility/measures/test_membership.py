"""Guessing who was counted: certain where days are published, a coin where they are not."""

from __future__ import annotations

import numpy as np

from tests.engine.evaluation.mobility.walking import homebodies, seen, study
from understudy.evaluation.measure import RELEASED
from understudy.evaluation.mobility.measures import disclosure


def test_whoever_was_published_is_known() -> None:
    members = homebodies(80, 3)
    found = disclosure.MEMBERSHIP.measure(study(members, members=members))[RELEASED]
    assert found.value > 0.5
    assert [part.of[0] for part in found.parts] == [disclosure.NEAREST, disclosure.AROUND]


def test_whoever_was_not_is_guessed() -> None:
    found = disclosure.MEMBERSHIP.measure(study())[RELEASED]
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high


def test_the_score_of_a_person_is_the_mean_over_days_of_the_nearest() -> None:
    people = seen(homebodies_of(7))
    days = seen(homebodies_of(9)).days.cells.astype(np.uint16)
    these, whose = disclosure._some_days(people, np.random.default_rng(1))
    assert np.bincount(whose).tolist() == [disclosure.DAYS_EACH] * 7
    nearest, around = disclosure._scores(these, whose, days)
    for who in range(7):
        apart = [[int((one != other).sum()) for other in days] for one in these[whose == who]]
        assert nearest[who] == -np.mean([min(each) for each in apart])
        weights = [sum(np.exp(-float(gap)) for gap in each) for each in apart]
        assert abs(around[who] - np.mean(weights)) < 1e-9


def homebodies_of(number: int) -> list[list[list[int]]]:
    """So many people's days as lists."""
    days = homebodies(number, number)
    return [days.cells[days.person == who].tolist() for who in range(number)]
