"""Tables of days are cut to one size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.evaluation.mobility.walking import seen, study
from understudy.evaluation.mobility.days import common_length, cut_people


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(1, 9))
def test_half_of_the_people_have_the_days_that_are_compared(each: list[int], made: int) -> None:
    found = common_length(np.array(each), made)
    assert found <= made
    assert 2 * sum(days >= found for days in each) >= len(each)
    assert found == made or 2 * sum(days >= found + 1 for days in each) < len(each)


@pytest.mark.parametrize("most", [1, 2, 9])
def test_no_more_people_than_are_asked_for_each_with_as_many_days(most: int) -> None:
    people = [[[who] * 72] * (who + 1) for who in range(4)]
    found = cut_people(seen(people), 2, most, np.random.default_rng(0))
    assert len(found) == min(most, 3)
    assert set(found.days.per_person) == {2}
    assert 0 not in found.days.cells


def test_a_person_is_always_left_out_with_the_same_block() -> None:
    told = study()
    block = told.blocks("released", 80)
    assert block is told.blocks("released", 80)
    assert set(np.bincount(block)) == {4}
    assert (study().blocks("released", 80) == block).all()
    assert (study(key=2).blocks("released", 80) != block).any()
