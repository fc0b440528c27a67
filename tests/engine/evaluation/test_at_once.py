"""The same for several things on two cores."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.at_once import each_at_once


@given(st.lists(st.integers()))
def test_answers_come_in_the_order_of_the_things(things: list[int]) -> None:
    assert each_at_once(lambda each: each * each, things) == [each * each for each in things]


def test_two_are_looked_at_at_once() -> None:
    """Neither is done before the other has begun."""
    both = threading.Barrier(2, timeout=30)

    def met(thing: int) -> int:
        both.wait()
        return thing

    assert each_at_once(met, [1, 2]) == [1, 2]


def test_an_error_is_passed_on() -> None:
    with pytest.raises(ZeroDivisionError):
        each_at_once(lambda each: 1 // each, [1, 0, 2])
