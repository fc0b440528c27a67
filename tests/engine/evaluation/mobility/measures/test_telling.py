"""A forest tells days apart where there is a difference, and guesses where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.evaluation.mobility.walking import homebodies, seen, study
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import RELEASED
from understudy.evaluation.mobility.measures.disclosure import TOLD_APART, one_day_each, told_apart


def test_one_day_of_each_person_is_looked_at() -> None:
    people = [[[who] * 72, [who] * 36 + [who + 1] * 36] for who in range(5)]
    told = seen(people)
    found = one_day_each(told, np.random.default_rng(0))
    pairs = told.features.reshape(5, 2, -1)
    assert all(found[who].tolist() in pairs[who].tolist() for who in range(5))
    assert len({row[0] for row in found}) == 2


def test_what_differs_is_told_and_what_does_not_is_not() -> None:
    random = np.random.default_rng(0)
    one, other = random.normal(size=(200, 3)), random.normal(size=(300, 3))
    right, tried = told_apart(one, other, 0)
    assert tried == 200
    assert 70 < right < 130
    assert told_apart(one, other + 9, 0) == (200, 200)


def test_people_who_never_leave_are_told_from_those_who_do() -> None:
    still = seen([[[who % 12] * 72] * 5 for who in range(60)])
    assert TOLD_APART.measure(study(still.days))[RELEASED].value > 0.9
    with pytest.raises(Refusal, match="fewer than 50 people"):
        TOLD_APART.measure(study(homebodies(20, 1)))
