"""One weekday of each person, by a coin of their own."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.mobility.town import TOWN, days, lives, of_lives
from understudy.mechanisms.plausible_traces.keys import NONE, one_weekday, schedules_of
from understudy.models.mobility.stays import LETTERS, LONGEST, anchors, patterns_of, stays
from understudy.privacy.randomness import RandomSource


@given(people=st.lists(lives(most_days=8), min_size=1, max_size=3))
def test_a_schedule_has_the_stays_of_its_day_in_order(people: list[list[list[int]]]) -> None:
    told = of_lives(people)
    found = schedules_of(told, TOWN)
    each = stays(told, anchors(told, TOWN.cells), TOWN.cells)
    for day, pattern in enumerate(patterns_of(each, len(told.cells))):
        usable = 0 < len(pattern) <= LONGEST
        assert found.usable[day] == usable
        kept = found.sort[day][found.sort[day] != NONE]
        assert "".join(LETTERS[sort] for sort in kept) == (pattern if usable else "")
        starts = each.start[each.day == day].tolist() if usable else []
        assert found.start[day].tolist() == starts + [72] * (LONGEST - len(starts))


@given(people=st.lists(lives(most_days=9), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_it_is_a_weekday_of_the_person_and_hangs_on_nobody_else(
    people: list[list[list[int]]], seed: int
) -> None:
    told = of_lives(people)
    every, found = schedules_of(told, TOWN), one_weekday(told, TOWN, RandomSource.fixed(seed))
    assert len(found) == len(people)
    for person in range(len(people)):
        own = np.flatnonzero((told.person == person) & ~told.weekend & every.usable)
        if not len(own):
            assert not found.usable[person]
            continue
        alike = (every.sort[own] == found.sort[person]).all(axis=1)
        alike &= (every.start[own] == found.start[person]).all(axis=1)
        assert alike.any()
    alone = one_weekday(of_lives(people[:1]), TOWN, RandomSource.fixed(seed))
    assert alone.sort[0].tolist() == found.sort[0].tolist()
    assert alone.start[0].tolist() == found.start[0].tolist()


def test_every_weekday_is_as_likely() -> None:
    week = [[(0, 0), (20 + day, 5), (50, 0)] for day in range(7)]
    found = one_weekday(days(*[week] * 3000), TOWN, RandomSource.fixed(1))
    counts = np.bincount(found.start[:, 1], minlength=27)[20:27]
    assert counts[5:].tolist() == [0, 0]
    assert np.abs(counts[:5] - 600).max() < 110
